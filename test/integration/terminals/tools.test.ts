import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ReviewOutcome, ReviewRequest, ToolContext, ToolProgress } from '../../../tools/context.ts';
import { runProcessTool } from '../../../tools/process/handler.ts';
import { runTerminalTool } from '../../../tools/terminal/handler.ts';
import '../../../tools/process.ts';
import '../../../tools/terminal.ts';
import { registry } from '../../../tools/registry.ts';
import { type Desk, openDesk, SECRET } from '../../support/terminals/desk.ts';

let desk: Desk;
let reviews: ReviewRequest[] = [];
let exits: [string, number | null][] = [];
let progress: ToolProgress[] = [];
let answer: Partial<ReviewOutcome> = {};

beforeAll(() => { desk = openDesk(); });
afterEach(() => { reviews = []; exits = []; progress = []; answer = {}; });
afterAll(async () => {
  await desk.close();
  desk.discard();
});

function absent(): never {
  throw new Error('not used by these tools');
}

function context(signal = new AbortController().signal): ToolContext {
  return {
    sessionId: desk.sessionId, taskId: 'default', toolCallId: 'call_000000000000', signal, cwd: desk.terminals.cwd('default'), emit: (event) => progress.push(event),
    services: {
      approvals: {
        review: (request) => { reviews.push(request); return Promise.resolve({ approved: true, message: null, command: request.command, ...answer }); },
        recordExit: (approvalId, code) => { exits.push([approvalId, code]); },
      },
      terminals: desk.terminals, files: desk.terminals,
      config: { get: (path) => desk.config.get(path), env: (name) => desk.variables.get(name) },
      paths: { home: desk.folder, cache: desk.folder, outputs: desk.folder },
      redact: (text, mode) => text.replaceAll(SECRET, mode === 'environment' ? '[hidden variable]' : '[hidden]'), log: () => undefined,
      get history() { return absent(); }, get todos() { return absent(); }, get questions() { return absent(); },
    },
  };
}

type Answer = Record<string, unknown>;
const terminal = async (args: Record<string, unknown>, signal?: AbortSignal): Promise<Answer> => JSON.parse(await runTerminalTool(args, context(signal))) as Answer; // text of JSON by contract
const processes = async (args: Record<string, unknown>): Promise<Answer> => JSON.parse(await runProcessTool(args, context())) as Answer; // as above

