import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { registry } from '../../../tools/registry.ts';
import type { ChatBody, RecordedRequest, Reply, StreamReply } from '../../support/model/server.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const benches: HostBench[] = [];
afterEach(async () => { await Promise.all(benches.splice(0).map((bench) => bench.close())); });

async function open(options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openHostBench(options);
  benches.push(bench);
  return bench;
}

interface Report { readonly task_index: number; readonly status: string; readonly summary: string; readonly error?: string; readonly api_calls: number; readonly tokens: object; readonly tool_trace: { tool: string; status: string }[]; readonly exit_reason: string; readonly model: string }
interface Answer { readonly results: Report[]; readonly total_duration_seconds: number; readonly error?: string }

const textOf = (body: ChatBody): string => body.messages.filter((message) => message.role === 'user').map((message) => String(message.content)).join('\n');
const isChild = ({ body }: RecordedRequest): boolean => textOf(body).startsWith('You are a sub-agent');
const answers = ({ body }: RecordedRequest): string[] => body.messages.filter((message) => message.role === 'tool').map((message) => String(message.content));
const offered = ({ body }: RecordedRequest): string[] => (body.tools ?? []).map((tool) => tool.function.name);
const delegate = (args: Readonly<Record<string, unknown>>): StreamReply => ({ calls: [{ name: 'delegate_task', arguments: args }] });

/** The parent delegates once and then ends; what sub-agents answer is the test's. */
function script(args: Readonly<Record<string, unknown>>, child: (request: RecordedRequest) => Reply): (request: RecordedRequest) => Reply {
  return (request) => {
    if (isChild(request)) return child(request);
    return answers(request).length === 0 ? delegate(args) : { text: 'All done.' };
  };
}

async function resultOf(bench: HostBench, sessionId: Parameters<HostBench['messages']>[0]): Promise<Answer> {
  const call = (await bench.messages(sessionId)).flatMap((message) => message.calls).find((each) => each.name === 'delegate_task');
  return JSON.parse(call?.result ?? 'null') as Answer;
}

test('a sub-agent works with an empty history and its own tools, and only its summary comes back', async () => {
  const bench = await open({
    script: script({ goal: 'Count the files', context: 'Use ls.' }, (request) => (answers(request).length === 0
      ? { calls: [{ name: 'terminal', arguments: { command: 'ls | wc -l' } }], usage: { prompt: 10, completion: 2 } }
      : { text: 'There are no files.', usage: { prompt: 20, completion: 3 } })),
  });
  const session = await bench.session();
  await bench.say(session.id, 'SECRET WORD of the parent');

  const result = await resultOf(bench, session.id);
  expect(result.results).toEqual([expect.objectContaining({
    task_index: 0, status: 'completed', summary: 'There are no files.', api_calls: 2, model: 'scripted-model', tokens: { input: 30, output: 5 }, exit_reason: 'completed',
    tool_trace: [expect.objectContaining({ tool: 'terminal', status: 'ok' }) as object],
  })]);
  const asked = bench.model.requests.filter(isChild);
  expect(asked).toHaveLength(2);
  for (const request of asked) {
    expect(JSON.stringify(request.body.messages)).not.toContain('SECRET WORD');
    expect(textOf(request.body)).toContain('Use ls.');
    expect(offered(request)).toContain('terminal');
    for (const blocked of ['delegate_task', 'clarify', 'memory', 'send_message', 'execute_code']) expect(offered(request)).not.toContain(blocked);
  }
  expect(bench.chatEvents.some((event) => event.type === 'call-output' && event.sessionId === session.id && event.tail.includes('ls | wc -l'))).toBe(true);
  expect((await bench.request('sessions.list', {})).filter((each) => each.origin === 'delegate')).toMatchObject([{ title: 'Count the files', status: 'idle' }]);
});

test('toolsets narrow what a sub-agent has, and asking only for what the chat lacks starts nothing', async () => {
  const bench = await open({
    script: script({ tasks: [{ goal: 'look', toolsets: ['file'] }, { goal: 'buy', toolsets: ['memory', 'no-such'] }] }, () => ({ text: 'looked' })),
  });
  const session = await bench.session();
  await bench.say(session.id, 'go');
  const { results } = await resultOf(bench, session.id);
  expect(results[0]).toMatchObject({ status: 'completed', summary: 'looked' });
  expect(results[1]).toMatchObject({ status: 'error', api_calls: 0, error: expect.stringContaining('None of the toolsets memory, no-such') as string });
  const [child] = bench.model.requests.filter(isChild);
  expect(child === undefined ? [] : offered(child)).toEqual(registry.getToolNamesForToolset('file').toSorted());
});

