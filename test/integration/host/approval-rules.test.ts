/** Rules, blast radius and yolo through the real host, as screens reach them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { RequestInput } from '../../../preload/contract/index.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const benches: HostBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

async function open(options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openHostBench(options);
  benches.push(bench);
  for (const name of ['one', 'two', 'three']) {
    await mkdir(join(bench.folder, name));
    await writeFile(join(bench.folder, name, 'file'), 'x');
  }
  return bench;
}
const there = (bench: HostBench, ...names: string[]): boolean[] => names.map((name) => existsSync(join(bench.folder, name)));

test('"always" with a rule saves what was shown, for the program that was shown, and counts until it is taken back', async () => {
  const bench = await open();
  const { id: sessionId } = await bench.session();
  const said = bench.say(sessionId, '!rm -rf one');
  const request = await bench.approval();
  const { levels } = await bench.request('approvalRules.preview', { id: request.id, scope: 'project' });
  expect(levels.map(({ texts }) => texts)).toEqual([['rm -rf one'], ['rm -rf one …'], ['rm -rf …']]);
  expect(levels[2]).toMatchObject({ warnings: ['"rm -rf …" deletes whatever is named behind it.'], drafts: [{ path: expect.stringMatching(/^\/.*\/rm$/), scope: { kind: 'project', root: bench.folder }, backend: 'local' }] });
  const decided = await bench.request('approvals.decide', { id: request.id, choice: 'always', rule: { level: levels[2]!.id, scope: 'project' } });
  expect(decided.savedRules).toEqual([`allow rm -rf … (in ${bench.folder}, local)`]);
  await said;
  await bench.say(sessionId, '!rm -rf two');
  expect(there(bench, 'one', 'two', 'three')).toEqual([false, false, true]);
  expect((await bench.request('allowlist.test', { command: 'rm -rf three && git push -f', sessionId })).parts.map(({ verdict }) => verdict)).toEqual(['allow', 'ask']);
  const [listed] = await bench.request('approvalRules.list', {});
  expect(listed).toMatchObject({ holds: true, rule: { uses: 1, createdIn: sessionId } });
  expect(await bench.request('approvalRules.remove', { id: listed!.rule.id })).toEqual([]);
  const again = bench.say(sessionId, '!rm -rf three');
  await bench.request('approvals.decide', { id: (await bench.approval()).id, choice: 'deny' });
  await again;
  expect(there(bench, 'three')).toEqual([true]);
});

test('what a command reaches is on its card a moment after the question', async () => {
  const bench = await open();
  const { id: sessionId } = await bench.session();
  const looked = bench.next('approvals', ({ request }) => request.blast !== undefined);
  const said = bench.say(sessionId, '!sudo -n rm -rf one two');
  const { request } = await looked;
  // On a busy machine the look may run out of time: then it says so.
  expect(request.blast).toMatchObject(request.blast?.state === 'known' ? { paths: [join(bench.folder, 'one'), join(bench.folder, 'two')], outside: 0, privilege: 'root' } : { count: null, privilege: 'root', why: expect.any(String) });
  await bench.request('approvals.decide', { id: request.id, choice: 'deny' });
  await said;
});

test('approvals are switched off in one chat only, and a chat that is not there is not found', async () => {
  const bench = await open();
  const { id: sessionId } = await bench.session();
  expect(await bench.request('approvals.setYolo', { sessionId, on: true })).toEqual({ process: false, sessions: [sessionId] });
  await bench.say(sessionId, '!rm -rf one');
  expect(there(bench, 'one')).toEqual([false]);
  await expect(bench.request('approvals.setYolo', { sessionId: 'ses_000000000000', on: true })).rejects.toMatchObject({ code: 'not-found' });
  await bench.restart();
  expect(await bench.request('approvals.yolo', {})).toEqual({ process: false, sessions: [] });
});

test('HERMES_YOLO_MODE counts as it was at the start', async () => {
  const bench = await open({ env: { HERMES_YOLO_MODE: '1' } });
  expect(await bench.request('approvals.yolo', {})).toEqual({ process: true, sessions: [] });
});

test('rules leave one home and enter another, those that allow by their id only', async () => {
  const [from, to] = [await open(), await open()];
  const rule = { kind: 'deny', pattern: 'git push *prod*', scope: { kind: 'everywhere' }, backend: null, expiresAt: null, maxUses: null, examples: { matches: ['git push -f prod'], not: ['git pull prod'] } } satisfies RequestInput<'approvalRules.add'>['rule'];
  await from.request('approvalRules.add', { rule });
  const { text } = await from.request('approvalRules.export', {});
  const { items } = await to.request('approvalRules.importPreview', { text });
  expect(items).toMatchObject([{ kind: 'deny', state: 'new', text: 'deny git push *prod* (everywhere, any backend)' }]);
  expect((await to.request('allowlist.test', { command: 'git push prod' })).verdict).toBe('allow');
  await to.request('approvalRules.importAccept', { text, ids: items.map(({ id }) => id) });
  expect((await to.request('allowlist.test', { command: 'git push prod' })).verdict).toBe('block');
  expect(await to.request('approvals.export', { format: 'json' })).toEqual({ text: '[]\n', count: 0 });
});
