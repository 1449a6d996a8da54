/** The truth about one terminal's screen: an xterm without a window, fed with every byte that can still be seen. */
import serialize from '@xterm/addon-serialize';
import headless from '@xterm/headless';
import type { Clock } from '../ports.ts';
import { countLines } from './bytes.ts';

type HeadlessTerminal = InstanceType<typeof headless.Terminal>;

/** Lines kept above the screen: 12 B a cell make 14 MB for 120 × 10,000; half of that shows all that a person scrolls through. */
export const SCROLLBACK_LINES = 5_000;
/** Bytes given to the parser at a time: it works in slices of 12 ms, which hold about this much. */
const IN_PARSER_BYTES = 256 * 1024;
/** Queue length above which text that will have scrolled away is left out, so that a flood costs no parsing. */
const SKIP_ABOVE_BYTES = 1024 * 1024;
/** Queue length above which the program is paused, and below which it goes on. */
const HIGH_BYTES = 4 * 1024 * 1024;
const LOW_BYTES = 1024 * 1024;

/** While nobody watches, plain text waits this long to be parsed (anchors E2: hidden terminals at 2 Hz): most of a flood is dropped by then. */
const UNWATCHED_MS = 500;

/**
 * Sequences that xterm carries out as often as they say (insert, delete, scroll, repeat, tab): two thousand million lines would keep the host
 * busy for hours. Above this count, which no program means, they do nothing.
 */
const COUNTED = ['@', 'L', 'M', 'P', 'S', 'T', 'X', 'b', 'I', 'Z'] as const;
const MOST_REPEATS = 10_000;

/** Bytes that change more than text: escape, and the two that switch character sets. */
const STATEFUL_BYTES = [0x1b, 0x0e, 0x0f] as const;

export interface ScreenOptions {
  readonly cols: number;
  readonly rows: number;
  /** True for pipes: a bare line feed also returns the cursor. */
  readonly convertLineFeeds: boolean;
  /** The queue is long (true) or short again (false). */
  onBusy(busy: boolean): void;
  onAlternate(alternate: boolean): void;
  /** Answers of the terminal to queries in the output (cursor position, device attributes). */
  onReply(data: string): void;
  /** True while somebody looks at this screen: then it is kept in step with the output. */
  isWatched(): boolean;
  readonly clock: Pick<Clock, 'after'>;
}

