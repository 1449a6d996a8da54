/** The plan of each chat, kept over restarts. */
import { z } from 'zod';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { TodoRecord } from '../../tools/context.ts';
import type { ParsedObject } from '../agent/commands.ts';
import type { Log, Storage, TodoStore } from '../ports.ts';

const Stored = z.array(z.object({
  id: z.string(), content: z.string(), status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']), parent: z.string().optional(),
}));

const recordsOf = (stored: z.infer<typeof Stored>): TodoRecord[] => stored.map(({ parent, ...todo }) => (parent === undefined ? todo : { ...todo, parent }));

/** The plan that an answer of the `todo` tool shows; none where it cannot be read. */
export function todosIn(answer: ParsedObject): TodoRecord[] {
  const read = answer.kind === 'object' ? Stored.safeParse(answer.value['todos']) : undefined;
  return read?.success === true ? recordsOf(read.data) : [];
}

export function createTodoStore(values: Storage['values'], log: Log): TodoStore {
  const keyOf = (sessionId: string): string => `todos:${sessionId}`;

  function read(sessionId: string): readonly TodoRecord[] {
    const stored = values.get(keyOf(sessionId));
    if (stored === undefined) return [];
    const parsed = Stored.safeParse(JSON.parse(stored));
    if (!parsed.success) {
      log.warn('the stored plan of a chat cannot be read; it is taken as empty', { sessionId });
      return [];
    }
    return recordsOf(parsed.data);
  }

  return {
    read,
    write: (sessionId, todos) => values.set(keyOf(sessionId), todos.length === 0 ? undefined : JSON.stringify(todos)),
    list: (sessionId: SessionId) => read(sessionId).map(({ id, content, status }) => ({ id, content, status })),
  };
}
