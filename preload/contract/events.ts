/** What the host tells screens unasked. Facts in the past tense; a screen that missed one reads the list again. */
import { z } from 'zod';
import { ApprovalRequest } from './approvals.ts';
import { CredentialRequest } from './credentials.ts';
import { CallId, CredentialId, MessageId, SessionId, TerminalId } from './ids.ts';
import { Message, Question, Session, TodoItem, ToolCall } from './sessions.ts';
import { Settings } from './settings.ts';
import { Terminal } from './terminal.ts';

const OfChat = z.object({ sessionId: SessionId, /** Counts up by one per chat. */ seq: z.number() });

/**
 * Life of a turn: `message-added` (user) → `turn-started` → `message-added` (assistant, streaming) → `text-delta`* / `reasoning-delta`* /
 * `call-changed`* → `message-changed` (complete; replaces everything streamed) → … → `turn-ended`.
 */
export const ChatEvent = z.discriminatedUnion('type', [
  OfChat.extend({ type: z.literal('message-added'), message: Message }),
  OfChat.extend({ type: z.literal('message-changed'), message: Message }),
  OfChat.extend({ type: z.literal('message-removed'), messageId: MessageId }),
  OfChat.extend({ type: z.literal('text-delta'), messageId: MessageId, text: z.string() }),
  OfChat.extend({ type: z.literal('reasoning-delta'), messageId: MessageId, text: z.string() }),
  OfChat.extend({ type: z.literal('call-changed'), call: ToolCall }),
  /** Last lines of a running call, for its card; not kept. */
  OfChat.extend({ type: z.literal('call-output'), callId: CallId, tail: z.string() }),
  OfChat.extend({ type: z.literal('question-asked'), question: Question }),
  OfChat.extend({ type: z.literal('question-settled'), callId: CallId }),
  OfChat.extend({ type: z.literal('todos-changed'), todos: z.array(TodoItem) }),
  OfChat.extend({ type: z.literal('turn-started') }),
  OfChat.extend({ type: z.literal('turn-ended'), reason: z.enum(['done', 'stopped', 'error', 'budget']) }),
]);
export type ChatEvent = z.infer<typeof ChatEvent>;

export const topics = {
  chat: ChatEvent,
  sessions: z.discriminatedUnion('type', [
    z.object({ type: z.literal('changed'), session: Session }),
    z.object({ type: z.literal('removed'), sessionId: SessionId }),
  ]),
  approvals: z.object({ type: z.literal('changed'), request: ApprovalRequest }),
  /** Something is asked for that only a person can type. What was typed is in no event. */
  credentials: z.discriminatedUnion('type', [
    z.object({ type: z.literal('asked'), request: CredentialRequest }),
    z.object({ type: z.literal('settled'), id: CredentialId }),
  ]),
  terminals: z.discriminatedUnion('type', [
    z.object({ type: z.literal('changed'), terminal: Terminal }),
    z.object({ type: z.literal('removed'), id: TerminalId }),
  ]),
  /** Something that `toolsets.list` shows is different now: read it again. */
  toolsets: z.object({ type: z.literal('changed') }),
  /** In which chats approvals are switched off: what `approvals.yolo` answers. */
  yolo: z.object({ type: z.literal('changed'), process: z.boolean(), sessions: z.array(SessionId) }),
  /** The stored allowlist, or the rules of our own, are different now: read them again. */
  allowlist: z.object({ type: z.literal('changed') }),
  /** Jobs or their runs are different now. `unseen`: results nobody has looked at. */
  schedules: z.object({ type: z.literal('changed'), unseen: z.number() }),
  /** A messenger's state or its list of people is different now: read it again. */
  gateway: z.object({ type: z.literal('changed') }),
  models: z.object({ type: z.literal('changed') }),
  settings: z.object({ type: z.literal('changed'), settings: Settings }),
  host: z.object({ type: z.literal('closing'), reason: z.string() }),
} as const;

export type Topics = typeof topics;
export type TopicName = keyof Topics;
export type TopicEvent<Name extends TopicName> = z.infer<Topics[Name]>;
