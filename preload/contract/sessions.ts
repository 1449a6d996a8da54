/** Chats, their messages and tool calls, as screens see them. */
import { z } from 'zod';
import { Attachment } from './attachments.ts';
import { QuestionForm } from './mcp.ts';
import { ApprovalId, CallId, MessageId, SessionId, TerminalId } from './ids.ts';

/** Where a chat came from. `tour` chats are scripted and labelled so. */
export const SessionOrigin = z.enum(['user', 'tour', 'cli', 'delegate', 'cron', 'gateway']);
export type SessionOrigin = z.infer<typeof SessionOrigin>;

/** `waiting` means: something in this chat waits for the person (an approval or a question). */
export const SessionStatus = z.enum(['idle', 'running', 'waiting', 'stopping']);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const Session = z.object({
  id: SessionId,
  title: z.string(),
  /** False until the title was set by a person or by the first exchange. */
  titled: z.boolean(),
  origin: SessionOrigin,
  status: SessionStatus,
  cwd: z.string(),
  backend: z.string(),
  /** Model of this chat; null = the default one. */
  model: z.string().nullable(),
  /** Toolset switches of this chat over the default: name → on/off; absent = inherited. */
  toolsets: z.record(z.string(), z.boolean()),
  createdAt: z.number(),
  updatedAt: z.number(),
  deletedAt: z.number().nullable(),
  messageCount: z.number(),
  /** How many requests of this chat wait for the person. */
  waiting: z.number(),
  usage: z.object({ promptTokens: z.number(), completionTokens: z.number(), requests: z.number() }),
  /** The chat that this one is a fork of; it may be gone. */
  forkedFrom: SessionId.optional(),
});
export type Session = z.infer<typeof Session>;

/**
 * `pending` (decided, not started) → `waiting` (for a person) | `running` → one of the rest.
 * `unknown`: the host died while it ran; whether it finished cannot be told.
 */
export const ToolCallState = z.enum(['pending', 'waiting', 'running', 'done', 'error', 'blocked', 'cancelled', 'unknown']);
export type ToolCallState = z.infer<typeof ToolCallState>;

export const ToolCall = z.object({
  id: CallId,
  messageId: MessageId,
  sessionId: SessionId,
  /** The id the model gave it, echoed back to the model. */
  modelCallId: z.string(),
  name: z.string(),
  emoji: z.string(),
  /** Raw JSON text as the model streamed it. */
  arguments: z.string(),
  state: ToolCallState,
  /** What coercion and validation changed, one sentence each. */
  repairs: z.array(z.string()),
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  exitCode: z.number().nullable(),
  /** What the model read, cut to 20,000 characters for the screen. */
  result: z.string().nullable(),
  resultChars: z.number(),
  approvalId: ApprovalId.nullable(),
  terminalId: TerminalId.nullable(),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const MessageRole = z.enum(['user', 'assistant', 'notice']);
export type MessageRole = z.infer<typeof MessageRole>;

/** `queued`: typed while the agent works, sent when its turn ends. */
export const MessageState = z.enum(['queued', 'streaming', 'complete', 'interrupted', 'error']);
export type MessageState = z.infer<typeof MessageState>;

/** One entry of a chat. Tool results live in their tool call; `notice` entries are the app's own words, never the model's. */
export const Message = z.object({
  id: MessageId,
  sessionId: SessionId,
  /** Position in the chat, growing, without promise of being dense. */
  seq: z.number(),
  turn: z.number(),
  role: MessageRole,
  text: z.string(),
  reasoning: z.string(),
  state: MessageState,
  /** Why it ended in `error` or `interrupted`, or what the notice is about. */
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).nullable(),
  model: z.string().nullable(),
  createdAt: z.number(),
  endedAt: z.number().nullable(),
  calls: z.array(ToolCall),
  /** Absent where nothing was given along. */
  attachments: z.array(Attachment).optional(),
});
export type Message = z.infer<typeof Message>;

/** A question the model asks through `clarify`, or an MCP server during a call; answered in the chat. */
export const Question = z.object({
  callId: CallId,
  sessionId: SessionId,
  question: z.string(),
  choices: z.array(z.string()),
  /** Set when an MCP server asks: answered with `reply`. */
  form: QuestionForm.optional(),
  createdAt: z.number(),
});
export type Question = z.infer<typeof Question>;

export const TodoItem = z.object({ id: z.string(), content: z.string(), status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']) });
export type TodoItem = z.infer<typeof TodoItem>;

/** Whose words: `tool` is what was asked of a tool and what it answered. */
export const SearchRole = z.enum(['user', 'assistant', 'tool', 'notice']);
export type SearchRole = z.infer<typeof SearchRole>;

export const SearchHit = z.object({
  sessionId: SessionId,
  sessionTitle: z.string(),
  messageId: MessageId,
  role: z.string(),
  /** Name of the tool whose call matched. */
  tool: z.string().optional(),
  /** Matches are wrapped in `>>>` and `<<<`. */
  snippet: z.string(),
  createdAt: z.number(),
});
export type SearchHit = z.infer<typeof SearchHit>;

export const FoundInChat = z.object({
  /** Oldest first. `times` in the text of a message; a call counts once, however often. */
  places: z.array(z.object({ messageId: MessageId, callId: CallId.optional(), times: z.number() })),
  /** True when there are more places than are listed. */
  more: z.boolean(),
});
export type FoundInChat = z.infer<typeof FoundInChat>;
