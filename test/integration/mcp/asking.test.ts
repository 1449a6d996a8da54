import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CallId } from '../../../preload/contract/ids.ts';
import type { Question } from '../../../preload/contract/sessions.ts';
import { callTool, node, openMcp, REAL_SERVERS, serverInfo, toolset, type Server } from '../../support/mcp/bench.ts';
import type { HostBench, TestHostOptions } from '../../support/test-host.ts';

/** A chat whose model calls one tool of the everything server and then says that it is done. */
async function openTurn(tool: string, args: object = {}, more: Server = {}, options: TestHostOptions = {}): Promise<HostBench> {
  const bench = await openMcp({ every: { ...node(REAL_SERVERS.everything), ...more } }, {
    script: ({ index }) => (index === 0 ? { calls: [{ name: `mcp_every_${tool}`, arguments: args as Record<string, never> }] } : { text: 'Done.' }), ...options,
  });
  await bench.host.ready();
  return bench;
}

const asked = async (bench: HostBench): Promise<Question> => {
  const event = await bench.next('chat', ({ type }) => type === 'question-asked');
  return event.type === 'question-asked' ? event.question : expect.fail('not a question');
};

/** Sends the message, hands over the question when it comes, and gives the result of the call. */
async function turn(bench: HostBench, answer: (question: Question) => Promise<void>): Promise<string> {
  const session = await bench.session();
  const question = asked(bench);
  await bench.request('chat.send', { sessionId: session.id, text: 'go' });
  await answer(await question);
  await bench.host.idle(session.id);
  return (await bench.messages(session.id)).flatMap(({ calls }) => calls)[0]?.result ?? '';
}

const reply = (bench: HostBench, question: Question, action: 'accept' | 'decline' | 'cancel', values: Record<string, string | number | boolean | string[]> = {}) =>
  bench.request('chat.answer', { callId: question.callId, reply: { action, values } });

const filled = {
  name: 'Ada Lovelace', check: true, firstLine: 'It begins.', email: 'ada@example.org', homepage: 'https://example.org/ada', birthdate: '1815-12-10', integer: 7, number: 2.5,
  untitledSingleSelectEnum: 'Phoebe', untitledMultipleSelectEnum: ['Piano', 'Drums'], titledSingleSelectEnum: 'hero-3', titledMultipleSelectEnum: ['fish-2'], legacyTitledEnum: 'pet-1',
};

test('a form of a server is put to the person in the chat, every kind of field is filled in, and the server gets what they entered', async () => {
  const bench = await openTurn('trigger_elicitation_request');
  const result = await turn(bench, async (question) => {
    expect(question.form).toMatchObject({ server: 'every', url: null });
    expect(question.form?.fields.map(({ name, kind }) => `${name}:${kind}`)).toEqual(expect.arrayContaining([
      'name:text', 'check:switch', 'email:text', 'integer:number', 'untitledSingleSelectEnum:choice', 'untitledMultipleSelectEnum:choices', 'titledSingleSelectEnum:choice', 'legacyTitledEnum:choice',
    ]));
    const opened = await bench.request('sessions.open', { sessionId: question.sessionId, limit: 10 });
    expect(opened.questions).toEqual([question]);
    expect(opened.session.status).toBe('waiting');
    expect(opened.messages.flatMap(({ calls }) => calls)[0]?.state).toBe('waiting');
    expect(bench.notes.some(({ title }) => title.includes('a question for you'))).toBe(true);
    await reply(bench, question, 'accept', filled);
  });
  for (const part of ['Ada Lovelace', 'ada@example.org', 'Phoebe', 'hero-3']) expect(result).toContain(part);
});

test('values that do not fit are refused with the field and the reason, and the question stays open', async () => {
  const bench = await openTurn('trigger_elicitation_request');
  const result = await turn(bench, async (question) => {
    for (const [values, words] of [
      [{ email: 'nobody' }, "'String with email format' has to be an e-mail address"],
      [{ integer: 101 }, "'Integer' must not be more than 100"],
      [{ integer: 1.5 }, "'Integer' has to be a whole number"],
      [{ untitledSingleSelectEnum: 'Gunther' }, "'Untitled Single Select Enum' has no choice 'Gunther'"],
      [{ untitledMultipleSelectEnum: [] }, 'needs at least 1'],
      [{ birthdate: 'long ago' }, 'has to be a date'],
    ] as const) {
      await expect(reply(bench, question, 'accept', { ...filled, ...values } as never)).rejects.toMatchObject({ code: 'request/invalid', message: expect.stringContaining(words) as string }); // cast: readonly lists of the table
    }
    await expect(bench.request('chat.answer', { callId: question.callId, answer: 'just text' })).rejects.toMatchObject({ code: 'request/invalid' });
    await reply(bench, question, 'decline');
  });
  expect(result).toContain('declined');
});

