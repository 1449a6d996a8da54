/** The open chat of this window, kept whole over lost connections, reloads and gaps in the event stream. */
import { createStore } from 'zustand/vanilla';
import type { StoreApi } from 'zustand/vanilla';
import type { AttachmentId, CallId, ChatEvent, FormReply, FoundInChat, MessageId, Session, SessionId, Talaria } from '../../../preload/contract/index.ts';
import { toErrorShape } from '../../bridge.ts';
import { moveDraft } from './drafts.ts';
import { applyEvents, openingChat, withOlder, withProblem, withSession, withSnapshot, withSteered } from './model.ts';
import type { Chat } from './model.ts';

/** Newest messages that come with the first answer; a screen holds about ten. */
const FIRST_PAGE = 120;
/** Older ones per request while scrolling up. */
const PAGE = 200;
/** Per request while looking for one message far up: the most the host gives. */
const LONG_PAGE = 1_000;

export interface ChatState {
  readonly chat: Chat | undefined;
}

/** Runs the callback soon, once per frame while the window is seen. Returns how to call it off. */
export type Schedule = (run: () => void) => () => void;

export interface ChatFeature {
  readonly store: StoreApi<ChatState>;
  open(sessionId: SessionId | undefined): void;
  /** Loads older messages until `messageId` is there or none are left; false when it does not exist. */
  loadUntil(messageId: MessageId): Promise<boolean>;
  loadOlder(): Promise<void>;
  /** Sends in the open chat. */
  send(text: string, steer: boolean, attachments?: readonly AttachmentId[]): Promise<void>;
  /** Makes a chat, says the first thing in it and opens it. Where that is refused, no chat is left behind. */
  start(text: string, attachments?: readonly AttachmentId[]): Promise<SessionId>;
  /** Makes a chat without a message and opens it, with what was typed so far as its draft. */
  begin(): Promise<SessionId>;
  /** A new chat with the history of the open one up to that message, or up to before it where other words are said instead. Its id. */
  fork(wish: { readonly messageId?: MessageId; readonly text?: string }): Promise<SessionId>;
  /** Words in all of the open chat. */
  find(query: string): Promise<FoundInChat>;
  unqueue(messageId: MessageId): Promise<void>;
  stop(): Promise<void>;
  /** Ends one running call; the turn goes on. */
  stopCall(callId: CallId): Promise<void>;
  retry(): Promise<void>;
  answer(callId: CallId, answer: string): Promise<void>;
  /** Answers a form of an MCP server. Rejects when a value does not fit: the form stays open. */
  reply(callId: CallId, reply: FormReply): Promise<void>;
  fullResult(callId: CallId): Promise<string>;
  rename(title: string): Promise<void>;
  setCwd(cwd: string): Promise<void>;
  close(): void;
}

