import { describe, expect, test } from 'vitest';
import '../../../tools/todo.ts';
import type { TodoRecord, ToolProgress } from '../../../tools/context.ts';
import { registry } from '../../../tools/registry.ts';
import { contextOf, parsed } from '../calls/support.ts';

function list(initial: readonly TodoRecord[] = []): { run: (args: Record<string, unknown>) => Promise<Record<string, unknown>>; stored: () => readonly TodoRecord[]; told: ToolProgress[] } {
  let stored = initial;
  const told: ToolProgress[] = [];
  const context = contextOf({ services: { todos: { read: () => stored, write: (_session, todos) => { stored = todos; } } }, emit: (event) => told.push(event) });
  return { run: async (args) => parsed(await registry.dispatch('todo', args, context)), stored: () => stored, told };
}
const item = (id: string, content = id, status: TodoRecord['status'] = 'pending'): TodoRecord => ({ id, content, status });

describe('todo', () => {
  test('reads without arguments and changes nothing', async () => {
    const { run, told } = list([item('a', 'A', 'in_progress'), item('b', 'B', 'completed')]);
    expect(await run({})).toEqual({ todos: [item('a', 'A', 'in_progress'), item('b', 'B', 'completed')], summary: { total: 2, pending: 0, in_progress: 1, completed: 1, cancelled: 0 } });
    expect(told).toEqual([]);
  });

  test('replaces the list, tells the screen, keeps parents', async () => {
    const { run, stored, told } = list([item('old')]);
    await run({ todos: [item('a'), { ...item('b'), parent: 'a' }] });
    expect(stored()).toEqual([item('a'), { ...item('b'), parent: 'a' }]);
    expect(told).toEqual([{ kind: 'todos', todos: stored() }]);
    await run({ todos: [] });
    expect(stored()).toEqual([]);
  });

  test('merging updates only the given fields of known ids and appends the others', async () => {
    const { run, stored } = list([{ ...item('a', 'A'), parent: 'p' }, item('b', 'B')]);
    await run({ merge: true, todos: [{ id: 'c', content: 'C' }, { id: 'a', status: 'completed' }, { id: 'b', content: 'B2', parent: 'a' }] });
    expect(stored()).toEqual([{ ...item('a', 'A', 'completed'), parent: 'p' }, { ...item('b', 'B2'), parent: 'a' }, item('c', 'C')]);
    await run({ merge: true, todos: [{ id: 'a', parent: '' }] });
    expect(stored()[0]).toEqual(item('a', 'A', 'completed'));
  });

  test('of items with one id the last counts, at its place', async () => {
    const { run, stored } = list();
    await run({ todos: [item('a', 'first'), item('b'), item('a', 'second')] });
    expect(stored()).toEqual([item('b'), item('a', 'second')]);
  });

  test.each([
    [{ id: 'x', content: 'c', status: 'done?' }, item('x', 'c')], [{ id: 'x', content: '  ', status: 'pending' }, item('x', '(no description)')],
    [{ content: 'c', status: 'cancelled' }, item('?', 'c', 'cancelled')], [{ id: 7, content: 'c', status: ' In_Progress ' }, item('7', 'c', 'in_progress')], [{}, item('?', '(no description)')],
  ])('%j becomes %j', async (given, expected) => {
    const { run, stored } = list();
    await run({ todos: [given] });
    expect(stored()).toEqual([expected]);
  });

  test('a long text is cut with a mark, a long list with a note', async () => {
    const { run, stored } = list();
    const result = await run({ todos: Array.from({ length: 300 }, (_, index) => item(String(index), 'x'.repeat(5_000))) });
    expect(stored()).toHaveLength(256);
    expect(stored()[0]?.content).toHaveLength(4_000);
    expect(stored()[0]?.content).toMatch(/… \[truncated\]$/);
    expect(result['note']).toContain('44');
  });

  test.each([[{ todos: 'x' }], [{ todos: ['x'] }], [{ todos: [null] }], [{ todos: 5 }]])('%j is refused and loses nothing', async (args) => {
    const { run, stored } = list([item('kept')]);
    expect((await run(args))['error']).toContain('unchanged');
    expect(stored()).toEqual([item('kept')]);
  });
});
