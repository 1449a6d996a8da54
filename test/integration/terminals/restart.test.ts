import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { type Desk, openDesk, SECRET } from '../../support/terminals/desk.ts';

let desk: Desk;
beforeEach(() => { desk = openDesk(); });
afterEach(async () => {
  await desk.close();
  desk.discard();
});

const alive = (pid: number): boolean => existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
const checkpoint = (): unknown[] => JSON.parse(readFileSync(join(desk.folder, 'processes.json'), 'utf8')) as unknown[]; // checked by the expectations below

/** A host of its own process, killed without a warning once it has said what it started. */
async function hostThatDies(folder: string, script: string): Promise<Record<string, number | string>> {
  const source = `
    import { openDesk } from ${JSON.stringify(new URL('../../support/terminals/desk.ts', import.meta.url).pathname)};
    const desk = openDesk(${JSON.stringify(folder)});
    ${script}
    setInterval(() => {}, 1000);`;
  const host = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'], cwd: folder });
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    host.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text);
    });
    host.once('exit', () => reject(new Error(`the host ended early: ${text}`)));
  });
  host.removeAllListeners('exit');
  const gone = new Promise((resolve) => { host.once('exit', resolve); });
  host.kill('SIGKILL');
  await gone;
  return JSON.parse(line) as Record<string, number | string>; // written by the script above
}

describe('closing', () => {
  test('ends everything that was ever started, and leaves no process and no file in the temporary folder', async () => {
    const { pid } = await desk.start("trap '' TERM; (setsid sleep 600 &); sleep 600");
    await desk.run('(setsid sleep 600 >/dev/null 2>&1 & echo $! > stray)');
    const shell = await desk.terminals.open({ cols: 80, rows: 24 });
    const stray = Number(readFileSync(join(desk.folder, 'stray'), 'utf8'));
    expect([pid, stray].every(alive)).toBe(true);
    await desk.close();
    expect([pid, stray, shell.pid ?? 0].filter(alive)).toEqual([]);
    expect(checkpoint()).toEqual([]);
    const left = execFileSync('sh', ['-c', `grep -lz "HOME=${desk.folder}$" /proc/[0-9]*/environ 2>/dev/null || true`]).toString();
    expect(left).toBe('');
    desk = desk.reopen();
  });

  test('keeps what ran, its end and its screen for the next start', async () => {
    const result = await desk.run("printf '\\033[33mkept\\033[0m\\n'; exit 2");
    await desk.close();
    expect(desk.complaints).toEqual([]);
    desk = desk.reopen();
    const id = result.terminalId as TerminalId; // minted as one
    expect(desk.terminals.get(id)).toMatchObject({ state: 'exited', exitCode: 2, ended: 'exit code 2' });
    const { snapshot } = await desk.terminals.attach(id, () => undefined);
    expect(snapshot).toContain('kept');
    /** History can be told from what runs now; the text that is kept has no such line. */
    expect(snapshot).toContain('from an earlier run of Talaria');
    expect((await desk.terminals.text(id)).text).toBe('kept');
    desk.terminals.dismiss(id);
    expect(desk.terminals.get(id)).toBeUndefined();
  });

  test('leaves no secret of a known shape in the database, the outputs or anywhere else in the home', async () => {
    const result = await desk.run(`echo ${SECRET}`);
    const { id: background } = await desk.start(`echo ${SECRET}`);
    await desk.process('wait', background);
    await desk.close();
    expect(readFileSync(join(desk.folder, 'outputs', `${background}.log`), 'utf8')).toBe('[hidden]\n');
    expect(execFileSync('sh', ['-c', `grep -rl ${SECRET} . || true`], { cwd: desk.folder }).toString()).toBe('');
    desk = desk.reopen();
    expect(desk.terminals.get(result.terminalId as TerminalId)?.command).toBe('echo [hidden]'); // minted as one
  });
});

