/** Finding words in the open chat: which places there are, and the step from one to the next. What is drawn is marked by `find-marks.ts`. */
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { CallId, FoundInChat, MessageId } from '../../../preload/contract/index.ts';

/** One place: the `nth` match in the words of a message, or a call. */
export interface Place { readonly messageId: MessageId; readonly callId: CallId | undefined; readonly nth: number }

/** Every match a place of its own, oldest first. */
export function placesOf(found: FoundInChat): readonly Place[] {
  return found.places.flatMap(({ messageId, callId, times }) => Array.from({ length: times }, (_, nth): Place => ({ messageId, callId, nth })));
}

/** The first place at or behind the message that is seen first; the last one where there is none. -1 without places. */
export function startAt(places: readonly Place[], order: readonly MessageId[], firstSeen: MessageId | undefined): number {
  const positions = new Map(order.map((id, index) => [id, index]));
  const from = firstSeen === undefined ? 0 : positions.get(firstSeen) ?? 0;
  const at = places.findIndex(({ messageId }) => (positions.get(messageId) ?? -1) >= from);
  return at === -1 ? places.length - 1 : at;
}

/** Where the same place is in a newer list. */
export function sameIn(places: readonly Place[], place: Place): number {
  return places.findIndex(({ messageId, callId, nth }) => messageId === place.messageId && callId === place.callId && nth === place.nth);
}

/** Around at both ends. */
export const stepped = (index: number, count: number, step: 1 | -1): number => (count === 0 ? -1 : (index + step + count) % count);

/** `3 of 17` */
export function countWords(query: string, index: number, count: number, more: boolean): string {
  if (query.trim() === '') return '';
  if (count === 0) return 'none';
  return `${index + 1} of ${count.toLocaleString('en')}${more ? '+' : ''}`;
}

/** As the host looks, for the text that is drawn. Undefined when there is nothing to look for. */
export function drawnPattern(query: string): RegExp | undefined {
  const words = query.split(/\s+/u).filter((word) => word !== '');
  return words.length === 0 ? undefined : new RegExp(words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'), 'giu');
}

/** The chat's keys for it: not where a terminal has the focus, which searches itself. */
export function takesFindKeys(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || target === document.body || target === document.documentElement) return true;
  return target.closest('[data-pane="chat"]') !== null && target.closest('.xterm') === null;
}

/** The call that was found: its card stands open. */
const sought = createStore<{ readonly callId: CallId | undefined }>()(() => ({ callId: undefined }));
export const seek = (callId: CallId | undefined): void => { sought.setState({ callId }); };
export const useSought = (callId: CallId): boolean => useStore(sought, (state) => state.callId === callId);

type Listener = () => void;
const listeners = new Set<Listener>();

/** The chat that is drawn opens its search. Returns what ends it. */
export function onFind(listener: Listener): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

export function findInChat(): void {
  for (const listener of listeners) listener();
}
