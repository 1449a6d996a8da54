import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import headless from '@xterm/headless';
import { HIGH_WATER_BYTES } from '../../../preload/contract/terminal.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import { type Desk, openDesk, watch } from '../../support/terminals/desk.ts';

let desk: Desk;
beforeAll(() => { desk = openDesk(); });
afterAll(async () => {
  await desk.close();
  desk.discard();
});

async function rendered(parts: readonly (string | Uint8Array)[], cols: number, rows: number): Promise<string> {
  const terminal = new headless.Terminal({ cols, rows, scrollback: 5_000, allowProposedApi: true });
  for (const part of parts) await new Promise<void>((resolve) => { terminal.write(part, resolve); });
  const lines = Array.from({ length: terminal.buffer.active.length }, (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? '');
  terminal.dispose();
  return lines.join('\n').trimEnd();
}

function thrownBy(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a screen that attaches', () => {
  test('in the middle of output sees every line once, in order', async () => {
    const { id } = await desk.start('i=0; while [ $i -lt 400 ]; do i=$((i+1)); printf "\\033[3%dmline-%d é€😀\\033[0m\\n" $((i % 8)) $i; [ $((i % 20)) -ne 0 ] || sleep 0.01; done; echo END; sleep 600', { pty: true });
    const screens = [];
    for (let round = 0; round < 8; round++) {
      screens.push(await watch(desk, id));
      await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
    const expected = [...Array.from({ length: 400 }, (_, index) => `line-${index + 1} é€😀`), 'END'].join('\n');
    for (const screen of screens) {
      if (!screen.snapshot.includes('END')) await screen.saw(/END/);
      expect(await rendered([screen.snapshot, Buffer.from(screen.live(), 'latin1')], 120, 30)).toBe(expected);
      screen.detach();
    }
    await desk.process('kill', id);
  });

  test('between the pieces of an escape sequence or a character draws it whole', async () => {
    const { id } = await desk.start("stty raw -echo; printf 'A\\033[3'; dd bs=1 count=1 2>/dev/null >/dev/null; printf '1mred\\033[0m \\303'; dd bs=1 count=1 2>/dev/null >/dev/null; printf '\\251 END'; sleep 600", { pty: true });
    const until = async (bytes: number) => { while ((desk.terminals.get(id)?.bytes ?? 0) < bytes) await new Promise((resolve) => { setImmediate(resolve); }); };
    await until(4);
    const first = await watch(desk, id);
    await desk.process('write', id, { data: 'x' });
    await until(4 + 2 + 3 + 4 + 2);
    const second = await watch(desk, id);
    await desk.process('write', id, { data: 'x' });
    await first.saw(/END/);
    await second.saw(/END/);
    for (const screen of [first, second]) expect(await rendered([screen.snapshot, Buffer.from(screen.live(), 'latin1')], 120, 30)).toBe('Ared é END');
    await desk.process('kill', id);
  });

  test('and acknowledges nothing stops the program; acknowledging lets it go on to the last byte', async () => {
    const { id } = await desk.start('while [ ! -e attached ]; do sleep 0.02; done; seq 1 60000; echo LAST');
    const screen = await watch(desk, id, { acknowledge: false });
    await desk.run('touch attached');
    while (screen.unacknowledged() < HIGH_WATER_BYTES / 2) await new Promise((resolve) => { setImmediate(resolve); });
    const before = await settledBytes(id);
    expect(before).toBeLessThan(HIGH_WATER_BYTES * 6);
    let acknowledged = 0;
    while (!screen.live().includes('LAST')) {
      screen.ack(screen.unacknowledged() - acknowledged);
      acknowledged = screen.unacknowledged();
      await new Promise((resolve) => { setTimeout(resolve, 1); });
    }
    expect(screen.live().match(/\d+/g)?.map(Number)).toEqual(Array.from({ length: 60_000 }, (_, index) => index + 1));
  });

  test('that is gone holds nobody up', async () => {
    const { id } = await desk.start('while [ ! -e detached ]; do sleep 0.02; done; seq 1 100000; echo LAST');
    const screen = await watch(desk, id, { acknowledge: false });
    await desk.run('touch detached');
    while (screen.unacknowledged() === 0) await new Promise((resolve) => { setImmediate(resolve); });
    screen.detach();
    expect(await desk.process('wait', id)).toMatchObject({ status: 'exited', exit_code: 0 });
  });

  test('to an ended terminal sees its last screen', async () => {
    const result = await desk.run("printf '\\033[32mgreen\\033[0m\\n'");
    const id = desk.terminals.list().find((terminal) => terminal.id === result.terminalId)?.id;
    if (id === undefined) throw new Error('the terminal is listed');
    await desk.until(id, (terminal) => terminal.state === 'exited');
    while (!(await watch(desk, id)).snapshot.includes('green')) await new Promise((resolve) => { setImmediate(resolve); });
    expect((await watch(desk, id)).snapshot).toContain('\x1b[32mgreen');
  });

  async function settledBytes(id: Parameters<Desk['until']>[0]): Promise<number> {
    for (let last = -1; ;) {
      const now = desk.terminals.get(id)?.bytes ?? 0;
      if (now === last) return now;
      last = now;
      await new Promise((resolve) => { setTimeout(resolve, 150); });
    }
  }
});

describe('who drives', () => {
  test('a person types only after taking over; the agent only while it drives', async () => {
    const { id } = await desk.start('stty -echo; while read -r line; do echo "<$line>"; done', { pty: true });
    expect(thrownBy(() => desk.terminals.write(id, 'x\r'))).toMatchObject({ code: 'terminal/read-only', hint: expect.stringContaining('Take over') as unknown });
    let woken = 0;
    const off = desk.terminals.onNotice(() => { woken += 1; });
    expect(desk.terminals.drive(id, 'user').driver).toBe('user');
    off();
    /** An idle model is not asked anything because a person types; it is told with its next turn. */
    expect(woken).toBe(0);
    expect(desk.terminals.drainNotices(desk.sessionId)).toEqual([expect.stringContaining('has taken over')]);
    expect(await desk.process('submit', id, { data: 'agent' })).toMatchObject({ status: 'error', error: expect.stringContaining('taken over') as unknown });
    const screen = await watch(desk, id);
    desk.terminals.write(id, 'person\r');
    await screen.saw(/<person>/);
    const noticed = desk.noticed();
    desk.terminals.drive(id, 'agent');
    await noticed;
    const [handedBack] = desk.terminals.drainNotices(desk.sessionId);
    expect(handedBack).toContain('handed back');
    expect(handedBack).toContain('<person>');
    expect(await desk.process('submit', id, { data: 'agent' })).toMatchObject({ status: 'ok' });
    await screen.saw(/<agent>/);
    await desk.process('kill', id);
  });

  test('each write is tagged by its author, and what was stopped counts as stopped', async () => {
    const { id } = await desk.start('stty -echo; while read -r line; do echo "<$line>"; done', { pty: true });
    expect(desk.terminals.get(id)).toMatchObject({ startedBy: 'agent' });
    await desk.process('submit', id, { data: 'one' });
    expect(desk.terminals.get(id)?.lastInput?.by).toBe('agent');
    desk.terminals.drive(id, 'user');
    desk.terminals.write(id, 'two\r');
    expect(desk.terminals.get(id)?.lastInput?.by).toBe('user');
    await desk.terminals.kill(id, 'terminate');
    expect(await desk.until(id, (terminal) => terminal.state === 'exited')).toMatchObject({ stopped: true });
    const failed = await desk.run('exit 3');
    expect(await desk.until(failed.terminalId as typeof id, (terminal) => terminal.state === 'exited')).toMatchObject({ stopped: false, exitCode: 3 }); // a live terminal's id
  });

  test('a command without input cannot be taken over', async () => {
    let error: unknown;
    await desk.run('sleep 0.2', { onStarted: (terminalId) => { error = thrownBy(() => desk.terminals.drive(desk.terminals.list().find((terminal) => terminal.id === terminalId)?.id as never, 'user')); } }); // an id of the list is one
    expect(error).toMatchObject({ code: 'terminal/read-only' });
  });
});

describe('a person\'s own shell', () => {
  test('is told from others by its number and its folder', async () => {
    const shells = [await desk.terminals.open({ cols: 80, rows: 24 }), await desk.terminals.open({ cols: 80, rows: 24 })];
    expect(shells.map(({ title }) => title)).toEqual([`Shell 1 · ${basename(desk.folder)}`, `Shell 2 · ${basename(desk.folder)}`]);
    for (const { id } of shells) await desk.terminals.kill(id, 'kill');
    for (const { id } of shells) await desk.until(id, (terminal) => terminal.state === 'exited');
  });

  test('opens, answers, follows the size, can be renamed and ends', async () => {
    const shell = await desk.terminals.open({ cols: 90, rows: 20, sessionId: desk.sessionId });
    expect(shell).toMatchObject({ kind: 'user', mode: 'pty', driver: 'user', readOnly: false, cwd: desk.folder, cols: 90 });
    const screen = await watch(desk, shell.id);
    desk.terminals.write(shell.id, 'stty size; pwd\r');
    await screen.saw(/20 90/);
    desk.terminals.resize(shell.id, 70, 33);
    desk.terminals.write(shell.id, 'stty size\r');
    await screen.saw(/33 70/);
    expect(desk.terminals.rename(shell.id, 'Mine').title).toBe('Mine');
    expect(thrownBy(() => desk.terminals.dismiss(shell.id)).code).toBe('request/not-possible');
    desk.terminals.write(shell.id, 'exit 4\r');
    expect(await desk.until(shell.id, (terminal) => terminal.state === 'exited')).toMatchObject({ exitCode: 4, title: 'Mine' });
    expect(thrownBy(() => desk.terminals.write(shell.id, 'x')).code).toBe('terminal/gone');
  });

  test('Ctrl-C from a screen stops a flood', async () => {
    const shell = await desk.terminals.open({ cols: 80, rows: 24 });
    const screen = await watch(desk, shell.id);
    desk.terminals.write(shell.id, 'yes flood\r');
    await screen.saw(/flood\r\nflood/);
    await desk.terminals.kill(shell.id, 'interrupt');
    desk.terminals.write(shell.id, 'echo after-$((1+1))\r');
    await screen.saw(/after-2/);
    await desk.terminals.kill(shell.id, 'terminate');
    expect(desk.terminals.get(shell.id)?.state).toBe('exited');
  });

  test('an unknown terminal is not found', async () => {
    const unknown = 'trm_000000000000' as Parameters<Desk['until']>[0]; // well-formed and never minted
    await expect(desk.terminals.attach(unknown, () => undefined)).rejects.toMatchObject({ code: 'not-found' });
    expect(thrownBy(() => desk.terminals.write(unknown, 'x')).code).toBe('not-found');
    expect(thrownBy(() => desk.terminals.dismiss(unknown)).code).toBe('not-found');
  });
});
