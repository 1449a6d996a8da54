/** A tool call in a person's words: what it does, on what, and how it stands. */
import type { ToolCall, ToolCallState } from '../../../preload/contract/index.ts';

export interface CallWords {
  /** "Run command", or the tool's own name with spaces. */
  readonly verb: string;
  /** The one argument that tells calls apart; may have several lines, may be empty. */
  readonly target: string;
  /** True when the target is code and wants the monospaced font. */
  readonly code: boolean;
}

interface ToolWords {
  readonly verb: string;
  /** Names of arguments to look for, the first present wins. */
  readonly target: readonly string[];
  readonly code?: boolean;
}

const TOOLS = new Map<string, ToolWords>([
  ['terminal', { verb: 'Run command', target: ['command'], code: true }],
  ['process', { verb: 'Background process', target: ['action', 'session_id'] }],
  ['execute_code', { verb: 'Run code', target: ['code'], code: true }],
  ['read_file', { verb: 'Read file', target: ['path'], code: true }],
  ['write_file', { verb: 'Write file', target: ['path'], code: true }],
  ['patch', { verb: 'Edit file', target: ['path'], code: true }],
  ['search_files', { verb: 'Search files', target: ['pattern'], code: true }],
  ['web_search', { verb: 'Search the web', target: ['query'] }],
  ['web_extract', { verb: 'Read web page', target: ['urls', 'url'] }],
  ['memory', { verb: 'Use memory', target: ['action'] }],
  ['todo', { verb: 'Update the plan', target: [] }],
  ['session_search', { verb: 'Search past chats', target: ['query'] }],
  ['delegate_task', { verb: 'Hand to a sub-agent', target: ['goal', 'task'] }],
  ['clarify', { verb: 'Ask you', target: ['question'] }],
  ['skills_list', { verb: 'List skills', target: ['category'] }],
  ['skill_view', { verb: 'Read skill', target: ['name'] }],
  ['skill_manage', { verb: 'Change skill', target: ['action', 'name'] }],
  ['cronjob', { verb: 'Schedule', target: ['action'] }],
  ['tool_search', { verb: 'Look for tools', target: ['query'] }],
  ['tool_describe', { verb: 'Look up tool', target: ['name'] }],
  ['vision_analyze', { verb: 'Look at image', target: ['image_url', 'question'] }],
]);

/** Tools this page does not know are named by their own name; the first short text argument is their target. */
export function describeCall(call: Pick<ToolCall, 'name' | 'arguments'>): CallWords {
  const known = TOOLS.get(call.name);
  const parsed = parseArguments(call.arguments);
  // The bridge to tools that are not listed: what is called through it is what counts.
  const inner = parsed['name'];
  if (call.name === 'tool_call' && typeof inner === 'string' && inner !== 'tool_call') return describeCall({ name: inner, arguments: JSON.stringify(parsed['arguments'] ?? {}) });
  if (known !== undefined) return { verb: known.verb, target: firstText(parsed, known.target), code: known.code ?? false };
  return { verb: spacedName(call.name), target: firstText(parsed, Object.keys(parsed)), code: false };
}

/** The arguments as an object; empty while they are still being streamed or when they are not an object. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> {
  if (!text.trimEnd().endsWith('}')) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

const STATE_WORDS: Record<ToolCallState, string> = {
  pending: 'waiting to start',
  waiting: 'waiting for you',
  running: 'running',
  done: 'done',
  error: 'failed',
  blocked: 'blocked',
  cancelled: 'stopped',
  unknown: 'outcome unknown: the app closed while it ran',
};

export function stateWord(state: ToolCallState): string {
  return STATE_WORDS[state];
}

const GROUP_ORDER: readonly ToolCallState[] = ['running', 'waiting', 'pending', 'done', 'error', 'blocked', 'cancelled', 'unknown'];

/** "3 running · 1 waiting for you · 2 done". */
export function countStates(calls: readonly ToolCall[]): string {
  return GROUP_ORDER.flatMap((state) => {
    const count = calls.filter((call) => call.state === state).length;
    return count === 0 ? [] : [`${count} ${state === 'unknown' ? 'unknown' : STATE_WORDS[state]}`];
  }).join(' · ');
}

function spacedName(name: string): string {
  const words = name.replace(/^mcp_+/, '').replaceAll('_', ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

function firstText(values: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')) return value.join(', ');
  }
  return '';
}
