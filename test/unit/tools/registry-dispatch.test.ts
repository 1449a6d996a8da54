import { describe, expect, test } from 'vitest';
import { ToolRegistry } from '../../../tools/registry.ts';
import { contextOf, parsed, tool } from '../calls/support.ts';
import { quiet, say, says } from './registry-support.ts';

describe('dispatch', () => {
  test.each([['process_manage', 'process'], ['todo_list', 'todo'], ['cronjob_manage', 'cronjob']])('the later name %s reaches %s', async (late, classic) => {
    const { registry } = quiet();
    registry.register(tool(classic, { handler: say(classic) }));
    expect(await says(registry, late)).toBe(classic);
    registry.register(tool(late, { toolset: 'own', handler: say('its own') }));
    expect(await says(registry, late)).toBe('its own');
  });

  test('sync and async handlers answer alike', async () => {
    const { registry } = quiet();
    registry.register(tool('sync', { handler: say('s') }));
    registry.register(tool('async', { isAsync: true, handler: () => Promise.resolve('{"says":"a"}') }));
    expect([await says(registry, 'sync'), await says(registry, 'async')]).toEqual(['s', 'a']);
  });

  test('an exception becomes an error result with type and message', async () => {
    const { registry } = quiet();
    registry.register(tool('bad', { handler: () => { throw new RangeError('too far'); } }));
    expect(parsed(await registry.dispatch('bad', {}, contextOf()))).toEqual({ error: '[TOOL_ERROR] Tool execution failed: RangeError: too far' });
  });

  test.each([[undefined, 'null'], [null, 'null'], [42, 'number'], [{ a: 1 }, 'object'], [['x'], 'array'], [{ _multimodal: true }, 'object']])('a result of %j breaks the contract and is told so', async (value, kind) => {
    const { registry } = quiet();
    registry.register(tool('odd', { handler: () => value as unknown as string })); // cast: the point is a handler that breaks its type
    const result = parsed(await registry.dispatch('odd', {}, contextOf()));
    expect(result).toMatchObject({ error_type: 'tool_result_contract', tool: 'odd', result_type: value === undefined ? 'undefined' : kind });
  });

  test('a multimodal result passes as it is', async () => {
    const { registry } = quiet();
    const picture = { _multimodal: true as const, content: [{ type: 'text', text: 'x' }] };
    registry.register(tool('see', { handler: () => picture }));
    expect(await registry.dispatch('see', {}, contextOf())).toBe(picture);
  });

  test('an overlong error in a result is cut to 2,048 characters and a mark', async () => {
    const { registry } = quiet();
    registry.register(tool('long', { handler: () => JSON.stringify({ error: 'e'.repeat(5_000), kept: 1 }) }));
    expect(parsed(await registry.dispatch('long', {}, contextOf()))).toEqual({ error: `${'e'.repeat(2_048)}… [truncated]`, kept: 1 });
  });

  test('an async tool that does not end is given up, and time spent waiting for a person does not count', async () => {
    const registry = new ToolRegistry({ log: () => undefined, asyncLimitMs: 20 });
    registry.register(tool('hangs', { isAsync: true, handler: () => new Promise(() => undefined) }));
    expect(parsed(await registry.dispatch('hangs', {}, contextOf()))['error']).toMatch(/TimeoutError.*0\.02 s/);

    const answered = Promise.withResolvers<string>();
    registry.register(tool('waits', { isAsync: true, handler: (_args, context) => { context.emit({ kind: 'approval', approvalId: 'a', state: 'waiting' }); return answered.promise; } }));
    registry.register(tool('ticks', { isAsync: true, handler: () => new Promise(() => undefined) }));
    const waiting = registry.dispatch('waits', {}, contextOf());
    // Another call with the same limit runs out meanwhile: the limit would have passed.
    await registry.dispatch('ticks', {}, contextOf());
    answered.resolve('{"says":"agreed"}');
    expect(parsed(await waiting)).toEqual({ says: 'agreed' });
  });

  test('listeners hear of each tool right before it runs', async () => {
    const { registry } = quiet();
    const heard: string[] = [];
    const off = registry.onDispatch((entry, context) => heard.push(`${entry.name} in ${context.sessionId}`));
    registry.register(tool('a', { handler: () => { heard.push('ran'); return '{}'; } }));
    await registry.dispatch('a', {}, contextOf({ sessionId: 's1' }));
    off();
    await registry.dispatch('a', {}, contextOf());
    expect(heard).toEqual(['a in s1', 'ran', 'ran']);
  });
});
