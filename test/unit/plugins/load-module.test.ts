import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadModule, LOAD_LIMIT_MS } from '../../../main/plugins/load-module.ts';
import { handClock } from '../../support/hand-clock.ts';

let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'talaria-load-')); });
afterEach(async () => { await rm(folder, { recursive: true, force: true }); });

test('a module that never finishes loading is given up at the deadline', async () => {
  const clock = handClock();
  const file = join(folder, 'hang.js');
  await writeFile(file, 'await new Promise(() => undefined);');
  const loading = loadModule(file, 'a', { cache: folder, clock });
  const failed = expect(loading).rejects.toThrow('did not finish within 10 s');
  clock.advance(LOAD_LIMIT_MS);
  await failed;
});

test('where the runtime refuses TypeScript, the file is loaded without its types', async () => {
  const file = join(folder, 'typed.ts');
  await writeFile(file, 'const answer: number = 42;\nexport default answer;');
  const asked: string[] = [];
  const load = (url: string): Promise<unknown> => {
    asked.push(new URL(url).pathname);
    return url.includes('.ts') ? Promise.reject(Object.assign(new Error('no'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' })) : import(/* @vite-ignore */ url) as Promise<unknown>;
  };
  expect(await loadModule(file, 'hash', { cache: join(folder, 'cache'), clock: handClock(), load })).toMatchObject({ default: 42 });
  expect(asked).toEqual([file, join(folder, 'cache/hash.mjs')]);
});

test('a changed file is a new module', async () => {
  const file = join(folder, 'value.js');
  const parts = { cache: folder, clock: handClock() };
  await writeFile(file, 'export default 1;');
  expect(await loadModule(file, 'one', parts)).toMatchObject({ default: 1 });
  await writeFile(file, 'export default 2;');
  expect(await loadModule(file, 'two', parts)).toMatchObject({ default: 2 });
});
