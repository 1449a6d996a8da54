/** A person's own tool calls, outside any turn, on the whole path. */
import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
beforeAll(async () => { bench = await openHostBench({ withoutModel: true }); });
afterAll(() => bench.close());

test('a tried tool answers, and leaves no message in the chat', async () => {
  const { id: sessionId } = await bench.session();
  await writeFile(join(bench.folder, 'a.txt'), 'hello there\n');
  const tried = await bench.request('tools.try', { sessionId, tryId: 'one', name: 'read_file', args: { path: 'a.txt', limit: '5' } });
  expect(tried).toMatchObject({ status: 'ok', result: expect.stringContaining('hello there') as string, repairs: [expect.stringContaining('limit')] });
  expect(await bench.messages(sessionId)).toEqual([]);
});

test('wrong arguments are answered in the words that a model reads', async () => {
  const { id: sessionId } = await bench.session();
  const tried = await bench.request('tools.try', { sessionId, tryId: 'two', name: 'read_file', args: { file: 'a.txt' } });
  expect(tried.status).toBe('error');
  expect(tried.result).toContain('path');
  expect((await bench.request('tools.try', { sessionId, tryId: 'three', name: 'read_fil', args: {} })).result).toContain('read_file');
});

test('a dangerous command waits for an approval, and does not run when it is denied', async () => {
  const { id: sessionId } = await bench.session();
  const victim = join(bench.folder, 'victim');
  await writeFile(victim, 'x');
  const tried = bench.request('tools.try', { sessionId, tryId: 'four', name: 'terminal', args: { command: `rm -rf ${victim}` } });
  const { id } = await bench.approval();
  await bench.request('approvals.decide', { id, choice: 'deny' });
  expect((await tried).status).not.toBe('ok');
  expect(existsSync(victim)).toBe(true);
});

test('it can be stopped while it runs, and the same call cannot be begun twice', async () => {
  const { id: sessionId } = await bench.session();
  const call = { sessionId, tryId: 'five', name: 'terminal', args: { command: 'echo begun; sleep 600' } } as const;
  const begun = bench.next('terminals', (event) => event.type === 'changed' && event.terminal.command.includes('sleep 600'));
  const tried = bench.request('tools.try', call);
  await begun;
  await expect(bench.request('tools.try', call)).rejects.toMatchObject({ code: 'request/not-possible' });
  await bench.request('tools.stop', { tryId: 'five' });
  expect((await tried).status).toBe('cancelled');
  expect(await bench.request('tools.stop', { tryId: 'five' })).toEqual({});
});
