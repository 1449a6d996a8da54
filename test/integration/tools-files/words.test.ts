/** What a place says about a path reaches the model in words with the next step, not as a fault of the tool. */
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
beforeAll(async () => {
  bench = await openHostBench({ withoutModel: true, yaml: 'approvals:\n  mode: off\n' });
  await symlink('loop-b', join(bench.folder, 'loop-a'));
  await symlink('loop-a', join(bench.folder, 'loop-b'));
  await writeFile(join(bench.folder, 'file.txt'), 'x\n');
});
afterAll(() => bench.close());

test.each([
  ['write_file', { path: 'loop-a', content: 'x' }, /links lead in a circle/],
  ['read_file', { path: 'loop-a' }, /links lead in a circle/],
  ['write_file', { path: 'file.txt/inner.txt', content: 'x' }, /already exists\. A file stands where a folder of the path would be/],
  ['write_file', { path: `${'n'.repeat(300)}.txt`, content: 'x' }, /the name is too long/],
  ['write_file', { path: '/proc/1/made.txt', content: 'x' }, /no such file or directory\. Check the path/],
  ['write_file', { path: '/sys/made.txt', content: 'x' }, /permission denied\. Choose another place/],
])('%s %j', async (tool, args, words) => {
  const { fullText } = await bench.host.callTool(tool, args, { sessionId: (await bench.session()).id, signal: AbortSignal.timeout(20_000) });
  const { error } = JSON.parse(fullText) as { readonly error: string };
  expect(error).toMatch(words);
  expect(error).not.toMatch(/TOOL_ERROR|EnvironmentError/);
});
