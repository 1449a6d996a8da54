import { describe, expect, test } from 'vitest';
import { Availability } from '../../../main/calls/availability.ts';
import { explainAvailability, type ToolsetSituation } from '../../../main/calls/explain.ts';
import { type CheckAnswer, type CheckFunction, ToolRegistry, uncachedCheck } from '../../../tools/registry.ts';
import { ManualClock, noChecks, recordingLog, tool } from './support.ts';

function made(): { registry: ToolRegistry; clock: ManualClock; availability: Availability; lines: { level: string; message: string }[] } {
  const registry = new ToolRegistry({ log: () => undefined });
  const clock = new ManualClock();
  const { log, lines } = recordingLog();
  return { registry, clock, lines, availability: new Availability({ registry, checks: noChecks, clock, log }) };
}

/** A check whose answer the test sets, and how often it was asked. */
function checkOf(initial: CheckAnswer | (() => CheckAnswer | Promise<CheckAnswer>)): { check: CheckFunction; set(answer: CheckAnswer): void; asked: () => number } {
  let answer = initial;
  let asked = 0;
  return {
    check: () => { asked += 1; return typeof answer === 'function' ? answer() : answer; },
    set: (next) => { answer = next; },
    asked: () => asked,
  };
}

describe('answers that are no answers', () => {
  test.each<[string, () => unknown, RegExp]>([
    ['null', () => null, /^The check of this tool failed\.$/],
    ['null, later', () => Promise.resolve(null), /^The check of this tool failed\.$/],
    ['no words', () => '', /^The check of this tool failed\.$/],
    ['a number', () => 0, /answered with integer/],
    ['an object that gives no reason', () => ({ available: true }), /answered with object; true or nothing means available/],
    ['an unknown step', () => ({ step: 'whatever', message: 'no key' }), /^no key$/],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- checks may reject with anything
    ['a rejection with nothing', () => Promise.reject(null), /failed with object: null/],
    ['a promise that cannot be read', () => ({ get then(): unknown { throw new Error('trap'); } }), /failed with Error: trap/],
  ])('%s is a no in words, and nothing rejects', async (_what, answer, message) => {
    const { registry, availability } = made();
    registry.register(tool('a', { checkFn: answer as unknown as CheckFunction })); // cast: the point is a check that breaks its type
    registry.register(tool('b'));
    const pass = await availability.pass(registry.entries());
    expect(registry.entries().map(pass.available)).toEqual([false, true]);
    const [entry] = registry.entries();
    expect(entry === undefined ? undefined : pass.verdict(entry)?.reason?.message).toMatch(message);
    expect(entry === undefined ? undefined : pass.verdict(entry)?.reason?.step).toMatch(/^check-(?:failed|threw)$/);
  });
});