test('a form is put away when it is cancelled, when nobody answers in time, when the turn is stopped, and when nobody is there', async () => {
  const cancelled = await openTurn('trigger_elicitation_request');
  expect(await turn(cancelled, async (question) => { await reply(cancelled, question, 'cancel'); })).toMatch(/cancel/i);

  const late = await openTurn('trigger_elicitation_request', {}, { elicitation: { timeout: 0.3 } });
  expect(await turn(late, () => Promise.resolve())).toMatch(/cancel/i);

  const stopped = await openTurn('trigger_elicitation_request');
  expect(await turn(stopped, async ({ sessionId }) => { await stopped.request('chat.stop', { sessionId }); })).toContain('Cancelled');

  const alone = await openMcp({ every: node(REAL_SERVERS.everything) }, { unattended: true });
  expect((await callTool(alone, 'mcp_every_trigger_elicitation_request')).result).toMatch(/cancel/i);
}, 90_000);

test('a page is opened only when the person agrees', async () => {
  const page = { url: 'https://example.org/consent?x=1', message: 'Agree there, please.' };
  const agreed = await openTurn('trigger_url_elicitation', page);
  const result = await turn(agreed, async (question) => {
    expect(question).toMatchObject({ question: 'Agree there, please.', form: { server: 'every', fields: [], url: page.url } });
    expect(agreed.opened).toEqual([]);
    await reply(agreed, question, 'accept');
  });
  expect(agreed.opened).toEqual([page.url]);
  expect(result).toMatch(/accept/i);

  const refused = await openTurn('trigger_url_elicitation', page);
  expect(await turn(refused, async (question) => { await reply(refused, question, 'decline'); })).toMatch(/declin/i);
  expect(refused.opened).toEqual([]);
}, 90_000);

test('a call that needs pages to be visited first is made again when the person is through with them', async () => {
  const bench = await openTurn('trigger_url_elicitation', { url: 'https://example.org/second', message: 'And this.', errorPath: true });
  const result = await turn(bench, async (question) => {
    expect(question.form?.url).toBe('https://modelcontextprotocol.io');
    const through = asked(bench);
    await reply(bench, question, 'accept');
    const goOn = await through;
    expect(goOn.form).toMatchObject({ url: null, fields: [] });
    const second = asked(bench);
    await reply(bench, goOn, 'accept');
    const last = await second;
    expect(last.form?.url).toBe('https://example.org/second');
    await reply(bench, last, 'accept');
  });
  expect(bench.opened).toEqual(['https://modelcontextprotocol.io', 'https://example.org/second']);
  expect(result).toMatch(/accept/i);
});

const FIXTURE = join(import.meta.dirname, '../../fixtures/mcp-server.mjs');

/** The fixture server, whose `ask-later` asks when its call is over, and whose `answered` says what it was told. */
async function openFixture(more: Server = {}): Promise<HostBench> {
  const file = join(await mkdtemp(join(tmpdir(), 'talaria-mcp-asks-')), 'tools.json');
  await writeFile(file, JSON.stringify(['ask-later', 'answered'].map((name) => ({ name, inputSchema: { type: 'object', properties: {} } }))));
  const bench = await openMcp({ fix: { ...node(FIXTURE, file), ...more } });
  await bench.host.ready();
  return bench;
}

