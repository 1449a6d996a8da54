/** The end of a command by somebody else's will: who dies, what is told. */
import { expect } from 'vitest';
import type { Case } from './environment.ts';
import { bring } from './programs.ts';
import type { Session } from './running.ts';

async function pidsIn(session: Session, path: string): Promise<number[]> {
  return (await session.readText(path)).trim().split('\n').map(Number);
}

async function stillAlive(session: Session, pids: readonly number[]): Promise<number[]> {
  const { output } = await session.environment.exec({
    command: `for pid in ${pids.join(' ')}; do state=$(ps -o stat= -p "$pid" 2>/dev/null) || continue; case "$state" in Z*) ;; *) echo "$pid" ;; esac; done`,
    timeoutMs: 20_000, maxBytes: 10_000,
  });
  return Buffer.from(output).toString().trim().split('\n').filter((line) => line !== '').map(Number);
}

export const endingCases: readonly Case[] = [
  { name: 'a death by signal is no success', run: async (session) => {
    const end = await session.run('kill -9 $$');
    expect(end.exitCode === 0).toBe(false);
    expect(end.signal === 'SIGKILL' || end.exitCode === 137).toBe(true);
  } },
  { name: 'a command stopped for its time says timeout and keeps what it printed', run: async (session) => {
    const running = await session.start('echo partial; sleep 600');
    await running.saw(/partial/);
    await running.process.end({ why: 'timeout', graceMs: 500 });
    expect(await running.finished).toMatchObject({ why: 'timeout', text: 'partial\n' });
  } },
  { name: 'the first cause of an end is the one that is told', run: async (session) => {
    const running = await session.start('sleep 600');
    await Promise.all([running.process.end({ why: 'abort', graceMs: 500 }), running.process.end({ why: 'timeout', graceMs: 500 })]);
    expect((await running.finished).why).toBe('abort');
  } },
  { name: 'a polite signal lets the command clean up', run: async (session) => {
    const running = await session.start("trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
    await running.saw(/ready/);
    await running.process.end({ why: 'abort', signal: 'SIGTERM', graceMs: 5_000 });
    expect((await running.finished).text).toContain('cleaned');
  } },
  { name: 'a command that ignores polite signals is gone after the grace', run: async (session) => {
    const program = await bring(session.environment, session.directory, 'ignores-sigterm');
    const running = await session.start(`sh ${program}`);
    await running.saw(/ready/);
    expect(await running.process.end({ why: 'abort', graceMs: 200 })).toEqual([]);
    expect((await running.finished).why).toBe('abort');
  } },
  { name: 'the children of a stopped command are gone, too', needs: ['processes'], run: async (session) => {
    const running = await session.start('sleep 600 & echo $! > child; sh -c "sleep 600 & echo \\$! > grandchild; wait" & while [ ! -s grandchild ]; do sleep 0.01; done; echo ready; wait');
    await running.saw(/ready/);
    const pids = [...await pidsIn(session, `${session.directory}/child`), ...await pidsIn(session, `${session.directory}/grandchild`)];
    expect(await running.process.end({ why: 'abort', graceMs: 500 })).toEqual([]);
    expect(await stillAlive(session, pids)).toEqual([]);
  } },
  { name: 'a grandchild in a session of its own does not escape', needs: ['processes', 'whole-tree-end'], run: async (session) => {
    const program = await bring(session.environment, session.directory, 'double-forks');
    const running = await session.start(`sh ${program} ${session.directory}/pid`);
    await running.saw(/ready/);
    const pids = await pidsIn(session, `${session.directory}/pid`);
    expect(await running.process.end({ why: 'abort', graceMs: 300 })).toEqual([]);
    expect(await stillAlive(session, pids)).toEqual([]);
  } },
  { name: 'a tree of 50 processes of every awkward kind is gone in 3 seconds', needs: ['processes', 'whole-tree-end'], run: async (session) => {
    const program = await bring(session.environment, session.directory, 'process-tree');
    const running = await session.start(`sh ${program} ${session.directory}/pids`);
    await running.saw(/ready/);
    const pids = await pidsIn(session, `${session.directory}/pids`);
    expect(pids).toHaveLength(50);
    const began = performance.now();
    expect(await running.process.end({ why: 'abort', graceMs: 500 })).toEqual([]);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(await stillAlive(session, pids)).toEqual([]);
  } },
  { name: 'a stopped (suspended) command can be ended', needs: ['processes'], run: async (session) => {
    const running = await session.start('echo $$ > pid; echo ready; sleep 600');
    await running.saw(/ready/);
    await session.environment.exec({ command: `kill -STOP $(cat ${session.directory}/pid)`, timeoutMs: 5_000, maxBytes: 100 });
    expect(await running.process.end({ why: 'abort', graceMs: 300 })).toEqual([]);
    expect((await running.finished).why).toBe('abort');
  } },
  { name: 'ending what has ended already does no harm', run: async (session) => {
    const running = await session.start('true');
    await running.finished;
    expect(await running.process.end({ why: 'abort', graceMs: 100 })).toEqual([]);
  } },
  { name: 'Ctrl-C reaches the running program and not the one that comes after', needs: ['foreground-signal'], run: async (session) => {
    const running = await session.start("trap 'echo interrupted; exit 130' INT; echo ready; while :; do sleep 0.05; done");
    await running.saw(/ready/);
    running.process.signal('SIGINT');
    expect((await running.finished).text).toContain('interrupted');
    expect((await session.run('echo next')).text).toBe('next\n');
  } },
  { name: 'another command runs on while one is ended', run: async (session) => {
    const other = await session.start('echo start; sleep 1; echo finish');
    const running = await session.start('sleep 600');
    await other.saw(/start/);
    await running.process.end({ why: 'abort', graceMs: 300 });
    expect(await other.finished).toMatchObject({ text: 'start\nfinish\n', exitCode: 0, why: 'exit' });
  } },
];
