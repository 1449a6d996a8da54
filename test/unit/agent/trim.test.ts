import { expect, test } from 'vitest';
import { buildTranscript, NOTHING_TRIMMED, type TranscriptRow } from '../../../main/agent/transcript.ts';
import { isTooLong, tighten, tokensOf, windowFromError, type Window } from '../../../main/agent/trim.ts';
import { aCall, aMessage, aSession } from '../../support/stored.ts';

const session = aSession();
const window = (contextTokens: number): Window => ({ contextTokens, system: { role: 'system', content: 'You are an agent.' }, tools: [] });

/** One turn per entry: a question, a call with `outputChars` of output, an answer. */
function turns(...outputChars: readonly number[]): TranscriptRow[] {
  return outputChars.flatMap((chars, index) => {
    const turn = index + 1;
    const message = aMessage(session.id, { role: 'assistant', text: '', turn, model: 'm' });
    return [
      { ...aMessage(session.id, { role: 'user', text: `question ${turn}`, turn }), seq: turn * 10, calls: [] },
      { ...message, seq: turn * 10 + 1, calls: [{ ...aCall(session.id, message.id, { modelCallId: `c${turn}`, state: 'done' }), fullResult: 'o'.repeat(chars) }] },
      { ...aMessage(session.id, { role: 'assistant', text: `answer ${turn}`, turn, model: 'm' }), seq: turn * 10 + 2, calls: [] },
    ];
  });
}

test('a chat that fits is left alone', () => {
  expect(isTooLong(turns(100, 100), NOTHING_TRIMMED, window(1_000))).toBe(false);
});

test('the oldest outputs go first, as few as are needed, and every message stays', () => {
  const rows = turns(8_000, 8_000, 8_000);
  const state = tighten(rows, NOTHING_TRIMMED, window(8_000));
  expect(state).toEqual({ outputsBefore: 21, messagesBefore: 0 });
  if (!state) throw new Error('nothing was trimmed');
  expect(tokensOf(rows, state, window(8_000))).toBeLessThanOrEqual(4_800);
  expect(buildTranscript(rows, state)).toHaveLength(buildTranscript(rows).length);
});

test('when outputs are not enough, whole old turns go, never the last one', () => {
  const rows = turns(...Array.from({ length: 60 }, () => 500));
  const state = tighten(rows, NOTHING_TRIMMED, window(2_000));
  if (!state) throw new Error('nothing was trimmed');
  expect(state.messagesBefore).toBeGreaterThan(10);
  const messages = buildTranscript(rows, state);
  expect(messages[0]?.role).toBe('user');
  expect(JSON.stringify(messages)).toContain('answer 60');
});

test('the newest output is shortened only when nothing else is left to take', () => {
  const state = tighten(turns(100_000), NOTHING_TRIMMED, window(4_000));
  expect(state).toEqual({ outputsBefore: 12, messagesBefore: 0 });
});

test('trimming ends: a chat that cannot be made shorter says so', () => {
  const rows = turns(50);
  expect(tighten(rows, NOTHING_TRIMMED, window(10))).toBeUndefined();
  let state = NOTHING_TRIMMED;
  const long = turns(9_000, 9_000, 9_000);
  let steps = 0;
  for (let next = tighten(long, state, window(50)); next; next = tighten(long, state, window(50))) {
    state = next;
    steps += 1;
    if (steps > 20) throw new Error('trimming does not end');
  }
  expect(steps).toBeGreaterThan(0);
});

test.each([
  ['This model\'s maximum context length is 8192 tokens. However, you requested 9000 tokens', 8_192],
  ['the request exceeds the available context size (4096 tokens)', 4_096], ['prompt is too long', undefined],
])('a server that says %j has a window of %s tokens', (message, tokens) => {
  expect(windowFromError(message)).toBe(tokens);
});
