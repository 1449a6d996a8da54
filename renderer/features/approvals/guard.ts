/**
 * Keeps stray input from answering a question. A card accepts input only after it has stood still, in a focused window,
 * for a while; the press that brought the window to the front is never an answer.
 */

/** How long a card must have stood still before it accepts anything (anchors B1). */
export const STILL_MS = 400;

/** What a person is told whose press came before that. */
export const TOO_SOON = 'Not taken: the card had only just appeared or moved. Press again.';
/** What a person is told who says yes to what is scrolled away. */
export const OUT_OF_SIGHT = 'Not taken: the command could not be seen. It was scrolled to: read it and press again.';

/** What a person is told whose N came while the focus was elsewhere: it may have been meant for something else. */
export const PRESS_AGAIN = 'Press N again to deny.';

/** A card that is drawn again a hair's breadth away has not moved for a person. */
const MOVED_PIXELS = 3;

export interface Place { readonly top: number; readonly left: number; readonly width: number }

/** One guard per drawn card. `now` is milliseconds on a monotonic clock. */
export class CardGuard {
  readonly #now: () => number;
  readonly #onDisturbed: () => void;
  #place: Place | undefined;
  #stillSince: number;

  /** `onDisturbed` is called each time the wait starts again, so that the card can look the part. */
  constructor(now: () => number, onDisturbed: () => void = () => undefined) {
    this.#now = now;
    this.#onDisturbed = onDisturbed;
    this.#stillSince = now();
  }

  /** Starts the wait again: the card appeared, or its window came to the front. */
  disturb(): void {
    this.#stillSince = this.#now();
    this.#onDisturbed();
  }

  /** Tells where the card is now; starts the wait again when that is elsewhere. Returns true when it moved. */
  notePlace(place: Place): boolean {
    const last = this.#place;
    this.#place = place;
    const moved = last !== undefined && (
      Math.abs(last.top - place.top) > MOVED_PIXELS || Math.abs(last.left - place.left) > MOVED_PIXELS || Math.abs(last.width - place.width) > MOVED_PIXELS
    );
    if (moved) this.disturb();
    return moved;
  }

  remainingMs(): number {
    return Math.max(0, this.#stillSince + STILL_MS - this.#now());
  }

  /**
   * `place` is measured at the moment of the input: a move that nothing reported counts from now. `at` is when the person made
   * the input, on the same clock; one that waited in a queue since before the card stood still does not count.
   */
  accepts(place: Place, windowFocused: boolean, at: number = this.#now()): boolean {
    this.notePlace(place);
    if (!windowFocused) {
      this.disturb();
      return false;
    }
    return at >= this.#stillSince + STILL_MS;
  }
}
