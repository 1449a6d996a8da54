import { describe, expect, test } from 'vitest';
import { AppError, SessionId, type ApprovalRequest, type ChatEvent, type Message, type ToolCall, type ToolsetInfo } from '../../../preload/contract/index.ts';
import type { Handlers } from '../../support/bridge-host.ts';
import { approvalRecord, runWith, sessionRecord, testCliHost, testStreams, type TestCliHost } from '../../support/cli-host.ts';
import { ARMING_MS } from '../../../main/shells/cli/approval-prompt.ts';

const SESSION = SessionId.parse('ses_0000000000000000');

const toolset = (name: string, tools: readonly string[], change: Partial<ToolsetInfo> = {}): ToolsetInfo => ({
  name, description: name, enabled: true, enabledByDefault: true, inChat: null, available: true, reason: null, checkedAt: null, tokens: 0, uses30d: 0,
  tools: tools.map((tool) => ({ name: tool, emoji: '', description: `does ${tool}`, parameters: { type: 'object' }, tokens: 0, available: change.available ?? true })), ...change,
});

async function json(host: TestCliHost, ...argv: string[]): Promise<{ code: number; value: unknown }> {
  const streams = testStreams({ interactive: false });
  const code = await runWith(host, streams, ...argv, '--json');
  return { code, value: JSON.parse(streams.out()) as unknown };
}

describe('lists', () => {
  const handlers: Handlers = {
    'toolsets.list': () => [toolset('file', ['read_file', 'patch']), toolset('web', ['web_search'], { available: false, enabled: false, reason: { step: 'missing-variable', message: 'no key' } }), toolset('hermes-cli', ['read_file'])],
    'host.doctor': () => [{ name: 'model', state: 'ok', message: 'answers' }, { name: 'docker', state: 'fail', message: 'no engine', fix: 'start it' }],
    'sessions.search': ({ query }) => [{ sessionId: SESSION, sessionTitle: 'A', messageId: 'msg_000000000000' as never, role: 'user', snippet: query, createdAt: 0 }],
  };

  test('tools are listed once each, with toolset, schema and the reason of those that are not available', async () => {
    const host = testCliHost(handlers);
    expect(await json(host, 'tools')).toEqual({ code: 0, value: [
      { name: 'patch', toolset: 'file', available: true, description: 'does patch', parameters: { type: 'object' } },
      { name: 'read_file', toolset: 'file', available: true, description: 'does read_file', parameters: { type: 'object' } },
      { name: 'web_search', toolset: 'web', available: false, reason: 'no key', description: 'does web_search', parameters: { type: 'object' } },
    ] });
    expect(host.closed).toBe(true);
  });

  test('toolsets are listed with their tools, the wish and the availability', async () => {
    expect(await json(testCliHost(handlers), 'toolsets')).toMatchObject({ code: 0, value: [
      { name: 'file', tools: ['read_file', 'patch'], enabled: true, available: true }, { name: 'web', tools: ['web_search'], enabled: false, available: false, reason: 'no key' }, { name: 'hermes-cli' },
    ] });
  });

  test('doctor fails when something fails', async () => {
    expect(await json(testCliHost(handlers), 'doctor')).toMatchObject({ code: 1 });
  });

  test('sessions search finds messages', async () => {
    expect(await json(testCliHost(handlers), 'sessions', 'search', 'needle')).toMatchObject({ code: 0, value: [{ snippet: 'needle' }] });
  });

  test('options may stand before or after the command', async () => {
    const streams = testStreams({ interactive: false });
    expect(await runWith(testCliHost(handlers), streams, '--json', 'toolsets')).toBe(0);
    expect(JSON.parse(streams.out())).toHaveLength(3);
  });
});

