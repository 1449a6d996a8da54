/** Input: given at the start, or written while the command runs. */
import { expect } from 'vitest';
import type { Case } from './environment.ts';

export const inputCases: readonly Case[] = [
  { name: 'stdin is empty when nothing is given', run: async (session) => {
    expect((await session.run('cat; echo end')).text).toBe('end\n');
  } },
  { name: 'given input is read to its end', run: async (session) => {
    expect((await session.run('cat', { stdin: 'one\ntwo' })).text).toBe('one\ntwo');
  } },
  { name: 'given input may be bytes of every value', run: async (session) => {
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect((await session.run('cat', { stdin: every })).bytes.equals(Buffer.from(every))).toBe(true);
  } },
  { name: 'a megabyte of input arrives whole', run: async (session) => {
    expect((await session.run('wc -c', { stdin: 'x'.repeat(1_000_000) })).text.trim()).toBe('1000000');
  } },
  { name: 'input that is not read does not hold the command up', run: async (session) => {
    expect((await session.run('echo done', { stdin: 'x'.repeat(500_000) })).text).toBe('done\n');
  } },
  { name: 'a program may open /dev/stdin', run: async (session) => {
    expect((await session.run('cat /dev/stdin', { stdin: 'through the device' })).text).toBe('through the device');
  } },
  { name: 'a kept stdin takes several writes', needs: ['keep-stdin'], run: async (session) => {
    const running = await session.start('while IFS= read -r line; do echo "got $line"; done; echo closed', { shell: 'plain', keepStdin: true });
    running.process.write('one\n');
    await running.saw(/got one/);
    running.process.write(Buffer.from('two\n'));
    await running.saw(/got two/);
    running.process.closeStdin();
    expect((await running.finished).text).toBe('got one\ngot two\nclosed\n');
  } },
  { name: 'writing to a command that has ended does no harm', needs: ['keep-stdin'], run: async (session) => {
    const running = await session.start('true', { shell: 'plain', keepStdin: true });
    await running.finished;
    running.process.write('late\n');
    running.process.closeStdin();
    expect((await session.run('echo fine')).text).toBe('fine\n');
  } },
];