describe('the terminal tool', () => {
  test('answers with output and code', async () => {
    expect(await terminal({ command: 'echo hi; exit 3' })).toEqual({ output: 'hi', exit_code: 3, error: null });
    expect(progress.map((event) => event.kind)).toEqual(expect.arrayContaining(['terminal', 'exit-code']));
  });

  test('runs byte for byte what was approved, also what the person edited', async () => {
    await terminal({ command: 'printf "%s" a  b' });
    expect(reviews[0]).toMatchObject({ tool: 'terminal', command: 'printf "%s" a  b', cwd: desk.folder });
    answer = { command: 'echo edited', edited: true, approvalId: 'apr_000000000000', note: 'Flagged and approved by the user.' };
    expect(await terminal({ command: 'rm -rf x' })).toMatchObject({ output: 'edited', command_run: 'echo edited', approval: 'Flagged and approved by the user.' });
    expect(exits).toEqual([['apr_000000000000', 0]]);
  });

  test('runs nothing that was refused', async () => {
    answer = { approved: false, message: 'BLOCKED: no', outcome: 'denied', pattern_key: 'recursive delete' };
    expect(await terminal({ command: 'touch ran' })).toEqual({ output: '', exit_code: -1, error: 'BLOCKED: no', status: 'blocked', outcome: 'denied', pattern_key: 'recursive delete' });
    expect(await desk.terminals.environment('default').then((environment) => environment.stat(`${desk.folder}/ran`))).toBeUndefined();
  });

  test('shows a rewritten compound list to whoever approves it', async () => {
    const started = await terminal({ command: 'true && sleep 600 &', background: true });
    expect(reviews[0]?.command).toBe('true && { sleep 600 & }');
    await processes({ action: 'kill', session_id: started['session_id'] });
  });

  test.each([
    [{ command: 7 }, { output: '', exit_code: -1, error: 'Invalid command: expected string, got number', status: 'error' }],
    [{}, { error: 'Invalid command: expected string, got undefined' }],
    [{ command: 'ls', workdir: '/tmp;x' }, { status: 'blocked', error: expect.stringContaining("disallowed character ';'") as unknown }],
    [{ command: 'ls', timeout: 601 }, { status: 'error', error: expect.stringContaining('background=true') as unknown }],
    [{ command: 'ls', timeout: 0 }, { status: 'error' }],
    [{ command: 'npm run dev' }, { status: 'error', exit_code: -1, error: expect.stringContaining('background=true') as unknown }],
    [{ command: 'echo pw | sudo -S id' }, { status: 'blocked', error: expect.stringContaining('never accepted') as unknown }],
  ])('answers %j without asking anybody', async (args, expected) => {
    expect(await terminal(args)).toMatchObject(expected);
    expect(reviews).toEqual([]);
  });

  test('at its time limit says so, with code 124', async () => {
    expect(await terminal({ command: 'echo part; sleep 600', timeout: 1 })).toMatchObject({ output: expect.stringMatching(/^part\n\[Command timed out after 1s\]$/) as unknown, exit_code: 124, error: null });
  });

  test('that is interrupted says so, with code 130', async () => {
    const controller = new AbortController();
    const running = terminal({ command: 'echo part; sleep 600' }, controller.signal);
    while (!progress.some((event) => event.kind === 'output')) await new Promise((resolve) => { setImmediate(resolve); });
    controller.abort();
    expect(await running).toMatchObject({ output: 'part\n[Command interrupted]', exit_code: 130 });
  });

  test('explains a code that is an answer', async () => {
    expect(await terminal({ command: 'echo a | grep b' })).toMatchObject({ exit_code: 1, exit_code_meaning: expect.stringContaining('No matches') as unknown });
  });

  test('gives plain text without secrets', async () => {
    expect((await terminal({ command: `printf '\\033[31m${SECRET}\\033[0m\\r\\n'` }))['output']).toBe('[hidden]');
    expect((await terminal({ command: `X=${SECRET} env | grep ^X=` }))['output']).toBe('X=[hidden variable]');
    expect(JSON.stringify(progress)).not.toContain(SECRET);
  });

  test('with long output names the file that holds all of it', async () => {
    const result = await terminal({ command: 'seq 1 30000' });
    expect(result).toMatchObject({ exit_code: 0, output_total_chars: 168_894 });
    expect(String(result['output'])).toContain('OUTPUT TRUNCATED');
    expect(readFileSync(String(result['full_output_path']), 'utf8').endsWith('\n30000\n')).toBe(true);
  });

  test('that waits for a secret answers at once with a session to follow', async () => {
    const result = await terminal({ command: 'read -r -s -p "Password: " x', pty: true });
    expect(result).toMatchObject({ status: 'waiting_for_input', exit_code: null, error: null, output: 'Password:' });
    expect(await processes({ action: 'submit', session_id: result['session_id'], data: 'guess' })).toMatchObject({ status: 'error' });
    expect(await processes({ action: 'kill', session_id: result['session_id'] })).toMatchObject({ status: 'killed' });
  });

  test('starts a background process and says how it will be told', async () => {
    const silent = await terminal({ command: 'sleep 600', background: true });
    expect(silent).toMatchObject({ output: 'Background process started', exit_code: 0, error: null, hint: expect.any(String) as unknown, session_id: expect.stringMatching(/^proc_[0-9a-f]{12}$/) as unknown });
    const both = await terminal({ command: 'sleep 600', background: true, notify_on_complete: true, watch_patterns: ['x'] });
    expect(both).toMatchObject({ notify_on_complete: true, watch_patterns_ignored: expect.any(String) as unknown });
    expect(both).not.toHaveProperty('hint');
    for (const { session_id: id } of [silent, both]) await processes({ action: 'kill', session_id: id });
  });

  test('under an unknown backend is disabled and says what to set', async () => {
    desk.variables.set('TERMINAL_ENV', 'teleport');
    expect(await terminal({ command: 'ls' })).toMatchObject({ status: 'disabled', error: expect.stringContaining('TERMINAL_ENV') as unknown });
    desk.variables.delete('TERMINAL_ENV');
  });
});

describe('the process tool', () => {
  test.each([
    [{ action: 'fly' }, /list, poll, log/], [{}, /list, poll, log/], [{ action: 'poll' }, /session_id is required for poll/], [{ action: 'write', session_id: 'x', data: 5 }, /data must be a string/],
    [{ action: 'wait', session_id: 'x', timeout: 0 }, /at least 1/], [{ action: 'log', session_id: 'x', limit: 0 }, /limit/], [{ action: 'log', session_id: 'x', offset: -1 }, /offset/],
  ])('%j is refused with words', async (args, words) => {
    expect((await processes(args))['error']).toMatch(words);
  });

  test('takes a number for an id, as models write it', async () => {
    expect(await processes({ action: 'poll', session_id: 12 })).toMatchObject({ status: 'not_found' });
  });

  test('lists what this chat started', async () => {
    const { session_id: id } = await terminal({ command: 'sleep 600', background: true });
    expect((await processes({ action: 'list' }))['processes']).toEqual(expect.arrayContaining([expect.objectContaining({ session_id: id, status: 'running' })]));
    await processes({ action: 'kill', session_id: id });
  });
});

test('both tools are registered under the toolset terminal, without a force argument', () => {
  for (const name of ['terminal', 'process']) {
    const entry = registry.getEntry(name);
    expect(entry).toMatchObject({ toolset: 'terminal', maxResultSizeChars: 100_000 });
    expect(JSON.stringify(entry?.schema.parameters)).not.toContain('force');
  }
});
