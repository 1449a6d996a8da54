import { describe, expect, test } from 'vitest';
import type { ToolRegistration } from '../../../tools/registry.ts';
import { describeThrown } from '../../../tools/result.ts';
import { contextOf, parsed, tool } from '../calls/support.ts';
import { quiet } from './registry-support.ts';

const odd = (more: object): ToolRegistration => ({ ...tool('odd'), ...more });

describe('what would make every model request fail is refused when it is registered', () => {
  test.each<[string, object, RegExp]>([
    ['a name in other letters', { name: 'größe' }, /'größe'.*letters a–z/],
    ['a name with a blank', { name: 'read file' }, /'read file'.*64 letters/],
    ['a name of 65 letters', { name: 'x'.repeat(65) }, /64 letters/],
    ['the name of a bridge to deferred tools', { name: 'tool_search' }, /'tool_search'.*taken/],
    ['a description that is no text', { schema: { description: 5 } }, /schema\.description must be text, got 5/],
    ['an emoji that is no text', { emoji: ['x'] }, /emoji must be text, got array/],
    ['variables that are no list', { requiresEnv: 'A_KEY' }, /requiresEnv must be a list of names of variables, got string/],
    ['a size that is no number', { maxResultSizeChars: Number.NaN }, /maxResultSizeChars must be a number above 0 or Infinity, got NaN/],
    ['a negative size', { maxResultSizeChars: -1 }, /got -1/],
    ['a check that is none', { checkFn: true }, /checkFn must be a function, got boolean/],
    ['overrides that are none', { dynamicSchemaOverrides: {} }, /dynamicSchemaOverrides must be a function/],
  ])('%s', (_what, more, message) => {
    const { registry } = quiet();
    expect(() => registry.register(odd(more))).toThrow(message);
    expect(registry.generation).toBe(0);
  });

  test('a schema that holds itself, twice at each place', () => {
    const { registry } = quiet();
    const node: { type: string; properties: Record<string, unknown> } = { type: 'object', properties: {} };
    node.properties = { left: node, right: node };
    expect(() => registry.register(odd({ schema: { description: 'x', parameters: node } }))).toThrow(/'odd'.*contains itself.*\$defs/);
  });

  test('a schema that doubles at each step', () => {
    const { registry } = quiet();
    let node: object = { type: 'string' };
    for (let depth = 0; depth < 40; depth += 1) node = { type: 'object', properties: { a: node, b: node } };
    expect(() => registry.register(odd({ schema: { description: 'x', parameters: node } }))).toThrow(/more than 100,000 values/);
  });

  test('null stands for "not given" everywhere, and a tool without a description has an empty one', () => {
    const { registry } = quiet();
    const nothing = { checkFn: null, requiresEnv: null, emoji: null, maxResultSizeChars: null, dynamicSchemaOverrides: null, description: null };
    expect(registry.register(odd({ ...nothing, schema: { parameters: null } }))).toBe(true);
    expect(registry.getEntry('odd')).toMatchObject({ requiresEnv: [], emoji: '⚡', description: '', schema: { description: '' } });
  });
});

describe('handlers', () => {
  test('one that is given up is told to stop', async () => {
    const { registry } = quiet(20);
    const stopped = Promise.withResolvers<unknown>();
    registry.register(tool('slow', { isAsync: true, handler: (_args, { signal }) => new Promise(() => { signal.addEventListener('abort', () => { stopped.resolve(signal.reason); }); }) }));
    expect(parsed(await registry.dispatch('slow', {}, contextOf()))['error']).toMatch(/TimeoutError/);
    expect(await stopped.promise).toMatchObject({ name: 'TimeoutError' });
  });

  test('one that asks two things keeps its time until both are answered; a question counts like an approval', async () => {
    const { registry } = quiet(20);
    const answered = Promise.withResolvers<string>();
    registry.register(tool('asks', {
      isAsync: true,
      handler: (_args, { emit }) => {
        emit({ kind: 'approval', approvalId: 'a', state: 'waiting' });
        emit({ kind: 'person', state: 'waiting' });
        emit({ kind: 'approval', approvalId: 'a', state: 'settled' });
        return answered.promise;
      },
    }));
    registry.register(tool('ticks', { isAsync: true, handler: () => new Promise(() => undefined) }));
    const asking = registry.dispatch('asks', {}, contextOf());
    // Another call with the same limit runs out meanwhile: the limit would have passed.
    await registry.dispatch('ticks', {}, contextOf());
    answered.resolve('{"ok":true}');
    expect(await asking).toBe('{"ok":true}');
  });

  test('a summary that is no text breaks the contract', async () => {
    const { registry } = quiet();
    registry.register(odd({ handler: () => ({ _multimodal: true, content: [], text_summary: 5 }) }));
    expect(parsed(await registry.dispatch('odd', {}, contextOf()))).toMatchObject({ error_type: 'tool_result_contract', result_type: 'object' });
  });

  test('an error whose advice cannot be read is an error without advice', async () => {
    const { registry } = quiet();
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- handlers may throw anything
    registry.register(tool('odd', { handler: () => { throw { message: 'no', get hint(): string { throw new Error('trap'); } }; } }));
    expect(parsed(await registry.dispatch('odd', {}, contextOf()))).toEqual({ error: '[TOOL_ERROR] Tool execution failed: object: no' });
  });
});

describe('what was thrown, in words', () => {
  test.each<[string, unknown, string]>([
    ['a cause is told along', new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND nowhere') }), 'TypeError: fetch failed (getaddrinfo ENOTFOUND nowhere)'],
    ['a cause that says the same is not', new Error('no disk: full', { cause: new Error('full') }), 'Error: no disk: full'],
    ['gathered errors are', new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]), 'AggregateError: ::1 refused; 127.0.0.1 refused'],
    ['an object with a message says it', { code: 1, message: 'gone' }, 'object: gone'],
    ['another object is shown', { code: 'E' }, 'object: {"code":"E"}'],
    ['text', 'boom', 'string: boom'],
    ['nothing', undefined, 'undefined: undefined'],
    ['null', null, 'object: null'],
    ['what cannot be shown', { toJSON: () => { throw new Error('trap'); } }, 'object: (no description)'],
  ])('%s', (_what, thrown, expected) => {
    expect(describeThrown(thrown)).toBe(expected);
  });
});