test('three tasks run side by side and are reported in their order; a fourth is refused with the limit', async () => {
  const tasks = ['one', 'two', 'three'].map((goal) => ({ goal }));
  const bench = await open({
    script: (request) => {
      if (isChild(request)) {
        const name = /task:\n\n(\w+)/.exec(textOf(request.body))?.[1] ?? '';
        return { text: `${name} is done`, ...(name === 'one' ? { gate: 'one' } : {}) };
      }
      const given = answers(request);
      if (given.length === 0) return delegate({ tasks: [...tasks, { goal: 'four' }] });
      return given.length === 1 ? delegate({ tasks }) : { text: 'fine' };
    },
  });
  const session = await bench.session();
  const lastDone = bench.next('chat', (event) => event.type === 'turn-ended' && event.sessionId !== session.id);
  const running = bench.say(session.id, 'go');
  await lastDone;
  bench.model.open('one');
  await running;
  const [refused, done] = (await bench.messages(session.id)).flatMap((message) => message.calls).map((call) => JSON.parse(call.result ?? '') as Answer);
  expect(refused?.error).toMatch(/Too many tasks: 4.*max_concurrent_children/);
  expect(done?.results.map((result) => [result.task_index, result.summary])).toEqual([[0, 'one is done'], [1, 'two is done'], [2, 'three is done']]);
});

test('a sub-agent asks in the one queue under its own name, and what the person decides counts', async () => {
  const bench = await open({
    script: script({ goal: 'Tidy up the folder' }, (request) => (answers(request).length === 0 ? { calls: [{ name: 'terminal', arguments: { command: 'rm -rf gone' } }] } : { text: `heard: ${answers(request).join()}` })),
  });
  const session = await bench.session();
  const running = bench.say(session.id, 'go');
  const request = await bench.approval();
  expect(request).toMatchObject({ command: 'rm -rf gone', agent: 'Tidy up the folder' });
  expect(request.sessionId).not.toBe(session.id);
  await bench.request('approvals.decide', { id: request.id, choice: 'deny' });
  await running;
  const { results } = await resultOf(bench, session.id);
  expect(results[0]).toMatchObject({ status: 'completed', tool_trace: [{ tool: 'terminal', status: 'blocked' }] });
});

test('an app that closes meanwhile does not hang, and the sub-agent\'s open request can be answered after the restart', async () => {
  const bench = await open({
    script: script({ goal: 'Tidy up the folder' }, (request) => (answers(request).length === 0 ? { calls: [{ name: 'terminal', arguments: { command: 'rm -rf gone && echo tidied' } }] } : { text: `heard: ${answers(request).join()}` })),
  });
  const session = await bench.session();
  await bench.request('chat.send', { sessionId: session.id, text: 'go' });
  const before = await bench.approval();
  await bench.restart();
  const call = (await bench.messages(session.id)).flatMap((message) => message.calls).find((each) => each.name === 'delegate_task');
  expect(['cancelled', 'error', 'unknown']).toContain(call?.state);
  const ended = bench.next('chat', (event) => event.type === 'turn-ended' && event.sessionId === before.sessionId);
  await bench.request('approvals.decide', { id: before.id, choice: 'once' });
  await ended;
  expect(await bench.answer(before.sessionId)).toContain('tidied');
  for (const request of bench.model.requests.filter(isChild)) expect(offered(request)).not.toContain('delegate_task');
});

test('stopping the chat stops its sub-agents and what they run', async () => {
  const bench = await open({ script: script({ goal: 'Wait' }, () => ({ calls: [{ name: 'terminal', arguments: { command: 'echo started; sleep 300' } }] })) });
  const session = await bench.session();
  const begun = bench.next('chat', (event) => event.type === 'call-output' && event.sessionId !== session.id && event.tail.includes('started'));
  const running = bench.say(session.id, 'go');
  await begun;
  await bench.request('chat.stop', { sessionId: session.id });
  await running;
  const { results, error } = await resultOf(bench, session.id);
  expect(error).toMatch(/^Stopped/);
  expect(results).toMatchObject([{ status: 'interrupted', exit_reason: 'interrupted' }]);
  expect((await bench.request('terminals.list', {})).filter((terminal) => terminal.state === 'running')).toEqual([]);
  expect((await bench.request('sessions.list', {})).map((each) => each.status)).toEqual(['idle', 'idle']);
});

test('a sub-agent whose model fails is an error result beside the others', async () => {
  const bench = await open({
    script: script({ tasks: [{ goal: 'bad' }, { goal: 'good' }] }, (request) => (textOf(request.body).includes('bad') ? { status: 400, body: { error: { message: 'no such thing' } } } : { text: 'good summary' })),
  });
  const session = await bench.session();
  await bench.say(session.id, 'go');
  const { results } = await resultOf(bench, session.id);
  expect(results[0]).toMatchObject({ status: 'error', exit_reason: 'error', error: expect.stringContaining('no such thing') as string });
  expect(results[1]).toMatchObject({ status: 'completed', summary: 'good summary' });
  expect(await bench.answer(session.id)).toBe('All done.');
});

