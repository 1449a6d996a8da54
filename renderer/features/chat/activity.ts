/** What a chat is doing right now, in words, from its state alone. */
import type { ToolCall } from '../../../preload/contract/index.ts';
import { isLive } from './model.ts';
import type { Chat } from './model.ts';
import { describeCall } from './tool-words.ts';

export interface Activity {
  readonly kind: 'idle' | 'thinking' | 'replying' | 'tools' | 'waiting' | 'stopping';
  /** For the line above the composer: "Running sleep 60". */
  readonly words: string;
  /** What the stop button would end: "Stop sleep 60". */
  readonly stop: string;
}

const IDLE: Activity = { kind: 'idle', words: '', stop: '' };

/** Longest target shown inside a sentence. */
const MAX_TARGET_CHARS = 48;

export function activityOf(chat: Chat): Activity {
  const status = chat.session?.status ?? 'idle';
  if (status === 'idle') return IDLE;
  if (status === 'stopping') return { kind: 'stopping', words: 'Stopping', stop: 'Stopping' };
  const last = lastAssistant(chat);
  const live = last?.calls.filter(isLive) ?? [];
  const waiting = live.filter((call) => call.state === 'waiting');
  // What an MCP server or another program asks outside of a turn waits for an answer, but holds up nothing.
  if (status === 'waiting' && !chat.running && live.length === 0) return IDLE;
  if (status === 'waiting' || waiting.length > 0) return { kind: 'waiting', words: 'Waiting for you', stop: 'Stop and withdraw what it asks' };
  const running = live.filter((call) => call.state === 'running');
  if (running.length > 1) return { kind: 'tools', words: `Running ${running.length} tools`, stop: `Stop ${running.length} running tools` };
  const [only] = running;
  if (only !== undefined) return { kind: 'tools', words: `Running: ${shortCall(only)}`, stop: `Stop: ${shortCall(only)}` };
  if (last?.state === 'streaming' && (last.text !== '' || last.calls.length > 0)) return { kind: 'replying', words: 'Replying', stop: 'Stop the reply' };
  return { kind: 'thinking', words: last?.state === 'streaming' && last.reasoning !== '' ? 'Thinking' : 'Waiting for the model', stop: 'Stop waiting for the model' };
}

function lastAssistant(chat: Chat) {
  for (let index = chat.order.length - 1; index >= 0; index -= 1) {
    const id = chat.order[index];
    const message = id === undefined ? undefined : chat.messages.get(id);
    if (message?.role === 'assistant') return message;
    if (message?.role === 'user') return undefined;
  }
  return undefined;
}

function shortCall(call: ToolCall): string {
  const { verb, target } = describeCall(call);
  if (target === '') return verb;
  const line = target.split('\n', 1)[0] ?? '';
  return line.length > MAX_TARGET_CHARS ? `${line.slice(0, MAX_TARGET_CHARS)}…` : line;
}

/** Messages that are looked through for a use of the browser, newest first: a page is closed some minutes after its last use. */
const BROWSER_MESSAGES = 60;

/** Whether a browser tool works now, or has worked lately in this chat; undefined when none has. */
export function browserUse(chat: Chat): 'working' | 'used' | undefined {
  let used = false;
  for (const id of chat.order.slice(-BROWSER_MESSAGES)) {
    for (const call of chat.messages.get(id)?.calls ?? []) {
      if (!call.name.startsWith('browser_')) continue;
      if (isLive(call)) return 'working';
      used = true;
    }
  }
  return used ? 'used' : undefined;
}