describe('check', () => {
  const finding = { key: 'k', description: 'd', class: 'delete', effect: 'e', start: 0, end: 2, tier: 'danger' } as const;
  const handlers: Handlers = {
    'allowlist.test': ({ command }) => {
      if (command === 'late') throw new AppError('request/invalid', 'cannot be read');
      return command.startsWith('rm') ? { verdict: 'ask', findings: [finding], parts: [] } : { verdict: 'allow', findings: [], parts: [], rule: 'safe' };
    },
  };

  test('answers with verdict, findings and rule, and nothing else', async () => {
    expect(await json(testCliHost(handlers), 'check', 'rm x')).toEqual({ code: 0, value: { verdict: 'ask', findings: [{ key: 'k', description: 'd', start: 0, end: 2 }] } });
    expect(await json(testCliHost(handlers), 'check', 'ls')).toEqual({ code: 0, value: { verdict: 'allow', findings: [], rule: 'safe' } });
  });

  test('--stdin answers line by line in order, splits on newlines alone, and names the bad ones', async () => {
    const streams = testStreams({ interactive: false });
    streams.stdin.end(`${JSON.stringify('rm a')}\n${JSON.stringify('ls\u2028-l\nwc')}\nnot json\n42\n\n${JSON.stringify('late')}\n${JSON.stringify('ls')}`);
    const host = testCliHost(handlers);
    expect(await runWith(host, streams, 'check', '--stdin')).toBe(1);
    const lines = streams.out().trimEnd().split('\n').map((line) => JSON.parse(line) as { verdict?: string; error?: string });
    expect(lines.map((line) => line.verdict ?? 'error')).toEqual(['ask', 'allow', 'error', 'error', 'error', 'allow']);
    expect(host.calls.map((call) => (call.input as { command: string }).command)).toEqual(['rm a', 'ls\u2028-l\nwc', 'late', 'ls']);
  });
});

describe('usage', () => {
  test.each([
    ['an unknown command', ['frobnicate']], ['no command and stdin', ['check']], ['both', ['check', 'ls', '--stdin']], ['arguments that are no JSON', ['call', 'read_file', '{']],
    ['arguments that are no object', ['call', 'read_file', '[1]']], ['an unknown choice', ['run', 'hi', '--approvals', 'maybe']], ['a missing prompt', ['run']],
    ['an unknown option', ['tools', '--frob']], ['an impossible session name', ['run', 'hi', '--session', '../x']], ['an impossible port', ['serve', '--port', '70000']],
    ['an unknown action', ['allowlist', 'frob']], ['an entry that is missing', ['allowlist', 'add']], ['chat without a terminal', ['chat']],
  ])('%s is exit code 2 and said on stderr', async (_name, argv) => {
    const streams = testStreams({ interactive: false });
    expect(await runWith(testCliHost({}), streams, ...argv)).toBe(2);
    expect(streams.err()).not.toBe('');
    expect(streams.out()).toBe('');
  });

  test('a refusal of the host is exit code 1 with its hint', async () => {
    const streams = testStreams({ interactive: false });
    const host = testCliHost({ 'allowlist.add': () => { throw new AppError('config/locked', 'the file is locked', { hint: 'Wait.' }); } });
    expect(await runWith(host, streams, 'allowlist', 'add', 'ls')).toBe(1);
    expect(streams.err()).toBe('talaria: the file is locked\n         Wait.\n');
    expect(host.closed).toBe(true);
  });
});

describe('call', () => {
  /** A tool that asks for consent the way the host does: an open request, then the decision. */
  const asking = (): TestCliHost => {
    const request = approvalRecord();
    let decided = (_choice: string): void => undefined;
    return testCliHost({
      'approvals.decide': ({ choice }) => {
        const settled: ApprovalRequest = { ...request, state: choice === 'deny' ? 'denied' : 'approved' };
        decided(choice);
        return settled;
      },
    }, async (host) => {
      if (host.surfaces.size === 0) return { result: JSON.stringify({ error: 'nobody can be asked' }), status: 'blocked' };
      const choice = await new Promise<string>((resolve) => {
        decided = resolve;
        host.bus.publish('approvals', { type: 'changed', request });
      });
      return choice === 'deny' ? { result: JSON.stringify({ output: '', exit_code: -1, error: 'denied' }) } : { result: JSON.stringify({ output: 'ran', exit_code: 0, error: null }) };
    });
  };

  test('prints the result string and nothing else, exit code 0', async () => {
    const host = testCliHost({}, async () => ({ result: '{"content":"1|x"}' }));
    const streams = testStreams({ interactive: false });
    expect(await runWith(host, streams, 'call', 'read_file', '{"path":"x"}')).toBe(0);
    expect(streams.out()).toBe('{"content":"1|x"}\n');
    expect(host.toolCalls).toEqual([{ name: 'read_file', args: { path: 'x' } }]);
  });

  test('exits with 1 for an error object, not for a null error', async () => {
    for (const [result, code] of [['{"error":"no"}', 1], ['{"error":null}', 0], ['plain', 0]] as const) {
      expect(await runWith(testCliHost({}, async () => ({ result })), testStreams({ interactive: false }), 'call', 'x', '{}')).toBe(code);
    }
  });

  test('without a terminal and without --approve a command that needs consent is refused', async () => {
    expect(await runWith(asking(), testStreams({ interactive: false }), 'call', 'terminal', '{}')).toBe(1);
  });

  test.each([['once', 0], ['deny', 1]] as const)('--approve %s answers by itself', async (choice, code) => {
    expect(await runWith(asking(), testStreams({ interactive: false }), 'call', 'terminal', '{}', '--approve', choice)).toBe(code);
  });

  test('asks on a terminal, and Ctrl-C at the question ends with 130', async () => {
    const streams = testStreams({ interactive: true });
    const running = runWith(asking(), streams, 'call', 'terminal', '{}');
    await streams.shows('[o]nce');
    streams.clock.pass(ARMING_MS);
    streams.stdin.write('o');
    expect(await running).toBe(0);
    const again = testStreams({ interactive: true });
    const interrupted = runWith(asking(), again, 'call', 'terminal', '{}');
    await again.shows('[o]nce');
    again.stdin.write('\u0003');
    expect(await interrupted).toBe(130);
  });
});

