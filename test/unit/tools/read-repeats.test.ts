import { afterAll, beforeAll, expect, test } from 'vitest';
import '../../../tools/files.ts';
import '../../../tools/todo.ts';
import { registry } from '../../../tools/registry.ts';
import { openToolBench, type ToolBench } from '../../support/tool-context.ts';

let bench: ToolBench;
beforeAll(async () => { bench = await openToolBench(); });
afterAll(() => bench.close());

async function read(): Promise<string> {
  return JSON.stringify(await registry.dispatch('search_files', { pattern: 'x' }, bench.context()));
}

test('the fourth identical read in a row is refused, and any other tool in between ends the row', async () => {
  for (let round = 0; round < 3; round += 1) await read();
  expect(await read()).toContain('error');
  // It fails for want of a list in this test; that it was called is what counts.
  await registry.dispatch('todo', { todos: 'x' }, bench.context());
  expect(await read()).not.toContain('error');
});
