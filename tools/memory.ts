/** Facts that last longer than a chat. */
import type { ToolContext } from './context.ts';
import { noteFull, noteWritten } from './memory/attempts.ts';
import { applyOperation, type Operation, sizeOf, usage } from './memory/entries.ts';
import { changeEntries, DriftError, type Target } from './memory/files.ts';
import { findThreat } from './shared/threats.ts';
import { registry } from './registry.ts';
import { toolError, toolResult } from './result.ts';

const ACTIONS = ['add', 'replace', 'remove'] as const;
const OPERATION = {
  action: { type: 'string', enum: [...ACTIONS], description: 'add an entry, replace one, or remove one.' },
  content: { type: 'string', description: 'The entry (add, replace).' },
  old_text: { type: 'string', description: 'A piece of the entry to change that no other entry has (replace, remove).' },
};

registry.register({
  name: 'memory',
  toolset: 'memory',
  emoji: '🧠',
  checksOwnArguments: true,
  handler: memory,
  schema: {
    description: "Remember facts for later chats. target 'user': who the person is and how they like things; target 'memory': your own notes on environment, conventions, lessons. "
      + 'Save what stays true and saves the person from repeating it; not task progress, not what is easily found again. Both stores are small: replace and merge entries rather than add. '
      + 'What you write is in the prompt of later chats, not of this one. operations does several changes at once, all or none.',
    parameters: {
      type: 'object',
      properties: {
        ...OPERATION,
        target: { type: 'string', enum: ['memory', 'user'], description: 'Which store.' },
        operations: { type: 'array', items: { type: 'object', properties: OPERATION, required: ['action'] }, description: 'Several changes of the same store, instead of action.' },
      },
      required: ['action', 'target'],
    },
  },
});

/** Characters; config.yaml may say otherwise. */
const LIMITS: Readonly<Record<Target, { readonly key: string; readonly chars: number }>> = {
  memory: { key: 'memory.memory_char_limit', chars: 2_200 },
  user: { key: 'memory.user_char_limit', chars: 1_375 },
};

const failed = (error: string, extra: Record<string, unknown> = {}): string => toolError(error, { success: false, ...extra });

async function memory(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const target = args['target'] ?? 'memory';
  if (target !== 'memory' && target !== 'user') return failed(`Unknown target ${JSON.stringify(target)}. Use 'memory' or 'user'.`);
  const operations = operationsFrom(args);
  if (typeof operations === 'string') return failed(operations);
  for (const { content } of operations) {
    const threat = findThreat(content);
    if (threat !== undefined) return failed(`Blocked: the content looks like ${threat}. Memory becomes part of the system prompt, so it takes plain facts only.`);
  }
  const refused = await askPerson(target, operations, context);
  if (refused !== undefined) return failed(refused);
  try {
    return await write(target, operations, context);
  } catch (error) {
    if (error instanceof DriftError) return failed(error.message, { backup: error.backup });
    throw error;
  }
}

function operationsFrom(args: Readonly<Record<string, unknown>>): readonly Operation[] | string {
  const several = args['operations'];
  const given: unknown[] = Array.isArray(several) && several.length > 0 ? several : [args];
  const operations: Operation[] = [];
  for (const [index, item] of given.entries()) {
    const where = given === several ? `operations[${String(index)}]: ` : '';
    const fields: Readonly<Record<string, unknown>> = typeof item === 'object' && item !== null ? item as Record<string, unknown> : {}; // cast: an object, read field by field
    const action = ACTIONS.find((name) => name === fields['action']);
    if (action === undefined) return `${where}Unknown action ${JSON.stringify(fields['action'] ?? null)}. Use add, replace or remove.`;
    const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
    operations.push({ action, content: text('content'), oldText: text('old_text') });
  }
  return operations;
}

/** `memory.write_approval` of config.yaml: a person agrees to each write. Undefined = go on. */
async function askPerson(target: Target, operations: readonly Operation[], { services, cwd, sessionId, taskId, toolCallId, signal, emit }: ToolContext): Promise<string | undefined> {
  if (services.config.get('memory.write_approval') !== true) return undefined;
  const words = operations.map(({ action, content, oldText }) => [action, oldText === '' ? '' : `'${oldText}'`, content].filter((part) => part !== '').join(' ')).join('\n');
  const outcome = await services.approvals.review({
    tool: 'memory', command: words, cwd, sessionId, taskId, toolCallId, signal,
    requirePerson: { description: `Write to the ${target === 'user' ? 'user profile' : 'memory'} file`, ruleKey: 'memory_write' },
    onWaiting: (approvalId, waiting) => emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }),
  });
  return outcome.approved ? undefined : outcome.message ?? 'The person did not agree to this memory.';
}

async function write(target: Target, operations: readonly Operation[], { services, sessionId, turnId, userTask }: ToolContext): Promise<string> {
  const { key, chars } = LIMITS[target];
  const configured = services.config.get(key);
  const limit = typeof configured === 'number' && configured > 0 ? configured : chars;
  let answer = '';
  await changeEntries(services.paths.home, target, limit, (before) => {
    let entries = before;
    const messages: string[] = [];
    for (const [index, operation] of operations.entries()) {
      const change = applyOperation(entries, operation);
      if (change.kind === 'refused') {
        const where = operations.length > 1 ? `operations[${String(index)}]: ` : '';
        answer = failed(`${where}${change.error}${where === '' ? '' : ' Nothing was changed.'}`, change.matches === undefined ? { current_entries: before } : { matches: change.matches });
        return undefined;
      }
      if (change.kind === 'changed') entries = change.entries;
      messages.push(change.message);
    }
    const size = sizeOf(entries);
    // A change that makes an overfull store smaller is on the way out of it.
    if (size > limit && size >= sizeOf(before)) {
      answer = full(before, limit, operations, noteFull(sessionId, turnId ?? userTask ?? ''));
      return undefined;
    }
    noteWritten(sessionId);
    answer = toolResult({
      success: true, done: true, target, usage: usage(size, limit), entry_count: entries.length, message: messages.join(' '),
      ...(size > limit * 0.8 ? { note: 'The store is nearly full: merge or remove entries before adding more.' } : {}),
    });
    return entries === before ? undefined : entries;
  });
  return answer;
}

function full(entries: readonly string[], limit: number, operations: readonly Operation[], stop: boolean): string {
  const size = sizeOf(entries);
  const [first] = operations;
  const what = operations.length === 1 && first?.action === 'add' ? `Adding this entry (${String(first.content.trim().length)} chars)` : 'This change';
  const next = stop
    ? 'Stop retrying in this turn: tell the person that memory is full and what you wanted to keep.'
    : 'Replace or remove entries first, or do both at once with operations.';
  return failed(`Memory at ${size.toLocaleString('en-US')}/${limit.toLocaleString('en-US')} chars. ${what} would exceed the limit. ${next}`, {
    current_entries: entries, usage: usage(size, limit), ...(stop ? { done: true, stop_retrying: true } : {}),
  });
}
