/** Pseudo-terminals. */
import { expect } from 'vitest';
import type { Case } from './environment.ts';
import { bring } from './programs.ts';
import type { Watched } from './running.ts';

const PTY = { cols: 100, rows: 25 } as const;

/** Asks until the answer is the one wanted; the test's own time limit ends it otherwise. */
async function untilInputState(running: Watched, wanted: string): Promise<void> {
  while ((await running.process.inputState?.()) !== wanted) await new Promise((resolve) => { setImmediate(resolve); });
}

export const terminalCases: readonly Case[] = [
  { name: 'a program on a pseudo-terminal sees a terminal', needs: ['pty'], run: async (session) => {
    expect((await session.run('test -t 0 && test -t 1 && test -t 2 && echo yes', { pty: PTY })).text).toBe('yes\r\n');
  } },
  { name: 'without one it sees none', run: async (session) => {
    expect((await session.run('test -t 1 || echo no')).text).toBe('no\n');
  } },
  { name: 'the size is the one that was asked for', needs: ['pty'], run: async (session) => {
    expect((await session.run('stty size', { pty: PTY })).text).toBe('25 100\r\n');
  } },
  { name: 'a new size reaches the program', needs: ['pty', 'resize'], run: async (session) => {
    const running = await session.start("trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done", { pty: PTY });
    await running.saw(/ready/);
    running.process.resize(90, 33);
    expect((await running.finished).text).toContain('33 90');
  } },
  { name: 'the exit code of a program on a pseudo-terminal is kept', needs: ['pty'], run: async (session) => {
    expect((await session.run('exit 21', { pty: PTY })).exitCode).toBe(21);
  } },
  { name: 'the last bytes before the exit are there', needs: ['pty'], run: async (session) => {
    const program = await bring(session.environment, session.directory, 'floods-stdout');
    expect((await session.run(`sh ${program} 5000`, { pty: PTY })).text.endsWith('the end\r\n')).toBe(true);
  } },
  { name: 'a paused pseudo-terminal loses nothing, even over the exit', needs: ['pty'], run: async (session) => {
    const program = await bring(session.environment, session.directory, 'floods-stdout');
    const running = await session.start(`echo ready; sh ${program} 30`, { pty: PTY });
    await running.saw(/ready/);
    running.process.pause();
    await session.environment.exec({ command: 'sleep 0.8', timeoutMs: 10_000, maxBytes: 10 });
    running.process.resume();
    const end = await running.finished;
    expect(end.text.match(/\d{99}/g)).toHaveLength(30);
    expect(end.text.endsWith('the end\r\n')).toBe(true);
  } },
  { name: 'what is typed reaches the program and is echoed', needs: ['pty'], run: async (session) => {
    const running = await session.start('read -r line; echo "got <$line>"', { pty: PTY });
    running.process.write('héllo\r');
    const end = await running.finished;
    expect(end.text).toContain('héllo\r\n');
    expect(end.text).toContain('got <héllo>');
  } },
  { name: 'typed input is 8-bit clean', needs: ['pty'], run: async (session) => {
    const running = await session.start('stty raw -echo; echo ready; dd bs=1 count=4 2>/dev/null | od -An -tx1', { pty: PTY });
    await running.saw(/ready/);
    running.process.write(Uint8Array.of(0xff, 0x80, 0x03, 0xc3));
    expect((await running.finished).text).toContain('ff 80 03 c3');
  } },
  { name: 'the end of input can be sent', needs: ['pty'], run: async (session) => {
    const running = await session.start('cat; echo over', { pty: PTY });
    running.process.write('x\r');
    await running.saw(/x\r\nx/);
    running.process.closeStdin();
    expect((await running.finished).text).toContain('over');
  } },
  { name: 'Ctrl-C typed into a pseudo-terminal interrupts its program', needs: ['pty'], run: async (session) => {
    // The program itself says that it is ready: a signal between a shell's fork and its wait may be lost by any bash.
    const running = await session.start('sh -c "echo ready; exec sleep 600"', { pty: PTY });
    await running.saw(/ready/);
    running.process.write('\x03');
    const end = await running.finished;
    expect(end.exitCode === 130 || end.signal === 'SIGINT').toBe(true);
  } },
  { name: 'a program on a pseudo-terminal can be ended with its children', needs: ['pty', 'processes'], run: async (session) => {
    const running = await session.start('sh -c "trap \\"\\" TERM HUP; sleep 600" & echo $! > pid; echo ready; wait', { pty: PTY });
    await running.saw(/ready/);
    const pid = Number(await session.readText(`${session.directory}/pid`));
    expect(await running.process.end({ why: 'abort', graceMs: 300 })).toEqual([]);
    expect((await running.finished).why).toBe('abort');
    expect(await session.isAlive(pid)).toBe(false);
  } },
  { name: 'the directory and variables are carried over from a pseudo-terminal, too', needs: ['pty'], run: async (session) => {
    const end = await session.run('mkdir inner; cd inner; export FROM_PTY=1', { pty: PTY });
    expect(end.cwd).toBe(`${session.directory}/inner`);
    expect((await session.run('echo "$FROM_PTY"; unset FROM_PTY')).text).toBe('1\n');
  } },
  { name: 'a password prompt is seen as one', needs: ['pty', 'input-state'], run: async (session) => {
    const program = await bring(session.environment, session.directory, 'asks-for-password');
    const running = await session.start(`sh ${program}`, { pty: PTY });
    await running.saw(/Password: /);
    await untilInputState(running, 'secret');
    running.process.write('hunter2\r');
    const end = await running.finished;
    expect(end.text).toContain('7 letters');
    expect(end.text).not.toContain('hunter2');
  } },
  { name: 'a wait for a line of input is seen as one', needs: ['pty', 'input-state'], run: async (session) => {
    const running = await session.start('printf "name? "; read -r name; echo "hi $name"', { pty: PTY });
    await running.saw(/name\? /);
    await untilInputState(running, 'line');
    running.process.write('you\r');
    expect((await running.finished).text).toContain('hi you');
  } },
  { name: 'a wait that turns into another one without a word is seen again', needs: ['pty', 'input-state'], run: async (session) => {
    const running = await session.start('read -r first; read -rs second; echo "both: $first $second"', { pty: PTY });
    await untilInputState(running, 'line');
    expect(await running.process.inputState?.()).toBe('line');
    running.process.write('one\r');
    await untilInputState(running, 'secret');
    running.process.write('two\r');
    expect((await running.finished).text).toContain('both: one two');
  } },
  { name: 'a program that works is not taken for one that waits', needs: ['pty', 'input-state'], run: async (session) => {
    const running = await session.start('echo ready; sleep 600', { pty: PTY });
    await running.saw(/ready/);
    expect(await running.process.inputState?.()).toBe('busy');
    await running.process.end({ why: 'abort', signal: 'SIGKILL' });
  } },
  { name: 'the user\'s own shell answers', needs: ['pty'], run: async (session) => {
    const running = await session.start('', { shell: 'interactive', pty: PTY });
    running.process.write('echo in-$((40+2))\r');
    await running.saw(/in-42/);
    running.process.write('exit 5\r');
    expect((await running.finished).exitCode).toBe(5);
  } },
];
