import type { ElicitRequestParams } from '@modelcontextprotocol/client';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Asking, type AskingParts } from '../../../main/mcp/asking.ts';
import { Limit } from '../../../main/mcp/limit.ts';
import type { FormAsker } from '../../../main/ports.ts';
import type { FormReply } from '../../../preload/contract/mcp.ts';
import { contextOf, ManualClock, recordingLog, type LogLine } from '../calls/support.ts';

type Asked = Parameters<FormAsker['askForm']>[0];
const COLOUR: ElicitRequestParams = { mode: 'form', message: 'Which colour?', requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] } };

interface Scene { readonly asking: Asking; readonly clock: ManualClock; readonly lines: LogLine[]; readonly asked: Asked[]; readonly present: { somebody: boolean; chat: string | undefined }; readonly told: () => number }

function scene(answer: (signal: AbortSignal) => Promise<FormReply | undefined> = () => Promise.resolve({ action: 'accept', values: { colour: 'red' } })): Scene {
  const { log, lines } = recordingLog();
  const clock = new ManualClock();
  const asked: Asked[] = [];
  const present = { somebody: true, chat: 'newest' as string | undefined };
  let told = 0;
  const parts: AskingParts = {
    server: 'fix', config: { elicitation: { enabled: true, timeout: 300 }, sampling: { enabled: false, max_tokens_cap: 0, max_rpm: 0 } as never }, log, clock, // cast: no test here samples
    questions: { get available() { return present.somebody; }, askForm: (question, signal) => { asked.push(question); return answer(signal); } },
    openPage: () => Promise.resolve(), askModel: () => Promise.reject(new Error('no model here')), chatFor: (last) => last ?? present.chat, newCallId: () => 'call_000000000001', onUnasked: () => { told += 1; },
  };
  return { asking: new Asking(parts), clock, lines, asked, present, told: () => told };
}
const elicit = ({ asking }: Scene, signal = new AbortController().signal) => asking.elicit(COLOUR, signal);
/** Lets what is waiting see the clock's new time. */
const settle = async (): Promise<void> => { for (let round = 0; round < 3; round += 1) await turn(); };
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(500);
    await settle();
  }
}

test('outside of any call a server asks in the newest chat; after a call, in that call\'s', async () => {
  const s = scene();
  expect(await elicit(s)).toEqual({ action: 'accept', content: { colour: 'red' } });
  const context = contextOf({ sessionId: 'used' });
  await s.asking.during({ context, limit: new Limit(s.clock, 1_000) }, () => elicit(s));
  await elicit(s);
  expect(s.asked.map(({ sessionId, toolCallId }) => [sessionId, toolCallId === context.toolCallId])).toEqual([['newest', false], ['used', true], ['used', false]]);
});

test('what is asked in the same breath as a call ends is asked outside of it', async () => {
  const s = scene();
  const context = contextOf({ sessionId: 'used' });
  const over = Promise.withResolvers<string>();
  const call = s.asking.during({ context, limit: new Limit(s.clock, 1_000) }, () => over.promise);
  over.resolve('its result');
  const answer = elicit(s);
  expect(await call).toBe('its result');
  await answer;
  expect(s.asked.map(({ sessionId, toolCallId }) => [sessionId, toolCallId])).toEqual([['used', 'call_000000000001']]);
  expect(context.toolCallId).not.toBe('call_000000000001');
});

test('where nobody comes within 30 seconds it is answered with cancel, and log and card say so', async () => {
  const s = scene();
  s.present.somebody = false;
  const answer = elicit(s);
  await settle();
  expect(s.asking.isBusy).toBe(true);
  await pass(s.clock, 29_500);
  expect(s.lines).toEqual([]);
  await pass(s.clock, 500);
  expect(await answer).toEqual({ action: 'cancel' });
  expect(s.asking.unasked).toEqual({ message: 'Which colour?', why: 'nobody could be asked', at: s.clock.now() });
  expect(s.lines).toEqual([{ level: 'warn', message: 'an MCP server asked something and was answered with cancel: nobody could be asked' }]);
  expect([s.asked, s.told(), s.asking.isBusy, s.clock.pending]).toEqual([[], 1, false, 0]);
  s.present.somebody = true;
  await elicit(s);
  expect([s.asked.length, s.told(), s.asking.unasked]).toEqual([1, 2, null]);
});

test('a window and a chat that come a little later are waited for', async () => {
  const s = scene();
  s.present.somebody = false;
  s.present.chat = undefined;
  const answer = elicit(s);
  await pass(s.clock, 5_000);
  s.present.somebody = true;
  await pass(s.clock, 5_000);
  expect(s.asked).toEqual([]);
  s.present.chat = 'first';
  await pass(s.clock, 500);
  expect(await answer).toMatchObject({ action: 'accept' });
  expect(s.asked.map(({ sessionId }) => sessionId)).toEqual(['first']);
  expect(s.asking.unasked).toBeNull();
});

test('people without a chat are not asked, and that is what the card says', async () => {
  const s = scene();
  s.present.chat = undefined;
  const answer = elicit(s);
  await pass(s.clock, 30_500);
  expect(await answer).toEqual({ action: 'cancel' });
  expect(s.asking.unasked?.why).toBe('there was no chat in which it could be asked');
});

test('a question that the server takes back, or that nobody answers in time, is put away without a word on the card', async () => {
  const untilOver = (signal: AbortSignal): Promise<undefined> => new Promise((resolve) => { signal.addEventListener('abort', () => { resolve(undefined); }); });
  const late = scene(untilOver);
  const answer = elicit(late);
  await settle();
  expect(late.asked).toHaveLength(1);
  late.clock.advance(300_000);
  expect(await answer).toEqual({ action: 'cancel' });

  const early = scene();
  early.present.somebody = false;
  const back = new AbortController();
  const other = elicit(early, back.signal);
  await settle();
  back.abort();
  expect(await other).toEqual({ action: 'cancel' });
  expect([early.asked, early.asking.unasked, early.lines, early.clock.pending]).toEqual([[], null, [], 0]);
});

test('during a call with nobody there the card says so at once', async () => {
  const s = scene();
  s.present.somebody = false;
  expect(await s.asking.during({ context: contextOf(), limit: new Limit(s.clock, 1_000) }, () => elicit(s))).toEqual({ action: 'cancel' });
  expect(s.asking.unasked?.why).toBe('nobody could be asked');
});
