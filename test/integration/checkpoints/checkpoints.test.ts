/** Files as they were before tools changed them: kept without touching the person's own repository, shown, and put back. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Checkpoint, SessionId } from '../../../preload/contract/index.ts';
import { runCli } from '../../../main/shells/cli/main.ts';
import { testStreams } from '../../support/cli-host.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
let sessionId: SessionId;
beforeEach(async () => {
  bench = await openHostBench({ yaml: 'approvals: {mode: off}\n' });
  sessionId = (await bench.session()).id;
});
afterEach(() => bench.close());

const at = (name: string) => join(bench.folder, name);
const text = (name: string) => readFile(at(name), 'utf8');

async function call(name: string, args: object): Promise<Record<string, unknown>> {
  const outcome = await bench.host.callTool(name, args, { sessionId, signal: AbortSignal.timeout(25_000) });
  return JSON.parse(outcome.fullText) as Record<string, unknown>; // tools answer with JSON objects
}

async function newest(): Promise<Checkpoint> {
  const [first] = await bench.request('checkpoints.list', { sessionId });
  if (first === undefined) throw new Error('nothing was kept');
  return first;
}

test('a file that a tool changed is shown as a diff and put back, and putting back can be undone', async () => {
  await writeFile(at('notes.txt'), 'one\ntwo\n');
  await chmod(at('notes.txt'), 0o640);
  expect(await call('write_file', { path: 'notes.txt', content: 'one\nthree\n' })).toMatchObject({ files_modified: [at('notes.txt')] });
  const kept = await newest();
  expect(kept).toMatchObject({ tool: 'write_file', backend: 'local', root: bench.folder, paths: ['notes.txt'], sessionId, skipped: [] });
  const { changes, text: diff } = await bench.request('checkpoints.diff', { id: kept.id });
  expect(changes).toEqual([{ path: 'notes.txt', state: 'changed' }]);
  expect(diff).toContain('-two\n+three\n');
  const restored = await bench.request('checkpoints.restore', { id: kept.id });
  expect(restored).toMatchObject({ restored: ['notes.txt'], removed: [], failed: [] });
  expect(await text('notes.txt')).toBe('one\ntwo\n');
  expect((await stat(at('notes.txt'))).mode & 0o777).toBe(0o640);
  if (restored.undo === null) throw new Error('there is no way back');
  await bench.request('checkpoints.restore', { id: restored.undo });
  expect(await text('notes.txt')).toBe('one\nthree\n');
  expect(bench.host.terminals.drainNotices(sessionId).join('\n')).toContain(`put files in ${bench.folder} back`);
});

test('a file that a tool made is taken away again, and one that a patch deleted comes back', async () => {
  await writeFile(at('old.txt'), 'kept\n');
  await call('patch', { patch: '*** Begin Patch\n*** Add File: fresh.txt\n+hello\n*** Delete File: old.txt\n*** End Patch' });
  expect(existsSync(at('fresh.txt')) && !existsSync(at('old.txt'))).toBe(true);
  const kept = await newest();
  expect((await bench.request('checkpoints.diff', { id: kept.id })).changes).toEqual([{ path: 'fresh.txt', state: 'created' }, { path: 'old.txt', state: 'deleted' }]);
  expect(await bench.request('checkpoints.restore', { id: kept.id })).toMatchObject({ restored: ['old.txt'], removed: ['fresh.txt'] });
  expect(existsSync(at('fresh.txt'))).toBe(false);
  expect(await text('old.txt')).toBe('kept\n');
});

test('one file alone is put back, or everything since', async () => {
  await writeFile(at('a.txt'), 'a0');
  await writeFile(at('b.txt'), 'b0');
  await call('write_file', { path: 'a.txt', content: 'a1' });
  const first = await newest();
  await call('write_file', { path: 'b.txt', content: 'b1' });
  await call('write_file', { path: 'a.txt', content: 'a2' });
  expect(await bench.request('checkpoints.restore', { id: first.id, since: true, path: 'a.txt' })).toMatchObject({ restored: ['a.txt'] });
  expect([await text('a.txt'), await text('b.txt')]).toEqual(['a0', 'b1']);
  expect((await bench.request('checkpoints.restore', { id: first.id, since: true })).restored).toEqual(['b.txt']);
  expect([await text('a.txt'), await text('b.txt')]).toEqual(['a0', 'b0']);
});

test('what a destructive command took from a repository comes back, and the repository itself is as it was', async () => {
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: bench.folder, encoding: 'utf8' });
  git('init', '-q');
  await mkdir(at('src/deep'), { recursive: true });
  await mkdir(at('node_modules/x'), { recursive: true });
  await writeFile(at('node_modules/x/index.js'), 'x');
  await writeFile(at('.gitignore'), '*.tmp\n');
  await writeFile(at('.gitattributes'), '* text=auto eol=lf filter=evil\n');
  await writeFile(at('src/deep/crlf.txt'), 'a\r\nb\r\n');
  await writeFile(at('src/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(at('src/skip.tmp'), 'never');
  git('config', 'filter.evil.clean', `touch ${at('pwned')}; cat`);
  git('add', 'src/run.sh');
  const before = [git('status', '--porcelain'), git('ls-files', '-s'), await readFile(at('.git/config'), 'utf8'), (await readdir(at('.git'))).sort().join(' ')];
  await rm(at('pwned'), { force: true }); // the person's own git has run it
  expect(await call('terminal', { command: 'rm -rf src && echo gone' })).toMatchObject({ output: 'gone', exit_code: 0 });
  expect(existsSync(at('src'))).toBe(false);
  const kept = await newest();
  expect(kept).toMatchObject({ tool: 'terminal', reason: 'rm -rf src && echo gone', paths: ['src'] });
  expect(await bench.request('checkpoints.restore', { id: kept.id })).toMatchObject({ restored: ['src/deep/crlf.txt', 'src/run.sh'], failed: [] });
  expect(await text('src/deep/crlf.txt')).toBe('a\r\nb\r\n');
  expect((await stat(at('src/run.sh'))).mode & 0o777).toBe(0o755);
  expect(existsSync(at('src/skip.tmp'))).toBe(false);
  expect(existsSync(at('pwned'))).toBe(false);
  expect([git('status', '--porcelain'), git('ls-files', '-s'), await readFile(at('.git/config'), 'utf8'), (await readdir(at('.git'))).sort().join(' ')]).toEqual(before);
});

test('files that came after a command are left alone when its directory is put back', async () => {
  await mkdir(at('data'));
  await writeFile(at('data/one'), '1');
  await call('terminal', { command: 'mv data/one data/moved' });
  await call('terminal', { command: 'rm -r data/moved; echo later > data/later' });
  const [, first] = await bench.request('checkpoints.list', { sessionId });
  if (first === undefined) throw new Error('the first command was not kept');
  expect(await bench.request('checkpoints.restore', { id: first.id, path: 'data/one' })).toMatchObject({ restored: ['data/one'] });
  expect(await text('data/later')).toBe('later\n');
});

test('a link that was put in the way is not followed', async () => {
  await mkdir(at('dir'));
  await writeFile(at('dir/file'), 'mine');
  await call('write_file', { path: 'dir/file', content: 'changed' });
  const kept = await newest();
  await rm(at('dir'), { recursive: true });
  await mkdir(at('victim'));
  await symlink(at('victim'), at('dir'));
  expect(await bench.request('checkpoints.restore', { id: kept.id })).toMatchObject({ restored: [], failed: [{ path: 'dir/file', why: expect.stringContaining('link') as string }], undo: null });
  expect(await readdir(at('victim'))).toEqual([]);
});

test('large files and those that are gone are named, ids that nobody knows are refused', async () => {
  await writeFile(at('large.bin'), Buffer.alloc(10 * 1024 * 1024 + 1));
  await call('terminal', { command: 'rm large.bin' });
  expect((await newest()).skipped).toEqual([{ path: 'large.bin', why: expect.stringContaining('too large') as string }]);
  await expect(bench.request('checkpoints.diff', { id: 'cp_000000000000' })).rejects.toMatchObject({ code: 'not-found' });
  await expect(bench.request('checkpoints.diff', { id: (await newest()).id, path: '../etc/passwd' })).rejects.toMatchObject({ code: 'not-found' });
});

test('reading commands keep nothing, and config.yaml can switch it off', async () => {
  await writeFile(at('a'), '1');
  await call('terminal', { command: 'cat a; ls' });
  expect(await bench.request('checkpoints.list', {})).toEqual([]);
  await bench.host.close();
  await bench.restart();
  await writeFile(join(bench.home, 'config.yaml'), `${await readFile(join(bench.home, 'config.yaml'), 'utf8')}checkpoints: {enabled: false}\n`);
  await bench.restart();
  await call('write_file', { path: 'a', content: '2' });
  expect(await bench.request('checkpoints.list', {})).toEqual([]);
});

test('checkpoints outlive the app, and only the newest of a directory are kept', async () => {
  await bench.host.close();
  await writeFile(join(bench.home, 'config.yaml'), `${await readFile(join(bench.home, 'config.yaml'), 'utf8')}checkpoints: {max_snapshots: 3}\n`);
  await bench.restart();
  await writeFile(at('n'), '0');
  for (let round = 1; round <= 5; round++) await call('write_file', { path: 'n', content: String(round) });
  await bench.restart();
  const list = await bench.request('checkpoints.list', { sessionId });
  expect(list).toHaveLength(3);
  const oldest = list.at(-1);
  if (oldest === undefined) throw new Error('nothing was kept');
  await bench.request('checkpoints.restore', { id: oldest.id });
  expect(await text('n')).toBe('2');
});

test('the command line lists, shows and puts back', async () => {
  await writeFile(at('cli.txt'), 'before\n');
  await call('write_file', { path: 'cli.txt', content: 'after\n' });
  const { id } = await newest();
  const run = async (...argv: string[]) => {
    const streams = testStreams({ interactive: false });
    // The host of the test stays open for the next command.
    const code = await runCli(['checkpoints', ...argv], { streams, serve: () => Promise.resolve(0), openHost: () => Promise.resolve({ ...bench.host, close: () => Promise.resolve() }) });
    return { code, out: streams.out(), err: streams.err() };
  };
  expect((await run('list')).out).toContain(`${id}  `);
  expect((await run('diff', id, 'cli.txt')).out).toContain('-before\n+after');
  expect(await run('restore', id)).toMatchObject({ code: 0, out: expect.stringMatching(/^✓ cli\.txt\nTo undo: talaria checkpoints restore cp_[0-9a-f]{12}\n$/) as string });
  expect(await text('cli.txt')).toBe('before\n');
  expect((await run('diff', id)).out).toBe('Nothing is different from then.\n');
  expect(await run('restore', 'nonsense')).toMatchObject({ code: 2, err: expect.stringContaining('cp_0123456789ab') as string });
  expect((await run('restore', 'cp_000000000000')).code).toBe(1);
});
