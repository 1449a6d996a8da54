/* eslint-disable no-template-curly-in-string -- shell expansions are what is tested */
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { type Desk, openDesk, SECRET, watch } from '../../support/terminals/desk.ts';

let desk: Desk;
beforeAll(() => { desk = openDesk(); });
afterAll(async () => {
  await desk.close();
  desk.discard();
});

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
const terminalOf = (result: { terminalId: string }) => result.terminalId as TerminalId; // minted as one by the manager

describe('a foreground command', () => {
  test('answers with output, code, directory and a terminal that shows the same', async () => {
    const result = await desk.run('echo hello; echo err >&2; exit 3');
    expect(result).toMatchObject({ output: 'hello\nerr\n', exitCode: 3, why: 'exit', omittedChars: 0, cwd: desk.folder, notes: [] });
    const shown = await desk.terminals.text(terminalOf(result));
    expect(shown.text).toBe('hello\nerr');
    expect(desk.terminals.get(terminalOf(result))).toMatchObject({ kind: 'foreground', mode: 'pipe', state: 'exited', exitCode: 3, ended: 'exit code 3', sessionId: desk.sessionId });
  });

  test('tells its terminal before the first byte', async () => {
    const order: string[] = [];
    await desk.run('echo x; sleep 0.3', { onStarted: () => order.push('started'), onOutput: () => order.push('output') });
    expect(order).toEqual(['started', 'output']);
  });

  test('keeps the directory and variables for the next one of its task, and for no other task', async () => {
    mkdirSync(join(desk.folder, 'inner'));
    await desk.run('cd inner; export KEPT=1', { taskId: 'a' });
    expect((await desk.run('pwd; echo $KEPT', { taskId: 'a' })).output).toBe(`${desk.folder}/inner\n1\n`);
    expect(desk.terminals.cwd('a')).toBe(`${desk.folder}/inner`);
    expect((await desk.run('pwd; echo "${KEPT-none}"', { taskId: 'b' })).output).toBe(`${desk.folder}\nnone\n`);
  });

  test('with a workdir runs there and does not move the task', async () => {
    const result = await desk.run('pwd; cd /', { workdir: '/usr', taskId: 'c' });
    expect(result).toMatchObject({ output: '/usr\n', cwd: '/usr' });
    expect(desk.terminals.cwd('c')).toBe(desk.folder);
  });

  test('a relative workdir starts at the task\'s directory, and ~ is the home', async () => {
    mkdirSync(join(desk.folder, 'sub/below'), { recursive: true });
    await desk.run('cd sub', { taskId: 'd' });
    expect((await desk.run('pwd', { taskId: 'd', workdir: 'below' })).output).toBe(`${desk.folder}/sub/below\n`);
    expect((await desk.run('pwd', { taskId: 'd', workdir: '~/sub' })).output).toBe(`${desk.folder}/sub\n`);
  });

  test('whose directory is gone runs in the nearest living one and says so once', async () => {
    mkdirSync(join(desk.folder, 'doomed/inner'), { recursive: true });
    await desk.run('cd doomed/inner', { taskId: 'e' });
    rmdirSync(join(desk.folder, 'doomed/inner'));
    const first = await desk.run('pwd', { taskId: 'e' });
    expect(first.output).toBe(`${desk.folder}/doomed\n`);
    expect(first.notes).toEqual([expect.stringContaining('doomed/inner does not exist')]);
    expect((await desk.run('pwd', { taskId: 'e' })).notes).toEqual([]);
  });

  test('at its time limit is ended with its children, and what it printed is kept', async () => {
    const result = await desk.run('echo partial; sleep 600 & echo $! > child; wait', { timeoutMs: 700 });
    expect(result).toMatchObject({ output: 'partial\n', why: 'timeout' });
    expect(isAlive(Number(readFileSync(join(desk.folder, 'child'), 'utf8')))).toBe(false);
  });

  test('that ignores SIGTERM is ended as well', async () => {
    expect((await desk.run("trap '' TERM INT; echo on; while :; do sleep 0.1; done", { timeoutMs: 500 })).why).toBe('timeout');
  });

  test('is ended when its call is aborted', async () => {
    const controller = new AbortController();
    const result = await desk.run('echo begun; sleep 600', { signal: controller.signal, onOutput: () => controller.abort() });
    expect(result).toMatchObject({ output: 'begun\n', why: 'abort' });
  });

  test('that is aborted before it starts ends at once', async () => {
    expect((await desk.run('sleep 600', { signal: AbortSignal.abort() })).why).toBe('abort');
  });

  test('is ended by stopForeground, while background processes go on', async () => {
    const background = await desk.start('sleep 600');
    const running = desk.run('sleep 600', { onStarted: () => void desk.terminals.stopForeground(desk.sessionId) });
    expect((await running).why).toBe('abort');
    expect(desk.terminals.get(background.id)?.state).toBe('running');
    await desk.process('kill', background.id);
  });

  test('with more output than fits keeps head and tail, and a private file holds all of it', async () => {
    desk.config.set('tool_output.max_bytes', 1_000);
    const result = await desk.run('seq 1 5000');
    desk.config.delete('tool_output.max_bytes');
    expect(result.output.startsWith('1\n2\n3\n')).toBe(true);
    expect(result.output.endsWith('4999\n5000\n')).toBe(true);
    expect(result.output).toContain(`[OUTPUT TRUNCATED - ${result.omittedChars} chars omitted out of ${result.totalChars} total]`);
    const path = result.fullOutputPath ?? '';
    expect(readFileSync(path, 'utf8')).toBe(Array.from({ length: 5_000 }, (_, index) => `${index + 1}\n`).join(''));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('that leaves a child with the output open answers all the same', async () => {
    expect(await desk.run('sleep 600 & echo back')).toMatchObject({ output: 'back\n', exitCode: 0, why: 'exit' });
  });

  test('killed by a signal says so in words', async () => {
    const result = await desk.run('kill -9 $$');
    expect(result).toMatchObject({ signal: 'SIGKILL', detail: 'killed by signal 9, probably out of memory' });
  });

  test('does not see the host\'s secrets, and marks of the wrapper do not leak to the next call', async () => {
    const { output } = await desk.run('env | cut -d= -f1 | sort');
    expect(output).not.toMatch(/OPENAI|__hermes|SUDO_PASSWORD/);
    expect((await desk.run('export -p')).output).not.toContain('TALARIA_MARK=\'');
  });
});

describe('a foreground command on a pseudo-terminal', () => {
  test('sees a terminal', async () => {
    expect((await desk.run('test -t 1 && tty && stty size', { pty: true })).output).toMatch(/^\/dev\/pts\/\d+\r\n30 120\r\n$/);
  });

  test('that asks for a secret is reported at once, lives on, and only a person can answer', async () => {
    const result = await desk.run('read -r -s -p "Password: " secret; echo; echo "${#secret} letters"', { pty: true });
    const id = terminalOf(result);
    expect(result).toMatchObject({ why: 'waiting-for-input', exitCode: null, output: 'Password: ' });
    expect(desk.terminals.get(id)).toMatchObject({ kind: 'background', state: 'running', secretInput: true });
    expect(await desk.process('write', id, { data: 'guess\r' })).toMatchObject({ status: 'error', error: expect.stringContaining('secret') as unknown });
    desk.terminals.write(id, `${SECRET}\r`);
    await desk.until(id, (terminal) => terminal.state === 'exited');
    const shown = (await desk.terminals.text(id)).text;
    expect(shown).toContain(`${SECRET.length} letters`);
    expect(shown).not.toContain(SECRET);
  });

  test('that waits for a line is reported, and the agent can answer it', async () => {
    const result = await desk.run('printf "name? "; read -r name; echo "hi $name"', { pty: true });
    expect(result).toMatchObject({ why: 'waiting-for-input', output: 'name? ' });
    expect(await desk.process('submit', result.terminalId, { data: 'you' })).toEqual({ status: 'ok', bytes_written: 4 });
    expect(await desk.process('wait', result.terminalId)).toMatchObject({ status: 'exited', exit_code: 0, output: expect.stringContaining('hi you') as unknown });
  });

  test('that takes the whole screen is reported instead of running into its limit', async () => {
    const result = await desk.run("printf '\\033[?1049hfull'; sleep 600", { pty: true });
    expect(result.why).toBe('full-screen');
    expect(desk.terminals.get(terminalOf(result))?.fullScreen).toBe(true);
    expect(await desk.process('kill', result.terminalId)).toMatchObject({ status: 'killed', exit_code: -15 });
  });

  test('that leaves the whole screen again by itself ends as usual', async () => {
    expect(await desk.run("printf '\\033[?1049hx\\033[?1049l'; echo over", { pty: true })).toMatchObject({ why: 'exit', exitCode: 0 });
  });

  test('that only computes is left alone until it ends', async () => {
    expect(await desk.run('sleep 1.2; echo done', { pty: true })).toMatchObject({ why: 'exit', output: 'done\r\n' });
  });

  test('answers of the terminal reach the program', async () => {
    const result = await desk.run("stty raw -echo; printf '\\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c", { pty: true });
    expect(result.output).toContain('033   [   1   ;   1   R');
  });
});

describe('the live view of a foreground command', () => {
  test('a pipe\'s line feeds return the cursor, on the screen and in the stream', async () => {
    let id: TerminalId | undefined;
    const running = desk.run('echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; echo three', { taskId: 'view', onStarted: (terminalId) => { id = terminalOf({ terminalId }); } });
    while (id === undefined || (desk.terminals.get(id)?.bytes ?? 0) === 0) await new Promise((resolve) => { setImmediate(resolve); });
    const screen = await watch(desk, id);
    expect(screen.snapshot).toContain('one');
    await desk.run('touch go', { taskId: 'other' });
    await running;
    await screen.saw(/three\r\n/);
    expect(screen.live()).toBe('two\r\nthree\r\n');
  });
});