test('what a server asks when no call waits for it stands in the chat that used it last, under its name, and it gets the answer', async () => {
  const bench = await openFixture();
  const used = await bench.session();
  const newer = await bench.session();
  const question = asked(bench);
  await bench.host.callTool('mcp_fix_ask_later', {}, { sessionId: used.id, signal: new AbortController().signal });
  const open = await question;
  expect(open).toMatchObject({ sessionId: used.id, question: 'Which colour?', form: { server: 'fix', url: null, fields: [{ name: 'colour', label: 'Colour' }] } });
  expect(CallId.safeParse(open.callId).success).toBe(true);
  const opened = await bench.request('sessions.open', { sessionId: used.id, limit: 10 });
  expect([opened.questions, opened.session.status]).toEqual([[open], 'waiting']);
  expect((await bench.request('sessions.open', { sessionId: newer.id, limit: 10 })).questions).toEqual([]);
  expect(bench.notes.some(({ title }) => title.includes('a question for you'))).toBe(true);
  await reply(bench, open, 'accept', { colour: 'green' });
  await expect.poll(async () => (await callTool(bench, 'mcp_fix_answered')).result).toBe('{"action":"accept","content":{"colour":"green"}}');
  expect((await bench.request('sessions.open', { sessionId: used.id, limit: 10 })).session.status).toBe('idle');
});

test('a question of a server that is gone goes with it', async () => {
  const bench = await openFixture();
  const used = await bench.session();
  const question = asked(bench);
  await bench.host.callTool('mcp_fix_ask_later', {}, { sessionId: used.id, signal: new AbortController().signal });
  await question;
  const settled = bench.next('chat', ({ type }) => type === 'question-settled');
  process.kill((await serverInfo(bench, 'fix'))?.pid ?? 0, 'SIGKILL');
  await settled;
  expect((await bench.request('sessions.open', { sessionId: used.id, limit: 10 })).questions).toEqual([]);
});

test('what a server asks while it starts waits for the first chat', async () => {
  const bench = await openFixture({ env: { ASK_AT_START: '1' } });
  const question = asked(bench);
  const first = await bench.session();
  expect(await question).toMatchObject({ sessionId: first.id, question: 'Which colour at the start?' });
});

const samples = (name: string): boolean => name === 'mcp_every_trigger_sampling_request';

test('a server may not ask the model unless config.yaml says so: it is not even told that it could', async () => {
  const bench = await openMcp({ every: node(REAL_SERVERS.everything) });
  await bench.host.ready();
  expect((await toolset(bench, 'every'))?.tools.some(({ name }) => samples(name))).toBe(false);
});

test('where sampling is on, a person is asked each time, the cap on tokens holds, and a no is an error for the server', async () => {
  const bench = await openMcp({ every: { ...node(REAL_SERVERS.everything), sampling: { enabled: true, max_tokens_cap: 50 } } }, { script: () => ({ text: 'A reply of the model.' }) });
  await bench.host.ready();
  const first = callTool(bench, 'mcp_every_trigger_sampling_request', { prompt: 'say something', maxTokens: 4_000 });
  const request = await bench.approval();
  expect(request).toMatchObject({ tool: 'mcp:every', reason: expect.stringContaining("MCP server 'every' wants to ask your model") as string });
  expect(request.command).toContain('say something');
  await bench.request('approvals.decide', { id: request.id, choice: 'once' });
  expect((await first).result).toContain('A reply of the model.');
  expect(bench.model.requests.map(({ body }) => body['max_tokens'] ?? body['max_completion_tokens'])).toEqual([50]);

  const second = callTool(bench, 'mcp_every_trigger_sampling_request', { prompt: 'again', maxTokens: 10 });
  const refused = await bench.approval();
  await bench.request('approvals.decide', { id: refused.id, choice: 'deny' });
  expect((await second).error ?? '').toContain('did not agree');
  expect(bench.model.requests).toHaveLength(1);
});

test('every call of an untrusted server is put to a person', async () => {
  const bench = await openMcp({ every: { ...node(REAL_SERVERS.everything), trust: 'untrusted' } });
  const allowed = callTool(bench, 'mcp_every_echo', { message: 'hi' });
  const request = await bench.approval();
  expect(request.command).toBe('echo {"message":"hi"}');
  await bench.request('approvals.decide', { id: request.id, choice: 'once' });
  expect(await allowed).toEqual({ result: 'Echo: hi' });
  const denied = callTool(bench, 'mcp_every_echo', { message: 'again' });
  const next = await bench.approval();
  await bench.request('approvals.decide', { id: next.id, choice: 'deny', reason: 'not today' });
  expect((await denied).error).toContain('not today');
});
