import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, openDesk, SECRET } from '../../support/terminals/desk.ts';

let desk: Desk;
beforeAll(() => { desk = openDesk(); });
afterAll(async () => {
  await desk.close();
  desk.discard();
});

const alive = (pid: number): boolean => existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

/** Resolves once the poll of the process shows `text`. */
async function printed(id: string, text: string): Promise<void> {
  for (;;) {
    const { output_preview: preview } = await desk.process('poll', id);
    if (typeof preview === 'string' && preview.includes(text)) return;
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}

describe('a background process', () => {
  test('is listed, polled and read by lines', async () => {
    const { id, pid } = await desk.start('seq 1 300; echo ready; sleep 600');
    await desk.until(id, (terminal) => terminal.kind === 'background');
    await printed(id, 'ready');
    const row = (await desk.list()).find((entry) => entry['session_id'] === id);
    expect(row).toMatchObject({ command: 'seq 1 300; echo ready; sleep 600', cwd: desk.folder, pid, status: 'running' });
    expect(row?.['output_preview']).toHaveLength(200);
    expect(await desk.process('poll', id)).toMatchObject({ session_id: id, status: 'running', pid });
    expect(await desk.process('log', id, { limit: 2 })).toMatchObject({ output: '300\nready', total_lines: 301, showing: '2 lines' });
    expect(await desk.process('log', id, { offset: 0, limit: 3 })).toMatchObject({ output: '1\n2\n3', showing: '3 lines' });
    expect(await desk.process('log', id, { offset: 299, limit: 50 })).toMatchObject({ output: '300\nready', showing: '2 lines' });
    await desk.process('kill', id);
  });

  test('says so when the log lacks the beginning, counts whole lines, and names the file of all of it', async () => {
    const { id } = await desk.start('seq 1 100000');
    await desk.process('wait', id);
    const log = await desk.process('log', id, { offset: 0, limit: 2 });
    const textOf = (value: unknown): string => { if (typeof value !== 'string') throw new Error('no text'); return value; };
    const [first = 0, second] = textOf(log['output']).split('\n').map(Number);
    expect(log).toMatchObject({ output_cut: true, note: expect.stringContaining('full_output_path') as string, total_lines: 100_000 - first + 1 });
    expect(second).toBe(first + 1);
    expect(first).toBeGreaterThan(9_999); // no line that was cut in its middle
    expect(readFileSync(textOf(log['full_output_path']), 'utf8')).toMatch(/^1\n2\n/);
  });

  test('killed by a signal, has that signal for its exit code, in the notice too', async () => {
    const { id } = await desk.start('kill -9 $$', { notifyOnComplete: true });
    await desk.noticed();
    expect(desk.terminals.drainNotices(desk.sessionId).join('\n')).toContain('(exit_code -9)');
    expect(await desk.process('poll', id)).toMatchObject({ status: 'exited', exit_code: -9, completion_reason: 'killed by signal 9, probably out of memory' });
  });

  test('is found by a unique beginning of its id, and by nothing else', async () => {
    const { id } = await desk.start('sleep 600');
    expect(await desk.process('poll', id.slice(0, 11))).toMatchObject({ session_id: id });
    expect(await desk.process('poll', 'proc_none')).toEqual({ status: 'not_found', error: 'No process with ID proc_none' });
    expect(await desk.process('poll', '__proto__')).toMatchObject({ status: 'not_found' });
    await desk.process('kill', id);
  });

  test('takes input in pieces, with and without Enter, until its input is closed', async () => {
    const { id } = await desk.start('while IFS= read -r line; do echo "<$line>"; done; echo closed');
    expect(await desk.process('write', id, { data: 'one ' })).toEqual({ status: 'ok', bytes_written: 4 });
    expect(await desk.process('submit', id, { data: 'line' })).toEqual({ status: 'ok', bytes_written: 5 });
    expect(await desk.process('close', id)).toEqual({ status: 'ok', message: 'stdin closed' });
    expect(await desk.process('write', id, { data: 'x' })).toMatchObject({ error: expect.stringMatching(/stdin not available|already/) as unknown });
    expect(await desk.process('wait', id)).toMatchObject({ status: 'exited', exit_code: 0, output: '<one line>\nclosed\n' });
    expect(await desk.process('write', id, { data: 'x' })).toEqual({ status: 'already_exited', error: 'Process has already finished' });
  });

  test('on a pseudo-terminal gets Enter as a carriage return and an end of input as Ctrl-D', async () => {
    const { id } = await desk.start('stty -echo; cat', { pty: true });
    expect(await desk.process('submit', id, { data: 'x' })).toEqual({ status: 'ok', bytes_written: 2 });
    await printed(id, 'x');
    expect(await desk.process('close', id)).toEqual({ status: 'ok', message: 'EOF sent' });
    expect(await desk.process('wait', id)).toMatchObject({ status: 'exited', exit_code: 0 });
  });

  test('that outlasts a wait is no error, and a long wait is shortened to the limit', async () => {
    desk.variables.set('TERMINAL_TIMEOUT', '1');
    const { id } = await desk.start('sleep 600');
    expect(await desk.process('wait', id, { timeoutMs: 5_000 })).toMatchObject({
      status: 'timeout', process_running: true, timeout_note: expect.stringContaining('1s') as unknown, message: expect.stringContaining('not an error') as unknown,
    });
    desk.variables.delete('TERMINAL_TIMEOUT');
    const controller = new AbortController();
    const waiting = desk.terminals.process({ action: 'wait', processId: id, sessionId: desk.sessionId }, controller.signal);
    controller.abort();
    expect(await waiting).toMatchObject({ status: 'interrupted', process_running: true });
    await desk.process('kill', id);
  });

  test('is killed with its whole tree, and what comes after the receipt is dropped', async () => {
    const { id, pid } = await desk.start("sh -c 'trap \"\" TERM; sleep 600' & (setsid sleep 600 & echo $! > escaped); echo up; trap 'echo too late; exit' TERM; while :; do sleep 0.05; done");
    await printed(id, 'up');
    const escaped = Number(readFileSync(join(desk.folder, 'escaped'), 'utf8'));
    expect(await desk.process('kill', id)).toEqual({
      status: 'killed', session_id: id, exit_code: -15, completion_reason: 'killed', termination_source: 'process.kill', output: 'up\n',
    });
    expect([pid, escaped].filter(alive)).toEqual([]);
    expect(await desk.process('kill', id)).toMatchObject({ status: 'already_exited', exit_code: -15 });
    expect(await desk.process('log', id)).toMatchObject({ output: 'up', status: 'exited', completion_reason: 'killed' });
  });

  test('hides secrets in every field', async () => {
    const { id } = await desk.start(`echo ${SECRET}; sleep 600`);
    await printed(id, 'hidden');
    expect(JSON.stringify([await desk.list(), await desk.process('poll', id), await desk.process('log', id), await desk.process('kill', id)])).not.toContain(SECRET);
    expect(readFileSync(join(desk.folder, 'processes.json'), 'utf8')).not.toContain(SECRET);
  });

  test('of another chat is not listed, and its id is not known to any action', async () => {
    const other = 'other-chat';
    const { id, pid } = await desk.start('cat', { sessionId: other });
    expect((await desk.list()).map((row) => row['session_id'])).not.toContain(id);
    for (const action of ['poll', 'log', 'wait', 'kill', 'close', 'write', 'submit'] as const) {
      for (const named of [id, id.slice(0, 11)]) expect(await desk.process(action, named, { data: 'x' })).toEqual({ status: 'not_found', error: `No process with ID ${named}` });
    }
    const never = new AbortController().signal;
    expect(await desk.terminals.process({ action: 'poll', processId: id, sessionId: other }, never)).toMatchObject({ status: 'running', pid, output_preview: '' });
    expect(await desk.terminals.process({ action: 'kill', processId: id, sessionId: other }, never)).toMatchObject({ status: 'killed' });
  });
});

describe('being told', () => {
  test('a completion is told once, with its code and the end of its output', async () => {
    const { id } = await desk.start('seq 1 2000; exit 7', { notifyOnComplete: true });
    await desk.noticed();
    const [notice, ...more] = desk.terminals.drainNotices(desk.sessionId);
    expect(more).toEqual([]);
    expect(notice).toContain(`${id} has ended: exit code 7`);
    expect(notice).toMatch(/last 2000 characters; \d+ before them are not shown/);
    expect(notice?.trimEnd().endsWith('2000')).toBe(true);
    expect(desk.terminals.drainNotices(desk.sessionId)).toEqual([]);
  });

  test('a completion that a wait has seen is not told again; a poll consumes nothing', async () => {
    const waited = await desk.start('true', { notifyOnComplete: true });
    await desk.process('wait', waited.id);
    expect(desk.terminals.drainNotices(desk.sessionId)).toEqual([]);
    const polled = await desk.start('true', { notifyOnComplete: true });
    await desk.until(polled.id, (terminal) => terminal.state === 'exited');
    await desk.process('poll', polled.id);
    expect(desk.terminals.drainNotices(desk.sessionId)).toHaveLength(1);
  });

  test('a process that nobody asked about ends in silence', async () => {
    const { id } = await desk.start('true');
    await desk.until(id, (terminal) => terminal.state === 'exited');
    expect(desk.terminals.drainNotices(desk.sessionId)).toEqual([]);
  });

  test('a watched line is told while the process runs', async () => {
    const { id } = await desk.start('echo booting; echo "listening on 3000"; sleep 600', { watchPatterns: ['listening'] });
    await desk.noticed();
    expect(desk.terminals.drainNotices(desk.sessionId)).toEqual([`Background process ${id} printed a line that matches "listening":\nlistening on 3000`]);
    expect((await desk.list()).find((row) => row['session_id'] === id)).toMatchObject({ watch_patterns: ['listening'], watch_hit: true });
    await desk.process('kill', id);
    expect(desk.terminals.drainNotices(desk.sessionId)).toEqual([]);
  });
});

describe('the process centre', () => {
  test('shows the tree with memory, command and the ports it listens on', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => { probe.once('listening', resolve); });
    const address = probe.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await new Promise((resolve) => { probe.close(resolve); });
    const script = `require('net').createServer().listen(${port}, '127.0.0.1', () => console.log('up'))`;
    const { id, pid } = await desk.start(`"${process.execPath}" -e "${script}"; true`);
    await printed(id, 'up');
    const rows = (await desk.terminals.processes()).filter((row) => row.terminalId === id);
    expect(rows.find((row) => row.pid === pid)?.command).toContain('createServer');
    const server = rows.find((row) => row.ports.includes(port));
    expect(server).toMatchObject({ ppid: pid });
    expect(server?.memoryBytes).toBeGreaterThan(1_000_000);
    expect(Math.abs((server?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    await desk.process('kill', id);
    expect((await desk.terminals.processes()).filter((row) => row.terminalId === id)).toEqual([]);
  });
});

test('nothing went to the log as a complaint', () => {
  expect(desk.complaints).toEqual([]);
});