test('its budget is its own, and an orchestrator goes down only as far as the settings allow', async () => {
  const bench = await open({
    yaml: 'delegation:\n  max_iterations: 2\n  max_spawn_depth: 2\n',
    script: script({ goal: 'outer', role: 'orchestrator' }, (request) => {
      if (textOf(request.body).includes('inner')) return { calls: [{ name: 'read_file', arguments: { path: 'missing' } }] };
      return answers(request).length === 0 ? delegate({ goal: 'inner', role: 'orchestrator' }) : { text: answers(request).join() };
    }),
  });
  const session = await bench.session();
  await bench.say(session.id, 'go');
  const { results } = await resultOf(bench, session.id);
  const inner = JSON.parse(results[0]?.summary ?? '') as Answer;
  expect(inner.results[0]).toMatchObject({ exit_reason: 'max_iterations', api_calls: 3 });
  const [outermost] = bench.model.requests.filter((request) => isChild(request) && textOf(request.body).includes('inner'));
  expect(outermost === undefined ? [] : offered(outermost)).not.toContain('delegate_task');
});

test('in the background the answer comes at once and a notice brings the result', async () => {
  const bench = await open({
    script: (request) => {
      if (isChild(request)) return { text: 'slow summary', gate: 'child' };
      if (textOf(request.body).includes('Background delegation')) return { text: 'I read the notice.' };
      return answers(request).length === 0 ? delegate({ goal: 'slow', background: true }) : { text: 'Meanwhile.' };
    },
  });
  const session = await bench.session();
  await bench.say(session.id, 'go');
  expect(await bench.answer(session.id)).toBe('Meanwhile.');
  expect(await resultOf(bench, session.id)).toMatchObject({ status: 'dispatched', mode: 'background', goal: 'slow' });
  const told = bench.next('chat', (event) => event.type === 'turn-ended' && event.sessionId === session.id);
  bench.model.open('child');
  await told;
  expect(await bench.answer(session.id)).toBe('I read the notice.');
  expect((await bench.messages(session.id)).find((message) => message.error?.code === 'notice/delegation')?.text).toContain('slow summary');
});

test('arguments that name no task, or both kinds, are refused without starting anything', async () => {
  const bench = await open({ withoutModel: true });
  const session = await bench.session();
  const call = async (args: object): Promise<string> => (await bench.host.callTool('delegate_task', args, { sessionId: session.id, signal: new AbortController().signal })).fullText;
  expect(await call({})).toContain('exactly one of goal');
  expect(await call({ goal: 'x', tasks: [{ goal: 'y' }] })).toContain('exactly one of goal');
  expect(await call({ goal: 'x', acp_command: 'other' })).toContain('acp_command and acp_args are not supported: this app starts no other agents');
  expect((await bench.request('sessions.list', {})).filter((each) => each.origin === 'delegate')).toEqual([]);
});

test('a background result that the end of the app cut short is told after the restart, without waking the model', async () => {
  const bench = await open({
    script: (request) => {
      if (isChild(request)) return answers(request).length === 0 ? { calls: [{ name: 'todo', arguments: {} }], text: 'first step' } : { text: 'never told', gate: 'child' };
      return answers(request).length === 0 ? delegate({ goal: 'slow', background: true }) : { text: 'Meanwhile.' };
    },
  });
  const session = await bench.session();
  await bench.say(session.id, 'go');
  await bench.model.seen(4);
  await bench.restart();
  const notice = (await bench.messages(session.id)).find((message) => message.error?.code === 'notice/delegation')?.text ?? '';
  expect(notice).toContain('The app was closed meanwhile');
  expect(notice).toContain('"status":"interrupted"');
  expect(notice).toContain('"tool":"todo"');
  expect(bench.model.requests).toHaveLength(4);
  await bench.restart();
  expect((await bench.messages(session.id)).filter((message) => message.error?.code === 'notice/delegation')).toHaveLength(1);
});

test('a sub-agent whose model never answers is a time-out with a file that says what is known', async () => {
  const bench = await open({ yaml: 'delegation:\n  child_timeout_seconds: 0.2\n', script: script({ goal: 'Wait for ever' }, () => ({ text: 'never', gate: 'closed' })) });
  const session = await bench.session();
  await bench.say(session.id, 'go');
  const { results: [report] } = await resultOf(bench, session.id);
  expect(report).toMatchObject({ status: 'timeout', exit_reason: 'timeout', api_calls: 0 });
  const path = /what is known is in (\S+\.json)/.exec(String(report?.['error']))?.[1] ?? '';
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ task: { goal: 'Wait for ever' }, limits: { iterations: 50, depth: 1, concurrent: 3, timeoutSeconds: 0.2 }, messages: [{ role: 'user' }, {}] });
});
