/** The task list's rules (hermes-runtime 7.4). Pure. */
import type { TodoRecord } from '../context.ts';

export const MAX_TODOS = 256;
export const MAX_CONTENT_CHARS = 4_000;
const CUT_MARK = '… [truncated]';
export const STATUSES = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
type Status = (typeof STATUSES)[number];

/** What a model sent for one item: any field may be missing or of any kind. */
export type GivenTodo = Readonly<Record<string, unknown>>;

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function contentFrom(value: unknown): string {
  const content = text(value);
  if (content === '') return '(no description)';
  return content.length <= MAX_CONTENT_CHARS ? content : content.slice(0, MAX_CONTENT_CHARS - CUT_MARK.length) + CUT_MARK;
}

function statusFrom(value: unknown): Status {
  const given = text(value).toLowerCase();
  return STATUSES.find((status) => status === given) ?? 'pending';
}

const idFrom = (value: unknown): string => text(value) || '?';

function complete(given: GivenTodo): TodoRecord {
  const parent = text(given['parent']);
  return { id: idFrom(given['id']), content: contentFrom(given['content']), status: statusFrom(given['status']), ...(parent === '' ? {} : { parent }) };
}

/** Items with the same id: the last one counts, at its place. */
function lastOfEach<T>(items: readonly T[], idOf: (item: T) => string): T[] {
  const last = new Map(items.map((item, index) => [idOf(item), index]));
  return items.filter((item, index) => last.get(idOf(item)) === index);
}

function patched(todo: TodoRecord, given: GivenTodo): TodoRecord {
  const { parent: oldParent, ...rest } = todo;
  const parent = given['parent'] === undefined ? oldParent ?? '' : text(given['parent']);
  return {
    ...rest,
    ...(text(given['content']) === '' ? {} : { content: contentFrom(given['content']) }),
    ...(text(given['status']) === '' ? {} : { status: statusFrom(given['status']) }),
    ...(parent === '' ? {} : { parent }),
  };
}

/** The new list. `merge` updates only the given fields of known ids and appends the others; without it the given items are the list. */
export function applyTodos(current: readonly TodoRecord[], given: readonly GivenTodo[], merge: boolean): { todos: TodoRecord[]; dropped: number } {
  const incoming = lastOfEach(given, (item) => idFrom(item['id']));
  let todos: TodoRecord[];
  if (merge) {
    const changes = new Map(incoming.map((item) => [idFrom(item['id']), item]));
    const known = new Set(current.map(({ id }) => id));
    todos = [
      ...current.map((todo) => { const change = changes.get(todo.id); return change === undefined ? todo : patched(todo, change); }),
      ...incoming.filter((item) => !known.has(idFrom(item['id']))).map(complete),
    ];
  } else todos = incoming.map(complete);
  return { todos: todos.slice(0, MAX_TODOS), dropped: Math.max(0, todos.length - MAX_TODOS) };
}

export function summarise(todos: readonly TodoRecord[]): Record<'total' | Status, number> {
  const count = (status: Status): number => todos.filter((todo) => todo.status === status).length;
  return { total: todos.length, pending: count('pending'), in_progress: count('in_progress'), completed: count('completed'), cancelled: count('cancelled') };
}
