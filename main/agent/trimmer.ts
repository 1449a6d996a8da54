/** Keeps one chat's trim: remembers it over restarts, says in the chat when it grew, and learns windows from refusals. */
import { z } from 'zod';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { ModelMessage, ModelTool } from '../models/types.ts';
import type { Calls, Storage, TodoStore } from '../ports.ts';
import type { AttachedView } from './attached.ts';
import type { Chat } from './chat.ts';
import { buildTranscript, NOTHING_TRIMMED, type TranscriptRow, type TrimState } from './transcript.ts';
import { isTooLong, tighten, tokensOf, windowFromError, type Window } from './trim.ts';

const StoredTrim = z.object({ outputsBefore: z.number(), messagesBefore: z.number() });

/** A server that refuses without naming its window: it holds less than what was sent, by an unknown amount. */
const LEARNT_SHARE = 0.7;

export interface Trimmer {
  /** Window in tokens as known now. */
  readonly contextTokens: number;
  /** The chat as it is now, trimmed before when the next request would not fit. */
  beforeRequest(system: ModelMessage, tools: readonly ModelTool[], attached: AttachedView): ModelMessage[];
  /** After the server refused a request as too long: learns and trims. False when nothing more can be left out. */
  afterRefusal(message: string, system: ModelMessage, tools: readonly ModelTool[], attached: AttachedView): boolean;
}

/** What was left out of a chat so far. */
export function loadTrim(values: Storage['values'], sessionId: SessionId): TrimState {
  const stored = values.get(`trim:${sessionId}`);
  const parsed = stored === undefined ? undefined : StoredTrim.safeParse(JSON.parse(stored));
  return parsed?.success ? parsed.data : NOTHING_TRIMMED;
}

export interface TrimmerParts {
  readonly storage: Pick<Storage, 'values' | 'messages'>;
  readonly todos: Pick<TodoStore, 'list'>;
  readonly calls: Pick<Calls, 'contextTrimmed'>;
}

export function createTrimmer(chat: Chat, knownTokens: number, parts: TrimmerParts, turn: number): Trimmer {
  const { storage } = parts;
  const key = `trim:${chat.id}`;
  let state = loadTrim(storage.values, chat.id);
  let contextTokens = knownTokens;

  function trim(window: Window, rows: readonly TranscriptRow[]): boolean {
    const next = tighten(rows, state, window);
    if (!next) return false;
    const dropped = next.messagesBefore > state.messagesBefore;
    state = next;
    storage.values.set(key, JSON.stringify(next));
    parts.calls.contextTrimmed(chat.id);
    chat.addNotice('notice/trimmed', noticeText(dropped), turn);
    return true;
  }

  /** After trimming, the open plan is said again: it may have been in what was left out. */
  function noticeText(dropped: boolean): string {
    const what = dropped ? 'The oldest messages and old tool output are' : 'Old tool output is';
    const open = parts.todos.list(chat.id).filter(({ status }) => status === 'pending' || status === 'in_progress');
    const plan = open.map(({ content, status }) => `${status === 'in_progress' ? '[>]' : '[ ]'} ${content}`).join('\n');
    return `${what} left out of what the model reads, because the chat is longer than its context window. Everything is still here and can be searched.${plan === '' ? '' : `\nOpen tasks:\n${plan}`}`;
  }

  return {
    get contextTokens() {
      return contextTokens;
    },
    beforeRequest(system, tools, attached) {
      const window = { contextTokens, system, tools, attached };
      const rows = storage.messages.transcript(chat.id);
      const trimmed = isTooLong(rows, state, window) && trim(window, rows);
      return buildTranscript(trimmed ? storage.messages.transcript(chat.id) : rows, state, attached);
    },
    afterRefusal(message, system, tools, attached) {
      const named = windowFromError(message);
      const rows = storage.messages.transcript(chat.id);
      const sent = tokensOf(rows, state, { contextTokens, system, tools, attached });
      const believed = named !== undefined && named < contextTokens ? named : contextTokens;
      contextTokens = Math.floor(Math.min(believed, sent * LEARNT_SHARE));
      return trim({ contextTokens, system, tools, attached }, rows);
    },
  };
}