describe('the cache of checks', () => {
  test('one check behind many tools is asked once in a pass, and not again for 30 s', async () => {
    const { registry, clock, availability } = made();
    const { check, asked } = checkOf(true);
    for (const name of ['a', 'b', 'c']) registry.register(tool(name, { checkFn: check }));
    await availability.pass(registry.entries());
    clock.advance(29_999);
    const pass = await availability.pass(registry.entries());
    expect(asked()).toBe(1);
    expect(registry.entries().map(pass.available)).toEqual([true, true, true]);
    clock.advance(1);
    await availability.pass(registry.entries());
    expect(asked()).toBe(2);
  });

  test('a failure within 60 s of a success is forgiven, warned of and asked again at once', async () => {
    const { registry, clock, availability, lines } = made();
    const { check, set, asked } = checkOf(true);
    registry.register(tool('a', { checkFn: check }));
    expect(await availability.isToolsetAvailable('test')).toBe(true);
    set(false);
    clock.advance(59_999);
    expect(await availability.isToolsetAvailable('test')).toBe(true);
    expect(await availability.isToolsetAvailable('test')).toBe(true);
    expect(asked()).toBe(3);
    expect(lines.at(-1)).toMatchObject({ level: 'warn' });
    clock.advance(1);
    expect(await availability.isToolsetAvailable('test')).toBe(false);
  });

  test('a failure without a success before it is kept for 30 s', async () => {
    const { registry, clock, availability } = made();
    const { check, set, asked } = checkOf(false);
    registry.register(tool('a', { checkFn: check }));
    expect(await availability.isToolsetAvailable('test')).toBe(false);
    set(true);
    expect(await availability.isToolsetAvailable('test')).toBe(false);
    expect(asked()).toBe(1);
    clock.advance(30_000);
    expect(await availability.isToolsetAvailable('test')).toBe(true);
  });

  test('forgetting clears answers and successes', async () => {
    const { registry, availability } = made();
    const { check, set } = checkOf(true);
    registry.register(tool('a', { checkFn: check }));
    await availability.isToolsetAvailable('test');
    expect(availability.getCachedCheckResult(check)).toBe(true);
    const revision = availability.revision;
    availability.invalidate();
    expect(availability.revision).toBeGreaterThan(revision);
    expect(availability.getCachedCheckResult(check)).toBeUndefined();
    set(false);
    expect(await availability.isToolsetAvailable('test')).toBe(false);
  });

  test('looking for a remembered answer never asks', () => {
    const { check, asked } = checkOf(true);
    expect(made().availability.getCachedCheckResult(check)).toBeUndefined();
    expect(asked()).toBe(0);
  });

  test('a check marked as uncached is asked on every pass and never forgiven', async () => {
    const { registry, availability } = made();
    const { check, set, asked } = checkOf(true);
    registry.register(tool('a', { checkFn: uncachedCheck(check) }));
    await availability.isToolsetAvailable('test');
    set(false);
    expect(await availability.isToolsetAvailable('test')).toBe(false);
    expect(asked()).toBe(2);
  });

  test.each([
    ['throws', (): CheckAnswer => { throw new Error('no daemon'); }], ['rejects', (): Promise<CheckAnswer> => Promise.reject(new Error('no daemon'))],
  ])('a check that %s is a no with its words', async (_how, answer) => {
    const { registry, availability } = made();
    registry.register(tool('a', { checkFn: checkOf(answer).check }));
    const [entry] = registry.entries();
    const pass = await availability.pass(registry.entries());
    expect(entry && pass.verdict(entry)?.reason).toEqual({ step: 'check-threw', message: 'The check failed with Error: no daemon' });
  });

  test('a check that hangs is a no after 5 s, and is not waited for again while it hangs', async () => {
    const { registry, clock, availability } = made();
    const hang = Promise.withResolvers<CheckAnswer>();
    const { check, asked } = checkOf(() => hang.promise);
    registry.register(tool('a', { checkFn: check }));
    const pass = availability.pass(registry.entries());
    clock.advance(5_000);
    const [entry] = registry.entries();
    expect(entry && (await pass).verdict(entry)?.reason?.step).toBe('check-timed-out');
    clock.advance(30_000);
    expect(await availability.isToolsetAvailable('test')).toBe(false);
    expect(asked()).toBe(1);
    expect(clock.pending).toBe(0);
    hang.resolve(true);
    await new Promise(setImmediate);
    clock.advance(30_000);
    expect(await availability.isToolsetAvailable('test')).toBe(true);
  });

  test('two passes at once share one running probe', async () => {
    const { registry, availability } = made();
    const slow = Promise.withResolvers<CheckAnswer>();
    const { check, asked } = checkOf(() => slow.promise);
    registry.register(tool('a', { checkFn: check }));
    const both = [availability.isToolsetAvailable('test'), availability.isToolsetAvailable('test')];
    slow.resolve(true);
    expect(await Promise.all(both)).toEqual([true, true]);
    expect(asked()).toBe(1);
  });

  test('a toolset is available when one of its tools is', async () => {
    const { registry, availability } = made();
    registry.register(tool('a', { checkFn: () => false }));
    registry.register(tool('b', { checkFn: () => true }));
    registry.register(tool('c', { toolset: 'off', checkFn: () => 'no key', requiresEnv: ['C_KEY'] }));
    expect(await availability.checkToolsetRequirements()).toEqual(new Map([['test', true], ['off', false]]));
    expect(await availability.checkToolAvailability()).toEqual({ available: ['test'], unavailable: [{ name: 'off', envVars: ['C_KEY'], tools: ['c'] }] });
    expect((await availability.getAvailableToolsets()).get('off')).toEqual({ available: false, tools: ['c'], description: '', requirements: ['C_KEY'] });
    expect(await availability.isToolsetAvailable('nobody')).toBe(false);
  });

  test('600 checks do not make the cache grow without end, and each is still right', async () => {
    const { registry, availability } = made();
    const checks = Array.from({ length: 600 }, (_, index) => checkOf(index % 2 === 0));
    for (const [index, { check }] of checks.entries()) registry.register(tool(`t${String(index).padStart(3, '0')}`, { checkFn: check }));
    const pass = await availability.pass(registry.entries());
    expect(registry.entries().map(pass.available)).toEqual(checks.map((_, index) => index % 2 === 0));
    expect(checks.filter(({ check }) => availability.getCachedCheckResult(check) !== undefined)).toHaveLength(512);
  });
});