export class Screen {
  readonly #terminal: HeadlessTerminal;
  readonly #serializer = new serialize.SerializeAddon();
  readonly #options: ScreenOptions;
  /** Output not parsed yet, and readers that wait for what stands before them. */
  #queue: (Uint8Array | (() => void))[] = [];
  #queued = 0;
  #inParser = 0;
  #skipAbove = SKIP_ABOVE_BYTES;
  #margins = false;
  #busy = false;
  #disposed = false;
  /** The last output may have ended within a control sequence: what follows is its rest. */
  #afterState = false;
  #cancelLater: (() => void) | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#terminal = new headless.Terminal({
      cols: options.cols, rows: options.rows, scrollback: SCROLLBACK_LINES, allowProposedApi: true, convertEol: options.convertLineFeeds,
      logLevel: 'off', // each bad byte of a binary would be twenty lines on the console of the host
    });
    // The addon is typed for the terminal with a window; it uses the buffer, which both have.
    this.#terminal.loadAddon(this.#serializer);
    this.#terminal.onData((data) => options.onReply(data));
    this.#terminal.buffer.onBufferChange((buffer) => options.onAlternate(buffer.type === 'alternate'));
    for (const final of COUNTED) this.#terminal.parser.registerCsiHandler({ final }, ([count]) => typeof count === 'number' && count > MOST_REPEATS);
    // With scroll margins set, lines do not move into the scrollback: nothing may be skipped then.
    this.#terminal.parser.registerCsiHandler({ final: 'r' }, (parameters) => {
      this.#margins = parameters.some((parameter) => parameter !== 0);
      return false;
    });
  }

  write(bytes: Uint8Array): void {
    if (this.#disposed || bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    // Control sequences may ask something or open another screen: they are seen at once.
    const stateful = !isPlainText(bytes);
    const canWait = !stateful && !this.#afterState && !this.#options.isWatched();
    this.#afterState = stateful;
    if (this.#queued > this.#skipAbove) this.#skip();
    if (canWait && this.#queued <= this.#skipAbove) this.#feedLater();
    else this.#feed();
    if (!this.#busy && this.#queued > HIGH_BYTES) this.#setBusy(true);
  }

  #setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#options.onBusy(busy);
  }

  #feedLater(): void {
    this.#cancelLater ??= this.#options.clock.after(UNWATCHED_MS, () => this.#feed());
  }

  #feed(): void {
    this.#cancelLater?.();
    this.#cancelLater = undefined;
    while (this.#inParser < IN_PARSER_BYTES && !this.#disposed) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      if (typeof next === 'function') {
        // The callback runs between two writes, before the next one is parsed.
        this.#terminal.write('', next);
        continue;
      }
      this.#queued -= next.length;
      this.#inParser += next.length;
      this.#terminal.write(next, () => {
        this.#inParser -= next.length;
        if (this.#busy && this.#queued < LOW_BYTES) this.#setBusy(false);
        this.#feed();
      });
    }
  }

  /** Drops plain text that more than a whole scrollback of later lines will push out before anybody can see it. */
  #skip(): void {
    const plain = this.#terminal.buffer.active.type === 'normal' && !this.#margins && !this.#options.isWatched();
    if (!plain || this.#queue.some((item) => typeof item === 'function')) return;
    let lines = SCROLLBACK_LINES + this.#terminal.rows;
    let from = this.#queue.length;
    while (from > 0 && lines > 0) lines -= linesOf(this.#queue[--from]);
    if (lines > 0) return;
    const kept = this.#queue.slice(0, from).filter((item) => !isPlainText(item));
    this.#queue = [...kept, ...this.#queue.slice(from)];
    this.#queued = this.#queue.reduce((sum, item) => sum + (typeof item === 'function' ? 0 : item.length), 0);
    this.#skipAbove = Math.max(SKIP_ABOVE_BYTES, this.#queued * 2);
  }

  get cols(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  resize(cols: number, rows: number): void {
    if (!this.#disposed && (cols !== this.cols || rows !== this.rows)) this.#terminal.resize(cols, rows);
  }

  /** Resolves with `read()` at the moment when everything written before this call is on the screen, and nothing after it. */
  settled<T>(read: () => T): Promise<T> {
    if (this.#disposed) return Promise.reject(new Error('the screen of this terminal is gone'));
    return new Promise((resolve, reject) => {
      this.#queue.push(() => {
        try {
          resolve(read());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      this.#feed();
    });
  }

  /** Escape sequences that draw this screen and its scrollback, at most `maxChars` (oldest lines are left out). Call within `settled`. */
  serialized(maxChars = Number.POSITIVE_INFINITY): string {
    let text = this.#serializer.serialize();
    let lines = this.#terminal.buffer.normal.length;
    while (text.length > maxChars && lines > 0) {
      lines = Math.floor(lines / 2);
      text = this.#serializer.serialize({ scrollback: lines });
    }
    return text;
  }

  /** Plain text of what is visible, without trailing blanks and blank lines. Call within `settled`. */
  visibleText(): string {
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: this.#terminal.rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true).trimEnd() ?? '');
    return lines.join('\n').trimEnd();
  }

  /** Plain text of everything kept. Call within `settled`. */
  allText(): string {
    const { active } = this.#terminal.buffer;
    let text = '';
    for (let row = 0; row < active.length; row++) {
      const line = active.getLine(row);
      if (line !== undefined) text += (row > 0 && !line.isWrapped ? '\n' : '') + line.translateToString(true);
    }
    return text.trimEnd();
  }

  /** Readers that still wait are answered first. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#cancelLater?.();
    for (const item of this.#queue) if (typeof item === 'function') item();
    this.#queue = [];
    this.#terminal.dispose();
  }
}

function linesOf(item: Uint8Array | (() => void) | undefined): number {
  return item === undefined || typeof item === 'function' ? 0 : countLines(item);
}

function isPlainText(item: Uint8Array | (() => void)): boolean {
  return typeof item !== 'function' && STATEFUL_BYTES.every((byte) => !item.includes(byte));
}
