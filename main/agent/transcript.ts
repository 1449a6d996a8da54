/**
 * A chat as the model reads it. The rule of the protocol holds whatever happened: every tool call is answered exactly once,
 * directly after the message that made it, in order.
 */
import type { Message } from '../../preload/contract/sessions.ts';
import type { ModelMessage } from '../models/types.ts';
import type { StoredCall } from '../ports.ts';
import { attachedContent, NOTHING_ATTACHED, type AttachedView } from './attached.ts';
import { parseObject } from './commands.ts';
import { isToldToModel, noticeForModel } from './notices.ts';

export type TranscriptRow = Omit<Message, 'calls'> & { readonly calls: readonly StoredCall[] };

/** What was left out to fit the model's window; `seq` of messages, 0 = nothing. */
export interface TrimState {
  /** Tool output (and large arguments) of messages before this one is shortened. */
  readonly outputsBefore: number;
  /** Whole messages before this one are gone. */
  readonly messagesBefore: number;
}

export const NOTHING_TRIMMED: TrimState = { outputsBefore: 0, messagesBefore: 0 };

/** What stays of an old tool output: enough to recognise it by. */
const KEPT_OUTPUT_CHARS = 240;
/** Outputs up to here cost less than the note that would replace them is worth. */
const SMALL_OUTPUT_CHARS = 600;

/** Answers for calls without a result, by what became of them. */
function missingResult(call: StoredCall): string {
  switch (call.state) {
    case 'unknown':
      return JSON.stringify({ error: 'The app was interrupted while this call ran. Whether it finished, and what it changed, is unknown. Check before doing it again.' });
    case 'waiting':
      return JSON.stringify({ status: 'waiting', message: 'This call still waits for a decision by the person. It has not run. Do not repeat it and do not try the same by other means; its result will be told.' });
    case 'cancelled':
      return JSON.stringify({ error: 'Not run: the person stopped the turn before this call started.' });
    case 'pending':
    case 'running':
    case 'done':
    case 'error':
    case 'blocked':
      return JSON.stringify({ error: 'No result of this call was kept. Whether it finished is unknown.' });
  }
}

export function resultText(call: StoredCall): string {
  return call.fullResult ?? call.result ?? missingResult(call);
}

function shortened(text: string, what: string): string {
  if (text.length <= SMALL_OUTPUT_CHARS) return text;
  return `${text.slice(0, KEPT_OUTPUT_CHARS)}\n[… ${text.length - KEPT_OUTPUT_CHARS} more characters of ${what} left out to fit the context window; run the tool again if they are needed]`;
}

/** Servers parse the arguments of old calls; broken ones would make every later request fail. */
function safeArguments(call: StoredCall, trimmed: boolean): string {
  const parsed = parseObject(call.arguments);
  if (parsed.kind === 'malformed') return JSON.stringify({ malformed_arguments: call.arguments.slice(0, SMALL_OUTPUT_CHARS) });
  if (!trimmed || call.arguments.length <= SMALL_OUTPUT_CHARS) return call.arguments;
  return JSON.stringify(Object.fromEntries(Object.entries(parsed.value).map(([name, value]) => [name, typeof value === 'string' ? shortened(value, 'this argument') : value])));
}

/** Function names as every server accepts them. */
function safeName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed_tool';
}

/** Ids are unique within a request even when a model gave the same one twice in a chat. */
function wireIds(rows: readonly TranscriptRow[]): ReadonlyMap<string, string> {
  const used = new Set<string>();
  const ids = new Map<string, string>();
  for (const call of rows.flatMap((row) => row.calls)) {
    const id = used.has(call.modelCallId) ? call.id : call.modelCallId;
    used.add(id);
    ids.set(call.id, id);
  }
  return ids;
}

/** A call that the person made (`!command`): the model is told what happened, not that it did it itself. */
function personsCall(call: StoredCall, trimmed: boolean): string {
  const result = trimmed ? shortened(resultText(call), 'this output') : resultText(call);
  return noticeForModel(`The user ran the tool ${safeName(call.name)} themselves with ${safeArguments(call, trimmed)}\nResult:\n${result}`);
}

function assistantMessages(row: TranscriptRow, ids: ReadonlyMap<string, string>, trimmed: boolean): ModelMessage[] {
  if (row.calls.length > 0 && row.model === null) return row.calls.map((call) => ({ role: 'user', content: personsCall(call, trimmed) }));
  if (row.calls.length === 0) return row.text.trim() === '' ? [] : [{ role: 'assistant', content: row.text }];
  const idOf = (call: StoredCall): string => ids.get(call.id) ?? call.modelCallId;
  return [
    {
      role: 'assistant', content: row.text === '' ? null : row.text,
      tool_calls: row.calls.map((call) => ({ id: idOf(call), type: 'function', function: { name: safeName(call.name), arguments: safeArguments(call, trimmed) } })),
    },
    ...row.calls.map((call): ModelMessage => ({ role: 'tool', tool_call_id: idOf(call), content: trimmed ? shortened(resultText(call), 'this output') : resultText(call) })),
  ];
}

function rowMessages(row: TranscriptRow, ids: ReadonlyMap<string, string>, trimmed: boolean, attached: AttachedView): ModelMessage[] {
  switch (row.role) {
    case 'user':
      return [{ role: 'user', content: row.attachments === undefined ? row.text : attachedContent(row.text, row.attachments, attached, trimmed) }];
    case 'notice':
      return isToldToModel(row) ? [{ role: 'user', content: noticeForModel(row.text) }] : [];
    case 'assistant':
      return assistantMessages(row, ids, trimmed);
  }
}

type UserContent = Extract<ModelMessage, { role: 'user' }>['content'];

function bothOf(one: UserContent, other: UserContent): UserContent {
  if (typeof one === 'string' && typeof other === 'string') return `${one}\n\n${other}`;
  const parts = (content: UserContent): Exclude<UserContent, string> => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);
  return [...parts(one), ...parts(other)];
}

/** Chat templates of local models want user and assistant in turn: neighbours of the user role become one message. */
function joinNeighbours(messages: readonly ModelMessage[]): ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === 'user' && message.role === 'user') joined[joined.length - 1] = { role: 'user', content: bothOf(last.content, message.content) };
    else joined.push(message);
  }
  return joined;
}

/**
 * Rows in ascending order to the messages of a request, without the system prompt. Queued messages and one that is still
 * streaming are left out. `typed` user messages that were commands (`!ls`) are dropped where their call tells the same.
 */
export function buildTranscript(rows: readonly TranscriptRow[], trim: TrimState = NOTHING_TRIMMED, attached: AttachedView = NOTHING_ATTACHED): ModelMessage[] {
  const kept = rows.filter((row) => row.state !== 'queued' && row.state !== 'streaming' && row.seq >= trim.messagesBefore);
  const ids = wireIds(kept);
  const personsTurns = new Set(kept.filter((row) => row.role === 'assistant' && row.model === null && row.calls.length > 0).map((row) => row.turn));
  const said = kept.filter((row) => !(row.role === 'user' && personsTurns.has(row.turn) && /^(?:!|\/tool\b)/.test(row.text)));
  return joinNeighbours(said.flatMap((row) => rowMessages(row, ids, row.seq < trim.outputsBefore, attached)));
}
