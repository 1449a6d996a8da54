import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, RefObject } from 'react';
import type { MessageId } from '../../../preload/contract/index.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { useChat, useChatFeature } from './context.tsx';
import { countWords, drawnPattern, onFind, placesOf, sameIn, seek, startAt, stepped, takesFindKeys } from './find.ts';
import type { Place } from './find.ts';
import { createMarks, firstBelow, rowOf } from './find-marks.ts';
import type { Marks } from './find-marks.ts';

/** While somebody types: one look per pause, not per letter. */
const TYPING_MS = 120;

export interface FindBarProps {
  /** What is marked lies in here. */
  readonly section: RefObject<HTMLElement | null>;
  /** Draws a message that is far away. Resolves when it is there. */
  readonly goTo: (messageId: MessageId) => Promise<void>;
  readonly onClose: () => void;
}

interface Found { readonly places: readonly Place[]; readonly more: boolean; readonly index: number }
const NOTHING: Found = { places: [], more: false, index: -1 };

/** Words in all of the chat, drawn or not. The host looks; the bar steps through the places. */
export function FindBar({ section, goTo, onClose }: FindBarProps) {
  const feature = useChatFeature();
  const [query, setQuery] = useState('');
  const [found, setFound] = useState(NOTHING);
  const field = useRef<HTMLInputElement>(null);
  const marks = useRef<Marks>(undefined);
  const place = found.places[found.index];
  /** What can have brought new words: another message, or one that is whole now. */
  const news = useChat((chat) => `${chat.order.length} ${chat.messages.get(chat.order.at(-1) ?? ('' as MessageId))?.state ?? ''}`);

  useEffect(() => onFind(() => { field.current?.select(); }), []);
  useEffect(() => () => { seek(undefined); }, []);

  useEffect(() => {
    let wanted = true;
    const look = async (): Promise<void> => {
      const answer = query.trim() === '' ? { places: [], more: false } : await feature.find(query);
      if (!wanted) return;
      const places = placesOf(answer);
      const order = feature.store.getState().chat?.order ?? [];
      setFound((before) => {
        const now = before.places[before.index];
        const same = now === undefined ? -1 : sameIn(places, now);
        return { places, more: answer.more, index: same === -1 ? nearest(section.current, query, places, order) : same };
      });
    };
    const timer = setTimeout(() => { look().catch(showFailure); }, TYPING_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [feature, news, query, section]);

  const placeKey = place === undefined ? '' : `${place.messageId} ${place.callId ?? ''} ${place.nth}`;
  useEffect(() => {
    const element = section.current;
    const pattern = drawnPattern(query);
    if (element === null) return;
    marks.current ??= createMarks(element);
    const drawn = marks.current;
    let wanted = true;
    let frame = 0;
    const draw = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => { drawn.draw(pattern, place); });
    };
    const observer = new MutationObserver(draw);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    draw();
    if (place !== undefined && pattern !== undefined) show(place, { element, pattern, marks: drawn, goTo, isWanted: () => wanted }).catch(showFailure);
    return () => {
      wanted = false;
      observer.disconnect();
      cancelAnimationFrame(frame);
      drawn.clear();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key stands for the place: the same place in a newer list is no reason to scroll
  }, [placeKey, query, section, goTo]);

  const step = useCallback((by: 1 | -1): void => { setFound((now) => ({ ...now, index: stepped(now.index, now.places.length, by) })); }, []);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.code !== 'KeyG' || !takesFindKeys(event.target)) return;
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    };
    addEventListener('keydown', onKey);
    return () => { removeEventListener('keydown', onKey); };
  }, [step]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && event.target === field.current) step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div role="search" aria-label="Find in this chat" onKeyDown={onKeyDown} className="flex h-9 shrink-0 items-center gap-0.5 border-b border-line bg-panel px-2">
      <Input ref={field} autoFocus type="search" value={query} maxLength={500} aria-label="Find in this chat" placeholder="Find in this chat" className="h-6 flex-1 text-xs" onChange={(event) => { setQuery(event.target.value); }} />
      <span role="status" className="min-w-20 px-1 text-right text-xs text-muted tabular-nums">{countWords(query, found.index, found.places.length, found.more)}</span>
      <IconButton size="small" icon={ChevronUp} label="Previous place" keys="Shift+Enter" disabled={found.places.length === 0} onClick={() => { step(-1); }} />
      <IconButton size="small" icon={ChevronDown} label="Next place" keys="Enter" disabled={found.places.length === 0} onClick={() => { step(1); }} />
      <IconButton size="small" icon={X} label="Close the search" keys="Esc" onClick={onClose} />
    </div>
  );
}

interface Showing { readonly element: HTMLElement; readonly pattern: RegExp; readonly marks: Marks; readonly goTo: FindBarProps['goTo']; readonly isWanted: () => boolean }

/** Draws what lies far away, opens a call's card, and brings the place into view. */
async function show(place: Place, { element, pattern, marks, goTo, isWanted }: Showing): Promise<void> {
  seek(place.callId);
  if (rowOf(element, place) === null) await goTo(place.messageId);
  await frames();
  if (!isWanted()) return;
  marks.draw(pattern, place);
  marks.bring(pattern, place);
}

/** The first place that is in sight or below it; the last one where there is none. */
function nearest(section: HTMLElement | null, query: string, places: readonly Place[], order: readonly MessageId[]): number {
  const list = section?.querySelector('[role="region"][aria-label="Messages"]');
  const pattern = drawnPattern(query);
  if (section === null || list === null || list === undefined || pattern === undefined) return startAt(places, order, undefined);
  const { top } = list.getBoundingClientRect();
  const row = [...section.querySelectorAll<HTMLElement>('[data-message]')].find((element) => element.getBoundingClientRect().bottom > top + 1);
  const seen = row?.dataset['message'] as MessageId | undefined; // written by the row from its id
  const index = startAt(places, order, seen);
  return places[index]?.messageId === seen ? firstBelow(section, pattern, places, index, top) : index;
}

/** Two: one in which the list places what it has drawn, and one after it. */
function frames(): Promise<void> {
  return new Promise((resolve) => { requestAnimationFrame(() => { requestAnimationFrame(() => { resolve(); }); }); });
}