describe('run', () => {
  const at = { sessionId: SESSION, createdAt: 0, endedAt: null, turn: 1, reasoning: '', error: null, model: null, calls: [] };
  const message = (change: Partial<Message>): Message => ({ ...at, id: 'msg_000000000000' as never, seq: 1, role: 'assistant', text: '', state: 'streaming', ...change });
  const call = (change: Partial<ToolCall>): ToolCall => ({
    id: 'call_000000000000' as never, messageId: 'msg_000000000000' as never, sessionId: SESSION, modelCallId: 'm', name: 'read_file', emoji: '📖', arguments: '{"path":"a"}', state: 'running',
    repairs: [], startedAt: 0, endedAt: null, exitCode: null, result: null, resultChars: 0, approvalId: null, terminalId: null, ...change,
  });
  let seq = 0;
  const publish = (host: TestCliHost, event: Record<string, unknown>): void => { host.bus.publish('chat', { sessionId: SESSION, seq: seq += 1, ...event } as ChatEvent); };

  const model = (reason: 'done' | 'error' | 'stopped' = 'done', deltas: readonly string[] = ['Hel', 'lo']): TestCliHost => {
    const host: TestCliHost = testCliHost({
      'chat.send': ({ text }) => {
        const sent = message({ id: 'msg_user00000000' as never, role: 'user', text, state: 'complete' });
        queueMicrotask(() => {
          publish(host, { type: 'message-added', message: sent });
          publish(host, { type: 'message-added', message: message({}) });
          publish(host, { type: 'call-changed', call: call({}) });
          publish(host, { type: 'call-changed', call: call({ state: 'done', endedAt: 1_500, exitCode: 0, result: 'ok' }) });
          for (const text of deltas) publish(host, { type: 'text-delta', messageId: 'msg_000000000000', text });
          const error = reason === 'error' ? { code: 'model/refused', message: 'refused', hint: 'start it' } : null;
          publish(host, { type: 'message-changed', message: message({ text: 'Hello', state: reason === 'error' ? 'error' : 'complete', error }) });
          publish(host, { type: 'turn-ended', reason });
        });
        return sent;
      },
      'sessions.open': () => ({ session: sessionRecord(SESSION, { usage: { promptTokens: 12, completionTokens: 3, requests: 2 } }), messages: [], more: false, questions: [], todos: [], running: false, seq: 0 }),
      'toolsets.list': () => [toolset('file', []), toolset('web', []), toolset('memory', [], { enabled: false })],
      'toolsets.set': ({ name }) => { if (name === 'nonsense') throw new AppError('not-found', 'no such toolset'); return []; },
      'chat.stop': () => ({}),
    });
    return host;
  };

  test('streams the text to stdout and the tool calls to stderr', async () => {
    const streams = testStreams({ interactive: false });
    expect(await runWith(model(), streams, 'run', 'hi')).toBe(0);
    expect(streams.out()).toBe('Hello\n');
    expect(streams.err()).toContain('📖 read_file {"path":"a"}');
    expect(streams.err()).toContain('✓ 1.5 s, exit code 0');
  });

  test('--json writes one event per line and ends with the result', async () => {
    const streams = testStreams({ interactive: false });
    expect(await runWith(model(), streams, 'run', 'hi', '--json')).toBe(0);
    const lines = streams.out().trimEnd().split('\n').map((line) => JSON.parse(line) as { type: string });
    expect(lines.map((line) => line.type)).toEqual(['message-added', 'message-added', 'call-changed', 'call-changed', 'text-delta', 'text-delta', 'message-changed', 'turn-ended', 'result']);
    expect(lines.at(-1)).toEqual({
      type: 'result', text: 'Hello', usage: { promptTokens: 12, completionTokens: 3, requests: 2 }, sessionId: SESSION, reason: 'done',
      toolCalls: [{ id: 'call_000000000000', name: 'read_file', arguments: '{"path":"a"}', state: 'done', exitCode: 0, result: 'ok' }],
    });
  });

  test('a failed turn is exit code 1 and says why and what to do', async () => {
    const streams = testStreams({ interactive: false });
    expect(await runWith(model('error'), streams, 'run', 'hi')).toBe(1);
    expect(streams.err()).toContain('talaria: refused\n         start it\n');
  });

  test('hands model, endpoint and directory to the host', async () => {
    const host = model();
    await runWith(host, testStreams({ interactive: false }), 'run', 'hi', '--model', 'm', '--base-url', 'http://127.0.0.1:1/v1', '--cwd', '/srv');
    expect(host.opened).toEqual([{ cwd: '/srv', model: 'm', baseUrl: 'http://127.0.0.1:1/v1' }]);
  });

  test('--backend moves the chat before anything runs, and the directory is meant for there', async () => {
    const moves: Handlers = { 'sessions.setBackend': ({ backend }) => ({ ...sessionRecord(SESSION), backend: backend ?? 'local' }), 'sessions.setCwd': ({ cwd }) => ({ ...sessionRecord(SESSION), cwd }), 'sessions.delete': () => sessionRecord(SESSION), 'approvals.yolo': () => ({ process: false, sessions: [] }) };
    const host = testCliHost(moves);
    expect(await runWith(host, testStreams({ interactive: false }), 'call', 'terminal', '{}', '--backend', 'docker', '--cwd', '/srv/there')).toBe(0);
    expect(host.opened).toEqual([{ cwd: process.cwd() }]);
    expect(host.calls.slice(0, 2)).toMatchObject([{ name: 'sessions.setBackend', input: { sessionId: SESSION, backend: 'docker' } }, { name: 'sessions.setCwd', input: { sessionId: SESSION, cwd: '/srv/there' } }]);
  });

  test('--toolsets leaves exactly these on, --disable takes away', async () => {
    const switched = (host: TestCliHost): unknown[] => host.calls.filter((made) => made.name === 'toolsets.set').map((made) => made.input);
    const only = model();
    await runWith(only, testStreams({ interactive: false }), 'run', 'hi', '--toolsets', 'memory,file');
    expect(switched(only)).toEqual([{ name: 'web', sessionId: SESSION, enabled: false }, { name: 'memory', sessionId: SESSION, enabled: true }]);
    const without = model();
    await runWith(without, testStreams({ interactive: false }), 'run', 'hi', '--disable', 'file');
    expect(switched(without)).toEqual([{ name: 'file', sessionId: SESSION, enabled: false }]);
    expect(await runWith(model(), testStreams({ interactive: false }), 'run', 'hi', '--toolsets', 'nonsense')).toBe(2);
    const bundle = model();
    await runWith(bundle, testStreams({ interactive: false }), 'run', 'hi', '--toolsets', 'debugging');
    expect(switched(bundle)[0]).toEqual({ name: 'debugging', sessionId: SESSION, enabled: true });
  });

  test('text of a model cannot act on the terminal it is shown on, and reaches a pipe as it is', async () => {
    for (const [interactive, shown] of [[true, '‹\\e›[2Jhi\n'], [false, '\u001b[2Jhi\n']] as const) {
      const streams = testStreams({ interactive });
      await runWith(model('done', ['\u001b[2J', 'hi']), streams, 'run', 'hi');
      expect(streams.out()).toBe(shown);
    }
  });
});