describe('why a toolset is not offered', () => {
  async function explain(more: Partial<ToolsetSituation>, check?: CheckFunction, requiresEnv: readonly string[] = []): Promise<ReturnType<typeof explainAvailability>> {
    const { registry, availability } = made();
    registry.register(tool('a', { ...(check === undefined ? {} : { checkFn: check }), requiresEnv }));
    const pass = await availability.pass(registry.entries());
    return explainAvailability({
      name: 'test', enabledByDefault: true, inChat: null, modelCallsTools: true, dropped: new Set(),
      tools: registry.entries().map((entry) => ({ entry, verdict: pass.verdict(entry) })), ...more,
    }, noChecks);
  }
  const everything: Partial<ToolsetSituation> = { modelCallsTools: false, dropped: new Set(['a']) };

  test('nothing keeps an enabled toolset that works', async () => {
    expect(await explain({})).toBeUndefined();
  });

  test('the first failing step wins, in the order a person would mend them', async () => {
    const no = (): boolean => false;
    expect((await explain({ ...everything, enabledByDefault: false, inChat: null }, no))?.step).toBe('disabled-by-profile');
    expect((await explain({ ...everything, inChat: false }, no))?.step).toBe('disabled-in-chat');
    expect((await explain({ ...everything, enabledByDefault: false, inChat: true }, no, ['A_KEY']))?.step).toBe('missing-variable');
    expect((await explain(everything, () => ({ step: 'missing-program', message: 'docker was not found.' })))?.step).toBe('missing-program');
    expect((await explain(everything, () => ({ step: 'wrong-backend', message: 'x' })))?.step).toBe('wrong-backend');
    expect((await explain(everything, no))?.step).toBe('model-without-tools');
    expect((await explain({ ...everything, modelCallsTools: true }, no))?.step).toBe('dropped-by-cap');
    expect((await explain(everything, () => ({ step: 'plugin-not-trusted', message: 'x' })))?.step).toBe('model-without-tools');
    expect((await explain({}, () => ({ step: 'plugin-not-trusted', message: 'x' })))?.step).toBe('plugin-not-trusted');
    expect((await explain({}, no))?.step).toBe('check-failed');
    expect((await explain({}, () => { throw new Error('x'); }))?.step).toBe('check-threw');
    expect((await explain({ tools: [] }))?.step).toBe('no-tools');
  });

  test('a missing variable is named, a missing program comes with the PATH that was searched', async () => {
    expect(await explain({}, () => false, ['A_KEY', 'B_KEY'])).toMatchObject({ message: 'Missing A_KEY, B_KEY.', fix: expect.stringContaining('.env') as string });
    expect((await explain({}, () => ({ step: 'missing-program', message: 'docker was not found.' })))?.message).toContain('/usr/bin:/bin');
  });

  test('every reason has words', async () => {
    for (const more of [{ enabledByDefault: false }, { inChat: false }, { modelCallsTools: false }, { dropped: new Set(['a']) }, { tools: [] }]) {
      expect((await explain(more))?.message.length).toBeGreaterThan(10);
    }
  });
});
