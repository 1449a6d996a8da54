import { describe, expect, test } from 'vitest';
import { HookBus, type ToolHookPayload } from '../../../main/calls/hooks.ts';
import { ManualClock, recordingLog } from './support.ts';

function made(deadlineSeconds?: unknown): { bus: HookBus; clock: ManualClock; lines: { level: string; message: string }[] } {
  const clock = new ManualClock();
  const { log, lines } = recordingLog();
  return { clock, lines, bus: new HookBus({ clock, log, deadlineSeconds: () => deadlineSeconds }) };
}
const payload: ToolHookPayload = { tool_name: 't', args: {}, task_id: '', session_id: '', tool_call_id: '', turn_id: '', api_request_id: '', middleware_trace: [] };
const never = (): Promise<never> => new Promise(() => undefined);
const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

describe('callbacks', () => {
  test('run in order, sync and async, and one that fails stops no other', async () => {
    const { bus, lines } = made();
    const heard: string[] = [];
    bus.on('post_tool_call', () => { heard.push('a'); }, { owner: 'a' });
    bus.on('post_tool_call', () => { throw new Error('b broke'); }, { owner: 'b' });
    bus.on('post_tool_call', async () => { await turn(); heard.push('c'); }, { owner: 'c' });
    bus.on('post_tool_call', () => Promise.reject(new Error('d broke')), { owner: 'd' });
    bus.on('post_tool_call', () => { heard.push('e'); }, { owner: 'e' });
    await bus.observe('post_tool_call', payload);
    expect(heard).toEqual(['a', 'c', 'e']);
    expect(lines.map(({ message }) => message)).toEqual(["Hook post_tool_call of 'b' failed.", "Hook post_tool_call of 'd' failed."]);
  });

  test('can be taken away, also by themselves while they run', async () => {
    const { bus } = made();
    let count = 0;
    const off = bus.on('x', () => { count += 1; off(); }, { owner: 'a' });
    bus.on('x', () => { count += 10; }, { owner: 'b' });
    await bus.observe('x', {});
    await bus.observe('x', {});
    expect(count).toBe(21);
    expect(bus.has('y')).toBe(false);
  });

  test('the first text wins, everything else is ignored', async () => {
    const { bus } = made();
    for (const answer of [null, undefined, 7, { result: 'x' }, 'first', 'second']) bus.on('transform_tool_result', () => answer, { owner: 'a' });
    expect(await bus.firstText('transform_tool_result', payload)).toBe('first');
    expect(await bus.collect('transform_tool_result', payload)).toEqual([7, { result: 'x' }, 'first', 'second']);
    expect(await made().bus.firstText('transform_tool_result', payload)).toBeUndefined();
  });
});

describe('pre_tool_call', () => {
  test.each([
    [[null, undefined], undefined],
    [[null, { action: 'block', message: 'no' }, { action: 'approve' }], { action: 'block', message: 'no' }],
    [[{ action: 'approve', message: 'ask', rule_key: 'k' }, { action: 'block', message: 'no' }], { action: 'approve', message: 'ask', ruleKey: 'k' }],
    [[{ action: 'block' }], { action: 'block', message: "Blocked by a hook of 'a'." }],
    [[{ action: 'dance' }, 'block', 7, []], undefined],
  ])('%j gives %j', async (answers, expected) => {
    const { bus } = made();
    for (const answer of answers) bus.on('pre_tool_call', () => answer, { owner: 'a' });
    expect(await bus.preToolCall(payload)).toEqual(expected);
  });

  test('a guard that throws or rejects counts as a block', async () => {
    for (const guard of [() => { throw new Error('x'); }, () => Promise.reject(new Error('x'))]) {
      const { bus } = made();
      bus.on('pre_tool_call', guard, { owner: 'guard' });
      expect(await bus.preToolCall(payload)).toMatchObject({ action: 'block', message: expect.stringContaining("'guard' failed (Error: x)") as string });
    }
  });

  test('all callbacks hear of the call even after a directive', async () => {
    const { bus } = made();
    let heard = false;
    bus.on('pre_tool_call', () => ({ action: 'block', message: 'no' }), { owner: 'a' });
    bus.on('pre_tool_call', () => { heard = true; }, { owner: 'b' });
    await bus.preToolCall(payload);
    expect(heard).toBe(true);
  });
});

describe('deadlines', () => {
  test.each([[undefined, 30_000], [2, 2_000], [100_000, 600_000], ['x', 30_000], [-1, 30_000]])('a setting of %j seconds means %d ms', async (setting, ms) => {
    const { bus, clock } = made(setting);
    bus.on('pre_tool_call', never, { owner: 'slow' });
    let settled = false;
    const waiting = bus.preToolCall(payload).then((directive) => { settled = true; return directive; });
    clock.advance(ms - 1);
    await turn();
    expect(settled).toBe(false);
    clock.advance(1);
    expect(await waiting).toMatchObject({ action: 'block', message: expect.stringContaining('did not answer') as string });
  });

  test('a callback that hung is left alone for 60 s; as a guard it blocks meanwhile', async () => {
    const { bus, clock } = made();
    let asked = 0;
    bus.on('pre_tool_call', () => { asked += 1; return asked === 1 ? never() : null; }, { owner: 'slow' });
    const first = bus.preToolCall(payload);
    clock.advance(30_000);
    await first;
    clock.advance(59_999);
    expect(await bus.preToolCall(payload)).toMatchObject({ action: 'block' });
    expect(asked).toBe(1);
    clock.advance(1);
    expect(await bus.preToolCall(payload)).toBeUndefined();
    expect(asked).toBe(2);
  });

  test('at most three hang at once; when one ends the callback is asked again', async () => {
    const { bus, clock } = made();
    const running: PromiseWithResolvers<null>[] = [];
    bus.on('post_tool_call', () => { const pending = Promise.withResolvers<null>(); running.push(pending); return pending.promise; }, { owner: 'slow' });
    for (let round = 0; round < 5; round += 1) {
      const observed = bus.observe('post_tool_call', payload);
      clock.advance(30_000);
      await observed;
      clock.advance(60_000);
    }
    expect(running).toHaveLength(3);
    running[0]?.resolve(null);
    await turn();
    const observed = bus.observe('post_tool_call', payload);
    expect(running).toHaveLength(4);
    running[3]?.resolve(null);
    await observed;
  });

  test('a prompt callback leaves no timer behind', async () => {
    const { bus, clock } = made();
    bus.on('x', () => Promise.resolve(1), { owner: 'a' });
    await bus.observe('x', {});
    await turn();
    expect(clock.pending).toBe(0);
  });
});
