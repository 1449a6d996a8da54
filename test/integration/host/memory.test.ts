/** The memory files as a person edits them. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
beforeAll(async () => { bench = await openHostBench({ withoutModel: true, yaml: 'memory:\n  user_char_limit: 40\n' }); });
afterAll(() => bench.close());
const file = async (target: 'memory' | 'user') => {
  const found = (await bench.request('memory.list', {})).find((each) => each.target === target);
  if (found === undefined) throw new Error(`no ${target}`);
  return found;
};

test('both files are there with their limits before anything was written', async () => {
  expect(await file('memory')).toMatchObject({ text: '', chars: 0, limit: 2_200 });
  expect(await file('user')).toMatchObject({ text: '', limit: 40 });
});

test('what is saved is read by the memory tool, and the tool writes what is then read here', async () => {
  const { version } = await file('memory');
  const saved = await bench.request('memory.save', { target: 'memory', text: 'Uses pnpm.\r\n§\r\nTests run in CI.\n\n', version });
  expect(saved.text).toBe('Uses pnpm.\n§\nTests run in CI.\n');
  expect((await stat(saved.path)).mode & 0o777).toBe(0o600);
  const { id: sessionId } = await bench.session();
  await bench.host.callTool('memory', { action: 'replace', target: 'memory', old_text: 'pnpm', content: 'Uses npm.' }, { sessionId, signal: AbortSignal.timeout(10_000) });
  expect((await file('memory')).text).toBe('Uses npm.\n§\nTests run in CI.\n');
  await expect(bench.request('memory.save', { target: 'memory', text: 'mine', version: saved.version })).rejects.toMatchObject({ code: 'request/not-possible', message: expect.stringContaining('changed meanwhile') as string });
  expect(await readFile(saved.path, 'utf8')).toContain('Uses npm.');
});

test('more than the limit is refused, and nothing is written', async () => {
  const { version } = await file('user');
  await expect(bench.request('memory.save', { target: 'user', text: 'x'.repeat(41), version })).rejects.toMatchObject({ code: 'request/invalid' });
  expect((await file('user')).text).toBe('');
});

test('a folder in its place is an error, not an empty file', async () => {
  await mkdir(join(bench.home, 'memories', 'USER.md'), { recursive: true });
  await expect(bench.request('memory.list', {})).rejects.toBeDefined();
});
