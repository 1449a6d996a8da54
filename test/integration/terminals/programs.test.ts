/** Interactive programs, driven by bytes as an agent does. A program that the machine lacks is named in the title of its skipped test. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { type Desk, openDesk } from '../../support/terminals/desk.ts';

let desk: Desk;
beforeAll(() => { desk = openDesk(); });
afterAll(async () => {
  await desk.close();
  desk.discard();
});

function present(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // not installed: the title of the skipped test says so
  }
}

function testWith(program: string, name: string, run: () => Promise<void>): void {
  if (present(program)) test(name, run);
  else test.skip(`${name} [skipped: ${program} is not installed]`);
}

/** Resolves with the screen once it matches; the test's own limit ends it otherwise. */
async function screen(id: TerminalId, pattern: RegExp): Promise<string> {
  for (;;) {
    const { text } = await desk.terminals.text(id);
    if (pattern.test(text)) return text;
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
}

const write = async (id: TerminalId, data: string) => expect(await desk.process('write', id, { data })).toMatchObject({ status: 'ok' });

describe('interactive programs on a background pseudo-terminal', () => {
  testWith('vim', 'vim edits and saves a file, and the screen says that it is full', async () => {
    const { id } = await desk.start('vim -u NONE -N note.txt', { pty: true });
    await screen(id, /note\.txt/);
    expect((await desk.until(id, (terminal) => terminal.fullScreen)).fullScreen).toBe(true);
    await write(id, 'ihéllo from the agent\x1b');
    await screen(id, /héllo from the agent/);
    expect(await desk.process('poll', id)).toMatchObject({ screen: expect.stringMatching(/^héllo from the agent\n~\n/) as string });
    await write(id, ':wq\r');
    expect(await desk.process('wait', id)).toMatchObject({ status: 'exited', exit_code: 0 });
    expect(readFileSync(join(desk.folder, 'note.txt'), 'utf8')).toBe('héllo from the agent\n');
    expect(desk.terminals.get(id)?.fullScreen).toBe(false);
  });

  testWith('less', 'less pages to the end and leaves', async () => {
    const { id } = await desk.start('seq 1 500 | less', { pty: true });
    await screen(id, /^1$/m);
    await write(id, 'G');
    await screen(id, /^500$/m);
    await write(id, 'q');
    expect(await desk.process('wait', id)).toMatchObject({ status: 'exited', exit_code: 0 });
  });

  testWith('python3', 'a python prompt answers line by line', async () => {
    const { id } = await desk.start('python3 -q', { pty: true });
    await screen(id, />>>$/);
    expect(await desk.process('submit', id, { data: 'print(6 * 7)' })).toMatchObject({ status: 'ok' });
    await screen(id, /^42$/m);
    await write(id, '\x04');
    expect(await desk.process('wait', id)).toMatchObject({ status: 'exited', exit_code: 0 });
  });
});

describe('interactive programs in the foreground', () => {
  testWith('python3', 'a python prompt is reported as waiting, not timed out', async () => {
    const result = await desk.run('python3 -q', { pty: true, timeoutMs: 25_000 });
    expect(result).toMatchObject({ why: 'waiting-for-input', output: expect.stringContaining('>>> ') as unknown });
    expect(await desk.process('kill', result.terminalId)).toMatchObject({ status: 'killed' });
  });

  testWith('vim', 'vim is reported as full-screen, and the agent can leave it', async () => {
    const result = await desk.run('vim -u NONE -N', { pty: true, timeoutMs: 25_000 });
    expect(result).toMatchObject({ why: 'full-screen', screen: expect.stringMatching(/^\n~\n~/) as string });
    await write(result.terminalId as TerminalId, ':q!\r'); // minted as one by the manager
    expect(await desk.process('wait', result.terminalId)).toMatchObject({ status: 'exited', exit_code: 0 });
  });
});
