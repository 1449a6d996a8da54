import { describe, expect, test } from 'vitest';
import { activityOf } from '../../../../renderer/features/chat/activity.ts';
import { inputMode, notRecalling, recall, slashWord, toolWord } from '../../../../renderer/features/chat/composer-model.ts';
import { applyEvents, openingChat, withSnapshot, type Chat } from '../../../../renderer/features/chat/model.ts';
import { lastLines, readResult, refusalWord } from '../../../../renderer/features/chat/tool-result.ts';
import { countStates, describeCall } from '../../../../renderer/features/chat/tool-words.ts';
import type { ChatEvent, Message, Session } from '../../../../preload/contract/index.ts';
import { message, opened, session, sessionId, toolCall } from '../../../support/renderer/records.ts';

describe('the words of a tool call', () => {
  test.each([
    ['terminal', '{"command":"ls -la","timeout":5}', { verb: 'Run command', target: 'ls -la', code: true }],
    ['web_extract', '{"urls":["https://a.example","https://b.example"]}', { verb: 'Read web page', target: 'https://a.example, https://b.example', code: false }],
    ['mcp_github_list_issues', '{"count":3,"repo":"a/b"}', { verb: 'Github list issues', target: 'a/b', code: false }],
    ['tool_call', '{"name":"mcp_github_list_issues","arguments":{"repo":"a/b"}}', { verb: 'Github list issues', target: 'a/b', code: false }],
    ['terminal', '{"command":"unfinis', { verb: 'Run command', target: '', code: true }],
    ['terminal', '["not","an object"]', { verb: 'Run command', target: '', code: true }],
    ['constructor', '{}', { verb: 'Constructor', target: '', code: false }],
    ['__proto__', '{"toString":1}', { verb: 'Proto', target: '', code: false }],
  ])('%s with %s', (name, text, words) => {
    expect(describeCall({ name, arguments: text })).toEqual(words);
  });

  test('count a group by state, what needs attention first', () => {
    expect(countStates([toolCall(1, { state: 'done' }), toolCall(2, { state: 'running' }), toolCall(3, { state: 'waiting' }), toolCall(4, { state: 'running' })]))
      .toBe('2 running · 1 waiting for you · 1 done');
  });
});

describe('a tool result', () => {
  test.each([
    ['{"output":"hello","exit_code":0,"error":null}', { text: 'hello', language: '', error: undefined, rest: [] }],
    ['{"output":"half","exit_code":1,"error":"it broke"}', { text: 'half', language: '', error: 'it broke', rest: [] }],
    ['{"error":"no such file","path":"/a"}', { text: undefined, language: '', error: 'no such file', rest: [['path', '/a']] }],
    ['{"content":"1|x","total_lines":1}', { text: '1|x', language: '', error: undefined, rest: [['total_lines', 1]] }],
    ['{"output":"","exit_code":0}', { text: undefined, language: '', error: undefined, rest: [] }],
    ['[1]', { text: '[\n  1\n]', language: 'json', error: undefined, rest: [] }],
    ['{"output":"cut in the mid', { text: '{"output":"cut in the mid', language: '', error: undefined, rest: [] }],
    ['plain words', { text: 'plain words', language: '', error: undefined, rest: [] }],
  ])('%s', (result, readable) => {
    expect(readResult(result)).toEqual(readable);
  });

  test('is a refusal when it says that it was blocked, and tells who refused', () => {
    expect(['{"status":"blocked","error":"BLOCKED"}', '{"status":"ok"}', '["blocked"]', 'blocked', null].map(refusalWord)).toEqual(['blocked', undefined, undefined, undefined, undefined]);
    expect(['denied', 'timeout', 'cancelled', 'notify_failed', '__proto__'].map((outcome) => refusalWord(JSON.stringify({ status: 'blocked', outcome })))).toEqual(['denied', 'not answered', 'withdrawn', 'blocked', 'blocked']);
  });

  test('of a refused command does not list what its sentence says', () => {
    const refused = { output: '', exit_code: -1, error: 'BLOCKED: the user refused this command.', status: 'blocked', outcome: 'denied', pattern_key: 'recursive delete', description: 'recursive delete' };
    expect(readResult(JSON.stringify(refused)).rest).toEqual([]);
    expect(readResult(JSON.stringify({ ...refused, status: 'ok' })).rest).toHaveLength(3);
  });

  test('shows the last lines without an empty one at the end', () => {
    expect(lastLines('1\n2\n3\n4\n', 2)).toBe('3\n4');
  });
});

