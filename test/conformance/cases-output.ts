/** Output: all of it, in order, byte for byte, however it comes. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Case } from './environment.ts';
import { bring } from './programs.ts';

export const outputCases: readonly Case[] = [
  { name: 'stdout and stderr come in the order they were written', run: async (session) => {
    expect((await session.run('echo one; echo two >&2; echo three')).text).toBe('one\ntwo\nthree\n');
  } },
  { name: 'output without a final line feed is complete', run: async (session) => {
    expect((await session.run('printf abc')).text).toBe('abc');
  } },
  { name: 'no output is no output', run: async (session) => {
    expect((await session.run('true')).bytes.length).toBe(0);
  } },
  { name: 'characters that arrive in pieces are whole in the end', run: async (session) => {
    const program = await bring(session.environment, session.directory, 'splits-utf8');
    expect((await session.run(`sh ${program}`)).text).toBe('é€😀\n');
  } },
  { name: 'every byte value passes through unharmed', run: async (session) => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    await session.environment.writeFile(`${session.directory}/every`, every);
    expect((await session.run('cat every')).bytes.equals(every)).toBe(true);
  } },
  { name: 'random bytes come back with the same hash', run: async (session) => {
    const end = await session.run('head -c 300000 /dev/urandom > noise; cat noise');
    const file = await session.environment.readFile(`${session.directory}/noise`);
    expect(createHash('sha256').update(end.bytes).digest('hex')).toBe(createHash('sha256').update(file).digest('hex'));
  } },
  { name: 'the last line of 5 MB is there', run: async (session) => {
    const program = await bring(session.environment, session.directory, 'floods-stdout');
    const end = await session.run(`sh ${program} 50000`);
    expect(end.bytes.length).toBe(50_000 * 100 + 8);
    expect(end.text.endsWith('the end\n')).toBe(true);
  } },
  { name: 'a paused reader loses nothing', run: async (session) => {
    const program = await bring(session.environment, session.directory, 'floods-stdout');
    const running = await session.start(`sh ${program} 20000`);
    await running.saw(/0\n/);
    running.process.pause();
    await session.environment.exec({ command: 'sleep 0.5', timeoutMs: 10_000, maxBytes: 10 });
    running.process.resume();
    expect((await running.finished).bytes.length).toBe(20_000 * 100 + 8);
  } },
  { name: 'output that came before anybody listened is delivered', run: async (session) => {
    const process = await session.environment.start({ command: 'echo early', cwd: session.directory, shell: 'command' });
    await session.environment.exec({ command: 'sleep 0.3', timeoutMs: 10_000, maxBytes: 10 });
    let text = '';
    process.onOutput((bytes) => { text += Buffer.from(bytes).toString(); });
    await process.ended;
    expect(text).toBe('early\n');
  } },
  { name: 'a program may open /dev/stdout and /dev/stderr', run: async (session) => {
    expect((await session.run('echo x | tee /dev/stderr >/dev/null; echo y > /dev/stdout')).text).toBe('x\ny\n');
  } },
  { name: 'the command ends when its shell does, though a grandchild holds the output', run: async (session) => {
    const program = await bring(session.environment, session.directory, 'leaves-grandchild');
    const end = await session.run(`sh ${program} ${session.directory}/pid`);
    expect(end).toMatchObject({ text: 'done\n', exitCode: 0, why: 'exit' });
    await session.run(`kill -9 $(cat ${session.directory}/pid)`);
  } },
  { name: 'a command that detaches a child returns at once', run: async (session) => {
    const end = await session.run('setsid sleep 600 & echo $! > pid; disown; echo back');
    expect(end).toMatchObject({ text: 'back\n', exitCode: 0 });
    await session.run('kill -9 $(cat pid); pkill -9 -s $(cat pid) sleep; true');
  } },
];
