import { LoaderCircle } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { MessageId, SessionId } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { activityOf, browserUse } from './activity.ts';
import type { Activity } from './activity.ts';
import { ChatHeader } from './chat-header.tsx';
import { Composer } from './composer.tsx';
import { useChat, useChatFeature } from './context.tsx';
import { FindBar } from './find-bar.tsx';
import { onFind } from './find.ts';
import { LooseQuestions } from './loose-questions.tsx';
import { MessageList } from './message-list.tsx';
import { useChatSlots } from './slots.tsx';

export interface ChatViewProps {
  readonly target: MessageId | undefined;
  readonly onTargetShown: () => void;
  /** The first message of a new chat made it. */
  readonly onStarted: (sessionId: SessionId) => void;
}

const IDLE: Activity = { kind: 'idle', words: '', stop: '' };

/** The middle of the window: one chat with its composer, or the welcome where none is open. */
export function ChatView({ target, onTargetShown, onStarted }: ChatViewProps) {
  const feature = useChatFeature();
  const { LiveBrowser, Welcome } = useChatSlots();
  const browser = useChat(browserUse);
  const sessionId = useChat((chat) => chat.sessionId);
  const phase = useChat((chat) => chat.phase);
  const problem = useChat((chat) => chat.problem);
  const known = useChat((chat) => chat.session !== undefined) ?? false;
  const empty = useChat((chat) => chat.order.length === 0) ?? true;
  const [wanted, setWanted] = useState<MessageId>();
  const [begun, setBegun] = useState<SessionId>();
  const begin = (): void => { feature.begin().then((id) => { setBegun(id); onStarted(id); }, showFailure); };
  const section = useRef<HTMLElement>(null);
  const { finding, closeFind } = useFinding(section, sessionId);
  const arrived = useRef<() => void>(undefined);
  const goTo = useCallback((id: MessageId) => new Promise<void>((resolve) => {
    arrived.current = resolve;
    setWanted(id);
  }), []);
  const shown = useCallback(() => {
    arrived.current?.();
    setWanted(undefined);
    onTargetShown();
  }, [onTargetShown]);
  const activity = useStore(feature.store, useShallow((state) => (state.chat === undefined ? IDLE : activityOf(state.chat))));

  return (
    <section ref={section} aria-label="Chat" className="flex h-full min-w-0 flex-col bg-canvas">
      <ChatHeader begun={begun} onBegin={begin} />
      {finding ? <FindBar key={`find ${sessionId}`} section={section} goTo={goTo} onClose={closeFind} /> : null}
      {problem === undefined ? null : (
        <div className="p-4">
          <InlinePanel role="alert" tone="danger" title={problem.message} actions={sessionId === undefined ? undefined : <Button size="small" onClick={() => { feature.open(undefined); feature.open(sessionId); }}>Open again</Button>}>
            {problem.hint}
          </InlinePanel>
        </div>
      )}
      {sessionId === undefined || (known && empty && activity.kind === 'idle')
        ? <div className="min-h-0 flex-1 overflow-y-auto"><Welcome /></div>
        : known
          ? <MessageList key={sessionId} sessionId={sessionId} target={wanted ?? target} onTargetShown={shown} />
          : <div className="min-h-0 flex-1" />}
      {phase === 'failed' || (sessionId !== undefined && !known) ? null : (
        <>
          <LooseQuestions />
          {sessionId === undefined || browser === undefined ? null : <LiveBrowser key={sessionId} sessionId={sessionId} working={browser === 'working'} />}
          <ActivityLine activity={activity} onShow={() => { setWanted(feature.store.getState().chat?.order.at(-1)); }} />
          <Composer key={sessionId ?? 'new'} sessionId={sessionId} takesFocus={sessionId === undefined || sessionId !== begun} activity={activity} onStarted={onStarted} />
        </>
      )}
    </section>
  );
}

/** Whether words are being looked for in this chat. Closing gives the focus back to where it was. */
function useFinding(section: RefObject<HTMLElement | null>, sessionId: SessionId | undefined): { readonly finding: boolean; readonly closeFind: () => void } {
  const [where, setWhere] = useState<SessionId>();
  const before = useRef<Element>(null);
  useEffect(() => onFind(() => {
    if (sessionId === undefined) return;
    if (section.current?.querySelector('[role="search"]')?.contains(document.activeElement) !== true) before.current = document.activeElement;
    setWhere(sessionId);
  }), [section, sessionId]);
  const closeFind = useCallback(() => {
    setWhere(undefined);
    const back = before.current instanceof HTMLElement && before.current.isConnected && before.current !== document.body ? before.current : section.current?.querySelector<HTMLElement>('textarea[aria-label="Message"]');
    back?.focus();
  }, [section]);
  return { finding: sessionId !== undefined && where === sessionId, closeFind };
}

/** One line above the composer that says what is going on. Its height is kept, so that nothing jumps. */
function ActivityLine({ activity, onShow }: { readonly activity: Activity; readonly onShow: () => void }) {
  return (
    <div role="status" className="mx-auto flex h-7 w-full max-w-190 shrink-0 items-center gap-1.5 px-7 text-xs text-muted">
      {activity.kind === 'idle' ? null : (
        <>
          {activity.kind === 'waiting' ? <span aria-hidden className="size-2 rounded-full bg-warn-line" /> : <LoaderCircle size={13} aria-hidden className="animate-spin" />}
          <span className="min-w-0 truncate">{activity.words}</span>
          {activity.kind === 'waiting' ? <Button size="small" tone="ghost" onClick={onShow}>Show</Button> : null}
        </>
      )}
    </div>
  );
}