describe('the composer', () => {
  test.each([
    ['hello', { kind: 'message' }],
    ['! ls', { kind: 'command', body: 'ls' }],
    ['/tool read_file {"path":"a"}', { kind: 'tool', body: 'read_file {"path":"a"}' }],
    ['/tool', { kind: 'tool', body: '' }],
    ['/toolbox', { kind: 'message' }],
    ['say !no', { kind: 'message' }],
  ])('takes %j as what the host will take it for', (text, mode) => {
    expect(inputMode(text)).toEqual(mode);
  });

  test('offers slash words only at the very start', () => {
    expect([slashWord('/'), slashWord('/to'), slashWord('/to x'), slashWord('a /to')]).toEqual(['', 'to', undefined, undefined]);
    expect([toolWord('/tool '), toolWord('/tool rea'), toolWord('/tool read_file {')]).toEqual(['', 'rea', undefined]);
  });

  test('walks through what was said and comes back to the draft', () => {
    const history = ['latest', 'older'];
    const first = recall(notRecalling, 'older', 'my draft', history);
    expect(first?.text).toBe('latest');
    const second = recall(first!.state, 'older', 'latest', history);
    expect(second?.text).toBe('older');
    expect(recall(second!.state, 'older', 'older', history)).toBeUndefined();
    const back = recall(recall(second!.state, 'newer', 'older', history)!.state, 'newer', 'latest', history);
    expect(back).toEqual({ state: { at: -1, draft: 'my draft' }, text: 'my draft' });
  });
});

describe('what a chat is doing', () => {
  const activity = (status: Session['status'], messages: readonly Message[] = [], running = status !== 'idle') =>
    activityOf(withSnapshot(openingChat(sessionId('one')), opened({ session: session({ status }), messages: [...messages], running })));
  const after = (chat: Chat, event: ChatEvent): Chat => applyEvents(chat, [event]).chat;
  const running = (number: number) => toolCall(number, { state: 'running', endedAt: null, arguments: `{"command":"sleep ${number}"}` });

  test('is nothing when it is idle', () => {
    expect(activity('idle').kind).toBe('idle');
  });

  test('names what the stop button would end', () => {
    const reply = message(2, { role: 'assistant', state: 'streaming', text: 'I run it' });
    expect(activity('running', [message(1)]).stop).toBe('Stop waiting for the model');
    expect(activity('running', [message(1), reply]).stop).toBe('Stop the reply');
    expect(activity('running', [message(1), { ...reply, calls: [running(60)] }]).stop).toBe('Stop: sleep 60');
    expect(activity('running', [message(1), { ...reply, calls: [running(1), running(2)] }]).stop).toBe('Stop 2 running tools');
    expect(activity('waiting', [message(1), { ...reply, calls: [toolCall(1, { state: 'waiting' })] }]).stop).toBe('Stop and withdraw what it asks');
  });

  test('is nothing while only something from outside of a turn waits for an answer: what is sent then is not queued', () => {
    const ended = message(2, { role: 'assistant', text: 'I asked it', calls: [toolCall(1, {})] });
    expect(activity('waiting', [message(1), ended], false).kind).toBe('idle');
    expect(activity('waiting', [], false).kind).toBe('idle');
    expect(activity('waiting', [message(1), ended], true).kind).toBe('waiting');
    // Kept over a restart: no turn runs, and stopping still withdraws it.
    expect(activity('waiting', [message(1), { ...ended, calls: [toolCall(1, { state: 'waiting' })] }], false).stop).toBe('Stop and withdraw what it asks');
  });

  test('follows the turns as they start and end', () => {
    const chat = withSnapshot(openingChat(sessionId('one')), opened({ session: session({ status: 'waiting' }), running: false, seq: 4 }));
    const started = after(chat, { type: 'turn-started', sessionId: sessionId('one'), seq: 5 });
    expect([chat, started].map((each) => activityOf(each).kind)).toEqual(['idle', 'waiting']);
    expect(activityOf(after(started, { type: 'turn-ended', reason: 'done', sessionId: sessionId('one'), seq: 6 })).kind).toBe('idle');
  });

  test('is not taken from an earlier turn', () => {
    const before = message(1, { role: 'assistant', state: 'streaming', text: 'old', calls: [running(9)] });
    expect(activity('running', [before, message(2)]).kind).toBe('thinking');
  });
});