export function createChat(bridge: Talaria, schedule: Schedule): ChatFeature {
  const store = createStore<ChatState>()(() => ({ chat: undefined }));
  let waiting: ChatEvent[] = [];
  let cancelFlush: (() => void) | undefined;
  let loadingOlder: Promise<void> | undefined;
  /** The latest word on the open chat since its snapshot was asked for: newer than what the snapshot will say. */
  let toldMeanwhile: Session | undefined;
  /** True after a lost connection: events may have gone by. */
  let missed = false;

  const current = (): Chat | undefined => store.getState().chat;
  const edit = (sessionId: SessionId, change: (chat: Chat) => Chat): void => {
    const chat = current();
    if (chat?.sessionId !== sessionId) return;
    const next = change(chat);
    if (next !== chat) store.setState({ chat: next }, true);
  };

  const fetchSnapshot = (sessionId: SessionId): void => {
    toldMeanwhile = undefined;
    bridge.request('sessions.open', { sessionId, limit: Math.max(FIRST_PAGE, Math.min(LONG_PAGE, current()?.order.length ?? 0)) }).then(
      (opened) => {
        edit(sessionId, (chat) => withSnapshot(chat, toldMeanwhile === undefined ? opened : { ...opened, session: toldMeanwhile }));
        flush();
      },
      (error: unknown) => { edit(sessionId, (chat) => withProblem(chat, toErrorShape(error))); },
    );
  };

  const flush = (): void => {
    cancelFlush?.();
    cancelFlush = undefined;
    const chat = current();
    if (chat === undefined || chat.phase !== 'open') return;
    const events = waiting;
    waiting = [];
    const applied = applyEvents(chat, events);
    if (applied.chat !== chat) store.setState({ chat: applied.chat }, true);
    if (!applied.gap) return;
    waiting = events;
    store.setState({ chat: { ...applied.chat, phase: 'opening' } }, true);
    fetchSnapshot(chat.sessionId);
  };

  const reopen = (): void => {
    const chat = current();
    if (chat === undefined) return;
    store.setState({ chat: { ...chat, phase: 'opening', problem: undefined } }, true);
    fetchSnapshot(chat.sessionId);
  };

  const offs = [
    bridge.subscribe('chat', (event) => {
      if (event.sessionId !== current()?.sessionId) return;
      waiting.push(event);
      cancelFlush ??= schedule(flush);
    }),
    bridge.subscribe('sessions', (event) => {
      if (event.type !== 'changed' || event.session.id !== current()?.sessionId) return;
      toldMeanwhile = event.session;
      edit(event.session.id, (chat) => withSession(chat, event.session));
    }),
    bridge.onStatus((status) => {
      if (status === 'closed') missed = true;
      else if (status === 'open' && missed) {
        missed = false;
        reopen();
      }
    }),
  ];

  const older = async (limit: number): Promise<void> => {
    const chat = current();
    const first = chat?.order[0];
    const before = first === undefined ? undefined : chat?.messages.get(first)?.seq;
    if (chat === undefined || before === undefined || !chat.more) return;
    const { messages, more } = await bridge.request('sessions.messages', { sessionId: chat.sessionId, before, limit });
    edit(chat.sessionId, (now) => withOlder(now, messages, more));
  };
  /** One at a time: two pages with the same `before` would be the same page. */
  const loadOlder = (limit: number): Promise<void> => {
    loadingOlder ??= older(limit).finally(() => { loadingOlder = undefined; });
    return loadingOlder;
  };
  const openId = (): SessionId => {
    const id = current()?.sessionId;
    if (id === undefined) throw new Error('No chat is open.');
    return id;
  };

  const open = (sessionId: SessionId | undefined): void => {
    if (sessionId === current()?.sessionId && current()?.phase !== 'failed') return;
    waiting = [];
    cancelFlush?.();
    cancelFlush = undefined;
    store.setState({ chat: sessionId === undefined ? undefined : openingChat(sessionId) }, true);
    if (sessionId !== undefined) fetchSnapshot(sessionId);
  };

  return {
    store,
    open,
    async loadUntil(messageId) {
      for (;;) {
        const chat = current();
        if (chat === undefined) return false;
        if (chat.messages.has(messageId)) return true;
        if (!chat.more) return false;
        await loadOlder(LONG_PAGE);
      }
    },
    loadOlder: () => loadOlder(PAGE),
    async send(text, steer, attachments = []) {
      const sessionId = openId();
      const message = await bridge.request('chat.send', { sessionId, text, ...(steer ? { steer } : {}), ...along(attachments) });
      if (steer) edit(sessionId, (chat) => withSteered(chat, message.id));
    },
    async start(text, attachments = []) {
      const session = await bridge.request('sessions.create', {});
      try {
        await bridge.request('chat.send', { sessionId: session.id, text, ...along(attachments) });
      } catch (error) {
        await bridge.request('sessions.delete', { sessionId: session.id });
        throw error;
      }
      open(session.id);
      return session.id;
    },
    async begin() {
      const session = await bridge.request('sessions.create', {});
      moveDraft(undefined, session.id);
      open(session.id);
      return session.id;
    },
    async fork(wish) { return (await bridge.request('sessions.fork', { sessionId: openId(), ...wish })).id; },
    find: async (query) => bridge.request('sessions.find', { sessionId: openId(), query }),
    async unqueue(messageId) { await bridge.request('chat.unqueue', { sessionId: openId(), messageId }); },
    async stop() { await bridge.request('chat.stop', { sessionId: openId() }); },
    async stopCall(callId) { await bridge.request('chat.stopCall', { sessionId: openId(), callId }); },
    async retry() { await bridge.request('chat.retry', { sessionId: openId() }); },
    async answer(callId, answer) { await bridge.request('chat.answer', { callId, answer }); },
    async reply(callId, reply) { await bridge.request('chat.answer', { callId, reply }); },
    async fullResult(callId) { return (await bridge.request('chat.result', { callId })).text; },
    async rename(title) { await bridge.request('sessions.rename', { sessionId: openId(), title }); },
    async setCwd(cwd) { await bridge.request('sessions.setCwd', { sessionId: openId(), cwd }); },
    close() {
      cancelFlush?.();
      for (const off of offs) off();
    },
  };
}

function along(attachments: readonly AttachmentId[]): { readonly attachments?: AttachmentId[] } {
  return attachments.length === 0 ? {} : { attachments: [...attachments] };
}

/** Hidden windows get no frames; they still must not fall behind for long. */
const HIDDEN_MS = 250;

export const everyFrame: Schedule = (run) => {
  if (document.visibilityState === 'hidden') {
    const timer = setTimeout(run, HIDDEN_MS);
    return () => { clearTimeout(timer); };
  }
  const frame = requestAnimationFrame(run);
  return () => { cancelAnimationFrame(frame); };
};
