/** File operations: whole, exact, and with errors that say what is wrong. */
import { expect } from 'vitest';
import { EnvironmentError } from '../../environments/base.ts';
import type { Case } from './environment.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EnvironmentError) return error.code;
    throw error;
  }
  return 'no error';
}

export const fileCases: readonly Case[] = [
  { name: 'a written file reads back the same', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/f`, bytes('content'));
    expect(Buffer.from(await environment.readFile(`${directory}/f`)).toString()).toBe('content');
  } },
  { name: 'every byte value survives writing and reading', run: async ({ environment, directory }) => {
    const every = Uint8Array.from({ length: 4_096 }, (_, index) => index % 256);
    await environment.writeFile(`${directory}/f`, every);
    expect(Buffer.from(await environment.readFile(`${directory}/f`)).equals(Buffer.from(every))).toBe(true);
  } },
  { name: 'an empty file is a file', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/f`, new Uint8Array());
    expect((await environment.readFile(`${directory}/f`)).length).toBe(0);
    expect(await environment.stat(`${directory}/f`)).toMatchObject({ kind: 'file', size: 0, link: false });
  } },
  { name: 'a file of 3 MB survives writing and reading', run: async ({ environment, directory }) => {
    const large = Buffer.alloc(3_000_000, 'large ');
    await environment.writeFile(`${directory}/f`, large);
    expect(Buffer.from(await environment.readFile(`${directory}/f`)).equals(large)).toBe(true);
  } },
  { name: 'missing parents are made', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/a/b/c`, bytes('x'));
    expect((await environment.stat(`${directory}/a/b`))?.kind).toBe('directory');
  } },
  { name: 'names with spaces, quotes and line feeds work', run: async ({ environment, directory }) => {
    const path = `${directory}/a b'c"d$e\nf`;
    await environment.writeFile(path, bytes('odd'));
    expect(Buffer.from(await environment.readFile(path)).toString()).toBe('odd');
    expect(await environment.list(directory)).toContain('a b\'c"d$e\nf');
  } },
  { name: 'the mode of a file that is written again is kept', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/f`, bytes('1'), { mode: 0o751 });
    await environment.writeFile(`${directory}/f`, bytes('2'));
    expect((await environment.stat(`${directory}/f`))?.mode).toBe(0o751);
  } },
  { name: 'a mode that is given is set', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/f`, bytes('1'), { mode: 0o600 });
    expect((await environment.stat(`${directory}/f`))?.mode).toBe(0o600);
  } },
  { name: 'writing through a link changes its target and keeps the link', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/target`, bytes('old'));
    await environment.exec({ command: `ln -s target link`, cwd: directory, timeoutMs: 10_000, maxBytes: 100 });
    await environment.writeFile(`${directory}/link`, bytes('new'));
    expect(Buffer.from(await environment.readFile(`${directory}/target`)).toString()).toBe('new');
    expect(await environment.stat(`${directory}/link`)).toMatchObject({ link: true, kind: 'file', size: 3 });
  } },
  { name: 'a reader never sees half a file', run: async ({ environment, directory }) => {
    const path = `${directory}/f`;
    await environment.writeFile(path, Buffer.alloc(200_000, 'a'));
    const writes = (async () => { for (const letter of ['b', 'c', 'd']) await environment.writeFile(path, Buffer.alloc(200_000, letter)); })();
    for (let round = 0; round < 6; round++) {
      const seen = Buffer.from(await environment.readFile(path));
      expect(seen.length).toBe(200_000);
      expect(new Set(seen).size).toBe(1);
    }
    await writes;
  } },
  { name: 'no temporary file is left beside a written one', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/f`, bytes('x'));
    expect((await environment.list(directory)).filter((name) => name !== '.keep')).toEqual(['f']);
  } },
  { name: 'a missing file is not found', run: async ({ environment, directory }) => {
    expect(await codeOf(environment.readFile(`${directory}/none`))).toBe('not-found');
  } },
  { name: 'a directory is not read as a file', run: async ({ environment, directory }) => {
    expect(await codeOf(environment.readFile(directory))).toBe('not-a-file');
  } },
  { name: 'a directory is not written over', run: async ({ environment, directory }) => {
    expect(await codeOf(environment.writeFile(directory, bytes('x')))).toBe('not-a-file');
  } },
  { name: 'a file above the limit is refused', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/f`, bytes('12345'));
    expect(await codeOf(environment.readFile(`${directory}/f`, { maxBytes: 4 }))).toBe('too-large');
    expect((await environment.readFile(`${directory}/f`, { maxBytes: 5 })).length).toBe(5);
  } },
  { name: 'a device is not read', run: async ({ environment }) => {
    expect(await codeOf(environment.readFile('/dev/zero', { maxBytes: 10 }))).toBe('not-a-file');
  } },
  { name: 'stat of nothing is undefined', run: async ({ environment, directory }) => {
    expect(await environment.stat(`${directory}/none`)).toBeUndefined();
    expect(await environment.stat(`${directory}/.keep/below-a-file`)).toBeUndefined();
  } },
  { name: 'stat tells kinds, size and a time that is about now', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/f`, bytes('12345'));
    const found = await environment.stat(`${directory}/f`);
    expect(found).toMatchObject({ kind: 'file', size: 5 });
    expect(Math.abs((found?.mtimeMs ?? 0) - Date.now())).toBeLessThan(120_000);
    expect((await environment.stat(directory))?.kind).toBe('directory');
    expect((await environment.stat('/dev/null'))?.kind).toBe('other');
  } },
  { name: 'list gives names in order', run: async ({ environment, directory }) => {
    for (const name of ['b', 'a', '.hidden']) await environment.writeFile(`${directory}/${name}`, bytes('x'));
    expect((await environment.list(directory)).filter((name) => name !== '.keep')).toEqual(['.hidden', 'a', 'b']);
  } },
  { name: 'list of a missing directory is not found, of a file not a directory', run: async ({ environment, directory }) => {
    expect(await codeOf(environment.list(`${directory}/none`))).toBe('not-found');
    expect(await codeOf(environment.list(`${directory}/.keep`))).toBe('not-a-directory');
  } },
  { name: 'remove takes files and whole directories', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/tree/deep/f`, bytes('x'));
    await environment.remove(`${directory}/tree`);
    expect(await environment.stat(`${directory}/tree`)).toBeUndefined();
    expect(await codeOf(environment.remove(`${directory}/tree`))).toBe('not-found');
  } },
  { name: 'removing a link leaves its target', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/target/f`, bytes('x'));
    await environment.exec({ command: 'ln -s target link', cwd: directory, timeoutMs: 10_000, maxBytes: 100 });
    await environment.remove(`${directory}/link`);
    expect((await environment.stat(`${directory}/target/f`))?.kind).toBe('file');
  } },
  { name: 'rename moves, also over an existing file', run: async ({ environment, directory }) => {
    await environment.writeFile(`${directory}/from`, bytes('new'));
    await environment.writeFile(`${directory}/to`, bytes('old'));
    await environment.rename(`${directory}/from`, `${directory}/to`);
    expect(Buffer.from(await environment.readFile(`${directory}/to`)).toString()).toBe('new');
    expect(await environment.stat(`${directory}/from`)).toBeUndefined();
    expect(await codeOf(environment.rename(`${directory}/from`, `${directory}/x`))).toBe('not-found');
  } },
  { name: 'realpath resolves links and keeps what does not exist yet', run: async ({ environment, directory }) => {
    await environment.exec({ command: 'mkdir real; ln -s real link', cwd: directory, timeoutMs: 10_000, maxBytes: 100 });
    expect(await environment.realpath(`${directory}/link/new/file`)).toBe(`${directory}/real/new/file`);
    expect(await environment.realpath(`${directory}/link/..//link`)).toBe(`${directory}/real`);
  } },
  { name: 'files and commands see the same place', run: async (session) => {
    await session.run('echo from-command > shared');
    expect(await session.readText(`${session.directory}/shared`)).toBe('from-command\n');
    await session.environment.writeFile(`${session.directory}/shared`, bytes('from-files\n'));
    expect((await session.run('cat shared')).text).toBe('from-files\n');
  } },
];
