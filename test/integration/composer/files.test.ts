/** `@` in the composer: which files are offered, and what is not run or opened for it. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
beforeEach(async () => { bench = await openHostBench(); });
afterEach(() => bench.close());

const git = (...args: string[]): void => { execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main', ...args], { cwd: bench.folder, stdio: 'ignore' }); };
const write = async (...paths: string[]): Promise<void> => {
  for (const path of paths) {
    await mkdir(join(bench.folder, path, '..'), { recursive: true });
    await writeFile(join(bench.folder, path), 'words');
  }
};

test('a repository shows what git knows and what is new, without what is ignored or gone', async () => {
  git('init');
  await write('src/app.ts', 'src/gone.ts', 'build/out.js', 'my notes.txt', '.github/ci.yml');
  await writeFile(join(bench.folder, '.gitignore'), 'build/\n');
  git('add', '-A');
  await write('src/fresh.ts');
  await rm(join(bench.folder, 'src/gone.ts'));
  const { id: sessionId } = await bench.session();
  const { paths, note } = await bench.request('composer.files', { sessionId, query: '' });
  expect(note).toBeNull();
  expect(paths.toSorted()).toEqual(['.github/', '.github/ci.yml', '.gitignore', 'my notes.txt', 'src/', 'src/app.ts', 'src/fresh.ts']);
  expect((await bench.request('composer.files', { sessionId, query: 'fre' })).paths).toEqual(['src/fresh.ts']);
});

test('a program that a repository names for its file watching is not run', async () => {
  git('init');
  await write('a.txt');
  const program = join(bench.folder, 'watch.sh');
  await writeFile(program, `#!/bin/sh\ntouch '${join(bench.folder, 'was-run')}'\n`);
  await chmod(program, 0o755);
  git('add', '-A');
  git('config', 'core.fsmonitor', program);
  const { id: sessionId } = await bench.session();
  expect((await bench.request('composer.files', { sessionId, query: 'a.t' })).paths).toEqual(['a.txt']);
  await expect(stat(join(bench.folder, 'was-run'))).rejects.toThrow('ENOENT');
});

test('a folder without a repository is listed too, by its ignore files', async () => {
  await write('one.md', 'deep/two.md', 'skipped/three.md');
  await writeFile(join(bench.folder, '.gitignore'), 'skipped/\n');
  const { paths } = await bench.request('composer.files', { query: 'md' });
  expect(paths.toSorted()).toEqual(['deep/two.md', 'one.md']);
});

test('a folder that is gone has no files, and that is no failure', async () => {
  const { id: sessionId } = await bench.session();
  await rm(bench.folder, { recursive: true });
  expect((await bench.request('composer.files', { sessionId, query: '' })).paths).toEqual([]);
});

test('names that no message can hold are left out, others come as they are', async () => {
  await write('line\nbreak.txt', 'gr\u00fc\u00dfe.txt', 'a"b.txt');
  const { paths } = await bench.request('composer.files', { query: '' });
  expect(paths.toSorted()).toEqual(['a"b.txt', 'gr\u00fc\u00dfe.txt']);
});

test('a chat on another backend whose place is not open says so, and nothing is opened', async () => {
  const { id: sessionId } = await bench.session();
  await bench.request('sessions.setBackend', { sessionId, backend: 'ssh' });
  const { paths, note } = await bench.request('composer.files', { sessionId, query: '' });
  expect(paths).toEqual([]);
  expect(note).toMatch(/^Files on ssh are listed once this chat has run something there/);
});

test('the model is told what @ means, and gets the path without its content', async () => {
  await write('secret.txt');
  const { id: sessionId } = await bench.session();
  await bench.say(sessionId, 'Read @secret.txt please');
  const [request] = bench.model.requests;
  const [system, said] = request?.body.messages ?? [];
  expect(system?.content).toContain('A word of the user that begins with @');
  expect(said?.content).toBe('Read @secret.txt please');
});
