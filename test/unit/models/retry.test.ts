import { expect, test } from 'vitest';
import { httpError, type ModelError, networkError, retryAfter } from '../../../main/models/errors.ts';
import { delayAfter, withRetries } from '../../../main/models/retry.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const where = 'http://model.test/v1';

/** A clock whose waits are over at once, and remembered. */
function instantClock(): { waits: number[]; after(ms: number, run: () => void): () => void } {
  const waits: number[] = [];
  return { waits, after: (ms, run) => { waits.push(ms); queueMicrotask(run); return () => undefined; } };
}

function http(status: number | undefined, message = '', code = '', headers: Record<string, string> = {}): ModelError {
  return httpError({ status, message, code, headers: new Headers(headers) }, where, 'm', NOW);
}

test.each([
  [http(401), 'model/unauthorised', false], [http(403), 'model/unauthorised', false], [http(404, 'The model does not exist', 'model_not_found'), 'model/not-found', false],
  [http(429), 'model/rate-limited', true], [http(429, 'quota', 'insufficient_quota'), 'model/rate-limited', false], [http(500), 'model/server', true], [http(503), 'model/server', true],
  [http(400, 'x', 'context_length_exceeded'), 'model/context', false], [http(400, 'the request exceeds the available context size'), 'model/context', false],
  [http(500, 'prompt is too long: 5000 tokens'), 'model/context', false], [http(400, 'llama2 does not support tools'), 'model/no-tools', false],
  [http(400, 'bad field'), 'model/bad-reply', false], [http(undefined, 'overloaded'), 'model/server', true], [http(408), 'model/server', true],
])('%s has its code', (error, code, retryable) => {
  expect([error.code, error.retryable]).toEqual([code, retryable]);
  expect(error.hint).toBeTruthy();
});

test('a missing route is told from a missing model, and the list of models is no model', () => {
  expect(http(404, 'The model does not exist', 'model_not_found').message).toContain('does not know the model m');
  expect(http(404, 'no model “m” here').message).toContain('does not know the model m');
  const route = http(404, '404 page not found');
  expect([route.code, route.message, route.hint]).toEqual(['model/not-found', `Nothing at ${where} takes chats: 404 page not found`, expect.stringContaining('/v1') as unknown]);
  const list = httpError({ status: 404, message: '', code: '', headers: undefined }, where, { list: true }, NOW);
  expect([list.code, list.message]).toEqual(['model/not-found', `${where} has no list of models.`]);
});

test.each([
  ['ENOTFOUND', 'model/dns'], ['ECONNREFUSED', 'model/refused'], ['SELF_SIGNED_CERT_IN_CHAIN', 'model/tls'], ['CERT_HAS_EXPIRED', 'model/tls'],
  ['UND_ERR_HEADERS_TIMEOUT', 'model/timeout'], ['ECONNRESET', 'model/network'],
])('a system error %s below two causes is %s', (system, code) => {
  const deep = Object.assign(new Error('inner'), { code: system });
  expect(networkError(new TypeError('fetch failed', { cause: new Error('middle', { cause: deep }) }), where).code).toBe(code);
});

test('a cut connection without any code is a network error', () => {
  expect(networkError(new TypeError('terminated'), where).code).toBe('model/network');
});

test('Retry-After is read as milliseconds, seconds or a date, and nonsense is ignored', () => {
  const from = (headers: Record<string, string>): number | undefined => retryAfter(new Headers(headers), NOW);
  expect(from({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250);
  expect(from({ 'retry-after': '3' })).toBe(3_000);
  expect(from({ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' })).toBe(5_000);
  expect(from({ 'retry-after': 'soon' })).toBeUndefined();
  expect(from({ 'retry-after': '-4' })).toBeUndefined();
  expect(from({})).toBeUndefined();
});

test('waits grow, stay within their bounds, and end after five tries', () => {
  const error = http(500);
  const low = [1, 2, 3, 4, 5].map((attempt) => delayAfter(error, attempt, () => 0));
  expect(low).toEqual([500, 1_000, 2_000, 4_000, undefined]);
  expect(delayAfter(error, 1, () => 0.999)).toBeLessThan(1_000);
  expect(delayAfter(http(429, '', '', { 'retry-after': '7' }), 1, () => 0)).toBe(7_000);
  expect(delayAfter(http(429, '', '', { 'retry-after': '3600' }), 1, () => 0)).toBeUndefined();
});

test('a failing request is tried again and told, and its result is handed back', async () => {
  const clock = instantClock();
  const told: string[] = [];
  let attempts = 0;
  const result = await withRetries(async () => {
    attempts += 1;
    if (attempts < 3) throw http(attempts === 1 ? 429 : 503, '', '', attempts === 1 ? { 'retry-after-ms': '40' } : {});
    return 'fine';
  }, { clock, random: () => 0, signal: new AbortController().signal, onRetry: (failure) => told.push(`${failure.code} ${failure.delayMs}`) });
  expect(result).toBe('fine');
  expect(clock.waits).toEqual([40, 1_000]);
  expect(told).toEqual(['model/rate-limited 40', 'model/server 1000']);
});

test('what cannot be mended by waiting is thrown at once', async () => {
  const clock = instantClock();
  await expect(withRetries(() => Promise.reject(http(401)), { clock, random: () => 0, signal: new AbortController().signal })).rejects.toMatchObject({ code: 'model/unauthorised' });
  expect(clock.waits).toEqual([]);
});

test('a stop during a wait ends it', async () => {
  const stopping = new AbortController();
  let cancelled = false;
  const clock = { after: (): (() => void) => { queueMicrotask(() => stopping.abort()); return () => { cancelled = true; }; } };
  await expect(withRetries(() => Promise.reject(http(500)), { clock, random: () => 0, signal: stopping.signal })).rejects.toMatchObject({ aborted: true });
  expect(cancelled).toBe(true);
});
