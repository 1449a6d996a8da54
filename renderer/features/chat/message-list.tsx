import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { VList } from 'virtua';
import type { VListHandle } from 'virtua';
import type { MessageId, SessionId } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { showFailure } from '../../ui/show-failure.ts';
import { useChat, useChatFeature } from './context.tsx';
import { MessageRow } from './message-row.tsx';

/** Within this distance of the end the view follows new text (VS Code's and our own habit, anchors B5). */
const STICK_PX = 40;
/** Older messages are asked for this far before the top is reached. */
const LOAD_AHEAD_PX = 800;
/** Drawn beyond the visible part. */
const BUFFER_PX = 500;

/**
 * virtua shuts off the pointer while it scrolls. That is inherited: at each start and end of following a stream, the style of everything in
 * the list was worked out anew (725 elements, 26-60 ms). It stays on while the agent works, and until the last of its scrolling has ended.
 */
const POINTER_STAYS = '[&>div]:pointer-events-auto!';
/** virtua takes a scrolling for ended 150 ms after its last step. */
const SCROLL_ENDS_MS = 500;

/** What was just brought to the end is measured, and its turn begins, within this time. */
const SETTLES_MS = 1_000;

/** Where the person was reading: the first message seen, and how far it was scrolled past. */
interface Place {
  readonly anchor: MessageId;
  readonly past: number;
}

/** Reading position per chat, for as long as the window lives; none means the end. */
const places = new Map<SessionId, Place>();

export interface MessageListProps {
  readonly sessionId: SessionId;
  /** A message to bring into view, from a search or a link. */
  readonly target: MessageId | undefined;
  readonly onTargetShown: () => void;
}

export function MessageList({ sessionId, target, onTargetShown }: MessageListProps) {
  const feature = useChatFeature();
  const order = useChat((chat) => chat.order) ?? [];
  const list = useRef<VListHandle>(null);
  const [remembered] = useState(() => places.get(sessionId));
  const stuck = useRef(remembered === undefined);
  const [away, setAway] = useState(remembered !== undefined);
  const lastOffset = useRef(0);
  const works = useChat((chat) => (chat.session?.status ?? 'idle') !== 'idle') ?? false;
  const pointerStays = useLingering(works, SCROLL_ENDS_MS);
  const settlesUntil = useRef(0);
  const first = order[0];
  const last = order.at(-1);
  /** The newest message the person has had in sight. */
  const seenLast = useRef(last);
  const shownFirst = useRef(first);
  const shownLast = useRef(last);
  const prepended = first !== shownFirst.current && shownFirst.current !== undefined && order.includes(shownFirst.current) && last === shownLast.current;

  const toEnd = useCallback(() => {
    stuck.current = true;
    settlesUntil.current = performance.now() + SETTLES_MS;
    list.current?.scrollToIndex(Math.max(0, order.length - 1), { align: 'end' });
  }, [order.length]);

  /** Loads what is missing and scrolls there; false when the chat has no such message. */
  const goTo = useCallback(async (id: MessageId, past: number): Promise<boolean> => {
    stuck.current = false;
    if (!await feature.loadUntil(id)) return false;
    await nextFrame();
    const index = feature.store.getState().chat?.order.indexOf(id) ?? -1;
    if (index === -1) return false;
    list.current?.scrollToIndex(index, { align: 'start', offset: past });
    return true;
  }, [feature]);

  useLayoutEffect(() => {
    if (remembered === undefined) list.current?.scrollToIndex(Math.max(0, (feature.store.getState().chat?.order.length ?? 0) - 1), { align: 'end' });
    else goTo(remembered.anchor, remembered.past).catch(showFailure);
  }, [feature, goTo, remembered]);

  const lastRole = useChat((chat) => (last === undefined ? undefined : chat.messages.get(last)?.role));
  useLayoutEffect(() => {
    shownFirst.current = first;
    if (last === shownLast.current) return;
    shownLast.current = last;
    if (stuck.current || lastRole === 'user') toEnd();
  }, [first, last, lastRole, toEnd]);

  useEffect(() => {
    if (target === undefined) return;
    let wanted = true;
    goTo(target, 0).then((found) => {
      if (!wanted) return;
      if (found) pointOut(target);
      onTargetShown();
    }, showFailure);
    return () => { wanted = false; };
  }, [goTo, target, onTargetShown]);

  const onScroll = (offset: number): void => {
    const handle = list.current;
    if (handle === null) return;
    const atEnd = handle.scrollSize - handle.viewportSize - offset <= STICK_PX;
    const upwards = offset < lastOffset.current;
    lastOffset.current = offset;
    /** While the agent works, and just before and after, only who goes up leaves the end: else text grew before the view was brought after it. */
    if ((pointerStays || performance.now() < settlesUntil.current) && stuck.current && !atEnd && !upwards) return;
    stuck.current = atEnd;
    const anchorIndex = handle.findItemIndex(offset);
    const anchor = order[anchorIndex];
    if (atEnd || anchor === undefined) places.delete(sessionId);
    else places.set(sessionId, { anchor, past: offset - handle.getItemOffset(anchorIndex) });
    setAway(!atEnd);
    if (atEnd) seenLast.current = last;
    if (offset < LOAD_AHEAD_PX && feature.store.getState().chat?.more === true) feature.loadOlder().catch(showFailure);
  };
  /** Text that grows, and a window that shrinks, both move the end; whoever was there stays there. What shrinks may bring the end into view. */
  const onResize = (): void => {
    const handle = list.current;
    if (handle === null) return;
    if (stuck.current) handle.scrollTo(handle.scrollSize);
    else onScroll(handle.scrollOffset);
  };

  return (
    <div className="relative min-h-0 flex-1">
      <VList
        ref={list} data={order} bufferSize={BUFFER_PX} shift={prepended} onScroll={onScroll} onResize={onResize}
        tabIndex={0} role="region" aria-label="Messages" className={classNames('focus-inset h-full pt-2 pb-4 [overflow-anchor:none]', pointerStays && POINTER_STAYS)}
      >
        {(id: MessageId) => <MessageRow key={id} id={id} />}
      </VList>
      {away ? (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button size="small" icon={<ArrowDown size={14} aria-hidden />} onClick={toEnd} className="pointer-events-auto shadow-raised">
            {seenLast.current === last ? 'To the end' : 'New messages'}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

/** True while `value` is, and for so many milliseconds after. */
function useLingering(value: boolean, milliseconds: number): boolean {
  const [lingers, setLingers] = useState(value);
  if (value && !lingers) setLingers(true);
  useEffect(() => {
    if (value) return;
    const timer = setTimeout(() => { setLingers(false); }, milliseconds);
    return () => { clearTimeout(timer); };
  }, [value, milliseconds]);
  return value || lingers;
}

/** After the list has drawn what was just loaded. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => { requestAnimationFrame(() => { resolve(); }); });
}

/** Draws the eye to the message that was looked for, and brings the call in it that waits for the person into view. */
function pointOut(id: MessageId): void {
  requestAnimationFrame(() => {
    const row = document.querySelector(`[data-message="${CSS.escape(id)}"]`);
    row?.animate([{ backgroundColor: 'var(--color-accent-soft)' }, { backgroundColor: 'transparent' }], { duration: 1_600, easing: 'ease-out' });
    row?.querySelector('[data-waiting]')?.scrollIntoView({ block: 'nearest' });
  });
}
