/** Which cards are drawn where. A request may be drawn twice, in the chat and in the queue; a key acts on one that is really in sight. */
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { CardGuard } from './guard.ts';

export interface DrawnCard {
  readonly element: HTMLElement;
  readonly guard: CardGuard;
  /** This card gave the answer: the verdict line takes the focus. */
  markAnswered(): void;
}

const drawn = new Map<ApprovalId, Set<DrawnCard>>();

/** Returns what takes the card off again. */
export function addDrawnCard(id: ApprovalId, card: DrawnCard): () => void {
  const cards = drawn.get(id) ?? new Set();
  drawn.set(id, cards.add(card));
  return () => {
    cards.delete(card);
    if (cards.size === 0) drawn.delete(id);
  };
}

/** Drawn cards of this request that are in sight and not covered by anything. */
export function cardsInSight(id: ApprovalId): DrawnCard[] {
  return drawnCards(id).filter((card) => isInSight(card.element));
}

export function anyCardInSight(ids: readonly ApprovalId[]): boolean {
  return ids.some((id) => cardsInSight(id).length > 0);
}

export function drawnCards(id: ApprovalId): DrawnCard[] {
  return [...drawn.get(id) ?? []];
}

/** What cannot be seen is not approved. */
export function commandInSight(card: Pick<DrawnCard, 'element'>): boolean {
  const command = card.element.querySelector('[data-command]');
  return command instanceof HTMLElement && isInSight(command);
}

/** Scrolls the command to the top of what scrolls: `nearest` would leave it where the card's own buttons stand over it. */
export function scrollToCommand(element: HTMLElement): void {
  element.querySelector('[data-command]')?.scrollIntoView({ block: 'start' });
}

/** Some of the element is inside the window and is what a click there would hit. */
function isInSight(element: HTMLElement): boolean {
  if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
  const box = element.getBoundingClientRect();
  const left = Math.max(box.left, 0);
  const right = Math.min(box.right, window.innerWidth);
  const top = Math.max(box.top, 0);
  const bottom = Math.min(box.bottom, window.innerHeight);
  if (right - left < 1 || bottom - top < 1) return false;
  /** Probed along the middle, because a sticky bar or the scroll edge may cover the top or the bottom. */
  return [0.2, 0.5, 0.8].some((share) => {
    const hit = document.elementFromPoint((left + right) / 2, top + (bottom - top) * share);
    return hit !== null && element.contains(hit);
  });
}
