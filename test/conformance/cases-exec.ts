/** Collected runs of helper commands. */
/* eslint-disable no-template-curly-in-string -- shell expansions are what is tested */
import { expect } from 'vitest';
import type { Case } from './environment.ts';

const LIMITS = { timeoutMs: 20_000, maxBytes: 100_000 } as const;

export const execCases: readonly Case[] = [
  { name: 'exec collects output and code', run: async ({ environment }) => {
    const result = await environment.exec({ command: 'echo out; echo err >&2; exit 3', ...LIMITS });
    expect({ ...result, output: Buffer.from(result.output).toString() }).toMatchObject({ output: 'out\nerr\n', exitCode: 3, why: 'exit', truncated: false });
  } },
  { name: 'exec runs where it is told', run: async ({ environment, directory }) => {
    expect(Buffer.from((await environment.exec({ command: 'pwd', cwd: directory, ...LIMITS })).output).toString()).toBe(`${directory}\n`);
  } },
  { name: 'exec hands its input over', run: async ({ environment }) => {
    expect(Buffer.from((await environment.exec({ command: 'tr a-z A-Z', stdin: 'loud', ...LIMITS })).output).toString()).toBe('LOUD');
  } },
  { name: 'exec keeps head and tail of too much output', run: async ({ environment }) => {
    const result = await environment.exec({ command: 'printf HEAD; head -c 200000 /dev/zero | tr "\\0" x; printf TAIL', timeoutMs: 20_000, maxBytes: 1_000 });
    const text = Buffer.from(result.output).toString();
    expect(result.truncated).toBe(true);
    expect(text).toHaveLength(1_000);
    expect(text.startsWith('HEAD') && text.endsWith('TAIL')).toBe(true);
  } },
  { name: 'exec ends at its time limit', run: async ({ environment }) => {
    expect((await environment.exec({ command: 'echo before; sleep 600', timeoutMs: 700, maxBytes: 1_000 })).why).toBe('timeout');
  } },
  { name: 'exec ends when it is aborted', run: async ({ environment }) => {
    const controller = new AbortController();
    const running = environment.exec({ command: 'sleep 600', signal: controller.signal, ...LIMITS });
    controller.abort();
    expect((await running).why).toBe('abort');
  } },
  { name: 'exec that is aborted before it starts runs nothing', run: async ({ environment, directory }) => {
    const result = await environment.exec({ command: 'touch ran', cwd: directory, signal: AbortSignal.abort(), ...LIMITS });
    expect(result.why).toBe('abort');
    expect(await environment.stat(`${directory}/ran`)).toBeUndefined();
  } },
  { name: 'exec changes nothing for the next command', run: async (session) => {
    await session.environment.exec({ command: 'export FROM_EXEC=1; cd /', ...LIMITS });
    expect((await session.run('echo "${FROM_EXEC-gone}"')).text).toBe('gone\n');
  } },
  { name: 'the description names the backend, its user and places that exist', run: async ({ environment }) => {
    const description = environment.describe();
    expect(description.backend).toBe(environment.backend);
    expect(description.user).not.toBe('');
    for (const path of [description.homeDirectory, description.defaultCwd, description.tmpdir]) expect((await environment.stat(path))?.kind).toBe('directory');
  } },
];