describe('after a host was killed', () => {
  test('a background process that lives is adopted by pid and start time: polled, killed, shown', async () => {
    const started = await hostThatDies(desk.folder, `
      const started = await desk.start('exec sleep 600');
      while (!(await import('node:fs')).existsSync(${JSON.stringify(join(desk.folder, 'processes.json'))})) await new Promise((r) => setTimeout(r, 10));
      console.log(JSON.stringify(started));`);
    const pid = Number(started['pid']);
    const id = String(started['id']);
    expect(alive(pid)).toBe(true);
    desk = (await desk.close(), desk.reopen());
    await desk.terminals.recover();
    expect(await desk.process('poll', id)).toMatchObject({ status: 'running', pid, detached: true });
    expect(desk.terminals.get(id as TerminalId)).toMatchObject({ state: 'running', readOnly: true }); // minted as one
    expect((await desk.list()).find((row) => row['session_id'] === id)).toMatchObject({ detached: true });
    expect((await desk.terminals.processes()).some((row) => row.pid === pid)).toBe(true);
    expect(await desk.process('kill', id)).toMatchObject({ status: 'killed' });
    expect(alive(pid)).toBe(false);
    expect(await desk.process('write', id, { data: 'x' })).toMatchObject({ status: 'already_exited' });
  });

  test('a background process that writes is not killed by it, and what it writes after its adoption can be read', async () => {
    const started = await hostThatDies(desk.folder, `
      const started = await desk.start('n=0; while :; do n=$((n + 1)); echo "line $n"; sleep 0.05; done');
      while (!(await import('node:fs')).existsSync(${JSON.stringify(join(desk.folder, 'processes.json'))})) await new Promise((r) => setTimeout(r, 10));
      console.log(JSON.stringify(started));`);
    desk = (await desk.close(), desk.reopen());
    await desk.terminals.recover();
    const id = String(started['id']);
    let log: Awaited<ReturnType<Desk['process']>> = {};
    while (!/line \d/.test(JSON.stringify(log))) {
      await new Promise((resolve) => { setImmediate(resolve); });
      log = await desk.process('log', id);
    }
    expect(log).toMatchObject({ status: 'running', note: expect.stringContaining('written since') as unknown });
    expect(alive(Number(started['pid']))).toBe(true);
    expect(await desk.process('kill', id)).toMatchObject({ status: 'killed', output: expect.stringMatching(/line \d/) as unknown });
  });

  test('the end of one that was adopted is told to the chat that wanted to know it', async () => {
    const started = await hostThatDies(desk.folder, `
      const started = await desk.start('while [ ! -e go ]; do sleep 0.05; done', { notifyOnComplete: true });
      while (!(await import('node:fs')).existsSync(${JSON.stringify(join(desk.folder, 'processes.json'))})) await new Promise((r) => setTimeout(r, 10));
      console.log(JSON.stringify(started));`);
    desk = (await desk.close(), desk.reopen());
    await desk.terminals.recover();
    expect(desk.terminals.drainNotices(desk.sessionId)).toEqual([]);
    const noticed = desk.noticed();
    writeFileSync(join(desk.folder, 'go'), '');
    await noticed;
    expect(desk.terminals.drainNotices(desk.sessionId).join('\n')).toContain(`Background process ${String(started['id'])} is not running any more: ended; its exit code was not seen`);
  });

  test('a background process with a terminal ends with it: lost, with what was captured; nothing of it is left', async () => {
    const started = await hostThatDies(desk.folder, `
      const started = await desk.start('echo captured; sh -c "trap \\'\\' HUP; sleep 600; sleep 600" & echo $! > deaf; exec sleep 600', { pty: true });
      const { existsSync, readFileSync } = await import('node:fs');
      const has = (name, text) => existsSync(name) && readFileSync(name, 'utf8').includes(text);
      while (!has(${JSON.stringify(join(desk.folder, 'processes.json'))}, started.id) || !has(${JSON.stringify(join(desk.folder, 'deaf'))}, '\\n') || !has(${JSON.stringify(join(desk.folder, 'outputs'))} + '/' + started.id + '.log', 'captured')) await new Promise((r) => setTimeout(r, 10));
      console.log(JSON.stringify(started));`);
    const id = started['id'] as TerminalId; // minted as one
    const deaf = Number(readFileSync(join(desk.folder, 'deaf'), 'utf8'));
    // The kernel hangs up on what the terminal belonged to.
    await expect.poll(() => alive(Number(started['pid']))).toBe(false);
    desk = (await desk.close(), desk.reopen());
    await desk.terminals.recover();
    expect(alive(deaf)).toBe(false);
    expect(desk.terminals.get(id)).toMatchObject({ state: 'lost', ended: 'ended together with the app', mode: 'pty' });
    expect((await desk.terminals.text(id)).text).toContain('captured');
    expect(await desk.process('poll', String(id))).toMatchObject({ status: 'not_found' });
  });

  test('one with a terminal that does not mind the hang-up is adopted: its state and kill work', async () => {
    const started = await hostThatDies(desk.folder, `
      const started = await desk.start('trap "" HUP; echo captured; exec sleep 600', { pty: true });
      const { existsSync, readFileSync } = await import('node:fs');
      const has = (name, text) => existsSync(name) && readFileSync(name, 'utf8').includes(text);
      while (!has(${JSON.stringify(join(desk.folder, 'processes.json'))}, started.id) || !has(${JSON.stringify(join(desk.folder, 'outputs'))} + '/' + started.id + '.log', 'captured')) await new Promise((r) => setTimeout(r, 10));
      console.log(JSON.stringify(started));`);
    const id = started['id'] as TerminalId; // minted as one
    desk = (await desk.close(), desk.reopen());
    await desk.terminals.recover();
    expect(desk.terminals.get(id)).toMatchObject({ state: 'running', readOnly: true, mode: 'pty' });
    expect((await desk.terminals.text(id)).text).toContain('captured');
    expect(await desk.process('write', String(id), { data: 'x' })).toMatchObject({ status: 'error', error: expect.stringContaining('stdin not available') as unknown });
    expect(await desk.process('kill', String(id))).toMatchObject({ status: 'killed' });
    expect(alive(Number(started['pid']))).toBe(false);
  });

  test('a foreground command that it left is ended and its terminal told as lost', async () => {
    const started = await hostThatDies(desk.folder, `
      void desk.run('trap "" HUP PIPE; echo $$ > fg; sleep 600; sleep 600', { onStarted: (id) => { void (async () => {
        const { existsSync, readFileSync } = await import('node:fs');
        const path = ${JSON.stringify(join(desk.folder, 'fg'))};
        while (!existsSync(path) || readFileSync(path, 'utf8') === '') await new Promise((r) => setTimeout(r, 10));
        console.log(JSON.stringify({ id, pid: Number(readFileSync(path, 'utf8')) }));
      })(); } });`);
    expect(alive(Number(started['pid']))).toBe(true);
    desk = (await desk.close(), desk.reopen());
    await desk.terminals.recover();
    expect(alive(Number(started['pid']))).toBe(false);
    expect(desk.terminals.get(started['id'] as TerminalId)).toMatchObject({ state: 'lost', ended: 'ended together with the app' }); // minted as one
  });

  test('a process that ended meanwhile is not adopted, and no end is invented for it', async () => {
    const started = await hostThatDies(desk.folder, `
      const started = await desk.start('echo captured; exec sleep 600', { notifyOnComplete: true });
      const { existsSync, readFileSync } = await import('node:fs');
      const output = ${JSON.stringify(join(desk.folder, 'outputs'))} + '/' + started.id + '.log';
      while (!existsSync(${JSON.stringify(join(desk.folder, 'processes.json'))}) || !existsSync(output) || readFileSync(output, 'utf8') === '') await new Promise((r) => setTimeout(r, 10));
      console.log(JSON.stringify(started));`);
    process.kill(Number(started['pid']), 'SIGKILL');
    while (alive(Number(started['pid']))) await new Promise((resolve) => { setImmediate(resolve); });
    desk = (await desk.close(), desk.reopen());
    await desk.terminals.recover();
    expect(await desk.process('poll', String(started['id']))).toMatchObject({ status: 'not_found' });
    const [notice, ...others] = desk.terminals.drainNotices(desk.sessionId);
    expect(others).toEqual([]);
    expect(notice).toMatch(/is not running any more: ended while the app was closed, or with it; its exit code was not seen \(exit_code unknown\)\.[^]*Command: echo captured; exec sleep 600[^]*:\ncaptured$/);
    expect(desk.terminals.get(started['id'] as TerminalId)?.state).toBe('lost'); // minted as one
  });

  test('the processes of a host that lives are left alone', async () => {
    const { id, pid } = await desk.start('sleep 600');
    while (!existsSync(join(desk.folder, 'processes.json'))) await new Promise((resolve) => { setImmediate(resolve); });
    const second = openDesk(desk.folder);
    await second.terminals.recover();
    expect(alive(pid)).toBe(true);
    expect(second.terminals.get(id)?.state).toBe('running');
    await second.close();
    expect(alive(pid)).toBe(true);
    expect(await desk.process('poll', id)).toMatchObject({ status: 'running' });
    expect(desk.complaints).toEqual([]);
    expect(checkpoint()).toHaveLength(1);
    await desk.process('kill', id);
  });
});
