import { describe, expect, test } from 'vitest';
import { plainNames, restoreNames, sanitizeParameters } from '../../../main/calls/sanitize-schema.ts';
import { withoutUnavailable, withoutWebAdvice } from '../../../main/calls/rewrites.ts';
import { jsonTokens } from '../../../main/calls/tokens.ts';
import type { ToolDefinition } from '../../../main/ports.ts';
import type { ToolSchema } from '../../../tools/registry.ts';
import { bench, contextOf, parsed, tool } from './support.ts';

const names = (definitions: readonly ToolDefinition[]): string[] => definitions.map((definition) => definition.function.name);
const describedAs = (definitions: readonly ToolDefinition[], name: string): string | undefined => definitions.find((definition) => definition.function.name === name)?.function.description;

describe('schemas', () => {
  test('the name is the registered one, whatever the schema says', async () => {
    const { calls, registry } = bench();
    registry.register(tool('a', { schema: { name: 'other', description: 'd' } }));
    expect(await calls.getToolDefinitions()).toEqual([{ type: 'function', function: { name: 'a', description: 'd', parameters: { type: 'object', properties: {} } } }]);
  });

  test('overrides are merged at each rebuild, and a failing or odd one leaves the static schema', async () => {
    const { calls, registry, lines } = bench();
    let now = 'first';
    registry.register(tool('a', { dynamicSchemaOverrides: () => ({ description: now }) }));
    registry.register(tool('b', { dynamicSchemaOverrides: () => { throw new Error('x'); } }));
    registry.register(tool('c', { dynamicSchemaOverrides: () => 'odd' as unknown as Partial<ToolSchema> })); // cast: the point is a callback that breaks its type
    const first = await calls.getToolDefinitions();
    expect(['a', 'b', 'c'].map((name) => describedAs(first, name))).toEqual(['first', 'Tool b', 'Tool c']);
    expect(lines.some(({ level, message }) => level === 'warn' && message.includes("'b'"))).toBe(true);
    now = 'second';
    registry.register(tool('d'));
    expect(describedAs(await calls.getToolDefinitions(), 'a')).toBe('second');
  });

  test('execute_code names only tools that are really offered', async () => {
    const { calls, registry } = bench();
    const description = 'Run Python.\n  web_search(query) - search\n  read_file(path) - read\nAvailable: web_search, terminal, read_file.\nPrint the result.';
    registry.register(tool('execute_code', { toolset: 'code_execution', schema: { description } }));
    registry.register(tool('read_file', { toolset: 'file' }));
    registry.register(tool('web_search', { toolset: 'web', checkFn: () => false }));
    expect(describedAs(await calls.getToolDefinitions(), 'execute_code')).toBe('Run Python.\n  read_file(path) - read\nAvailable: read_file.\nPrint the result.');
  });

  test('a tool rewrites its own schema by what is offered, or leaves itself out', async () => {
    const { calls, registry } = bench();
    registry.register(tool('a', { rewriteSchema: (schema, available) => ({ ...schema, description: [...available].join() }) }));
    registry.register(tool('b', { rewriteSchema: () => null }));
    registry.register(tool('c', { rewriteSchema: () => { throw new Error('x'); } }));
    const definitions = await calls.getToolDefinitions();
    expect(names(definitions)).toEqual(['a', 'c']);
    expect(describedAs(definitions, 'a')).toBe('a,b,c');
    expect(describedAs(definitions, 'c')).toBe('Tool c');
  });

  test('browser_navigate recommends web tools only where they are', async () => {
    const { calls, registry } = bench();
    const description = 'Open a page. For plain reading prefer web_search or web_extract (faster, cheaper). Then use browser_snapshot.';
    registry.register(tool('browser_navigate', { toolset: 'browser', schema: { description } }));
    expect(describedAs(await calls.getToolDefinitions(), 'browser_navigate')).toBe('Open a page. Then use browser_snapshot.');
    registry.register(tool('web_extract', { toolset: 'web' }));
    expect(describedAs(await calls.getToolDefinitions(), 'browser_navigate')).toBe(description);
  });

  test('advice and names go wherever they stand', () => {
    expect(withoutWebAdvice('Prefer web_search. Open it.')).toBe('Open it.');
    expect(withoutWebAdvice('Open it. Prefer web_extract')).toBe('Open it.');
    expect(withoutUnavailable('none of them here', new Set())).toBe('none of them here');
    expect(withoutUnavailable('read_file, write_file', new Set(['read_file']))).toBe('read_file');
  });

  test.each([
    [undefined, { type: 'object', properties: {} }],
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [{ properties: { a: { type: 'object' } } }, { type: 'object', properties: { a: { type: 'object', properties: {} } } }],
    [{ properties: { a: 'string', b: 'object', c: 'words' } }, { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object', properties: {} }, c: { description: 'words' } } }],
    [{ properties: { a: { type: 'array', items: 'integer' } } }, { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' } } } }],
    [{ properties: { a: { anyOf: ['string', { type: 'object' }] } } }, { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'object', properties: {} }] } } }],
    [{ properties: { a: {} }, required: ['a', 'gone', 7] }, { type: 'object', properties: { a: {} }, required: ['a'] }],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: ['object', 'null'], properties: {}, additionalProperties: false }, { type: 'object', properties: {}, additionalProperties: false }],
  ])('%j is sent as %j', (given, sent) => {
    expect(sanitizeParameters(given)).toEqual(sent);
  });

  test('odd property names become plain ones, apart from each other, and are mapped back at any depth', () => {
    const schema = { type: 'object', properties: { 'a b': { type: 'string' }, a_b: { type: 'string' }, 'ä': { type: 'array', items: { type: 'object', properties: { 'x/y': { type: 'integer' } }, required: ['x/y'] } }, ['long'.repeat(40)]: {} }, required: ['a b'] };
    const sent = sanitizeParameters(schema);
    const sentNames = Object.keys(sent['properties'] as object); // cast: always an object
    for (const name of sentNames) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    expect(new Set(sentNames).size).toBe(4);
    expect(sent['required']).toEqual(['a_b_2']);
    expect(restoreNames({ a_b_2: '1', a_b: '2', _: [{ x_y: 3 }], other: 4 }, schema)).toEqual({ 'a b': '1', a_b: '2', 'ä': [{ 'x/y': 3 }], other: 4 });
    expect(plainNames({ fine: {}, 'also-fine.1': {} })).toBeUndefined();
  });

  test('renamed arguments reach the handler under their own names', async () => {
    const { calls, registry } = bench();
    let got: unknown;
    registry.register(tool('odd', { schema: { description: 'x', parameters: { type: 'object', properties: { 'user id': { type: 'integer' } }, required: ['user id'] } }, handler: (args) => { got = args; return '{}'; } }));
    const [definition] = await calls.getToolDefinitions();
    expect(definition?.function.parameters).toEqual({ type: 'object', properties: { user_id: { type: 'integer' } }, required: ['user_id'] });
    await calls.handleFunctionCall('odd', { user_id: '5' }, contextOf());
    expect(got).toEqual({ 'user id': 5 });
  });

  test('what overrides show the model is what its call is coerced by and checked against, and settings that change change that', async () => {
    const { calls, registry, config } = bench();
    registry.register(tool('a', {
      schema: { description: 'x', parameters: { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false } }, handler: (args) => JSON.stringify({ got: args }),
      dynamicSchemaOverrides: ({ config: get }) => (get('wide') === true ? { parameters: { type: 'object', properties: { 'größe': { type: 'integer', maximum: 9 } }, additionalProperties: false } } : {}),
    }));
    const call = async (args: object): Promise<Record<string, unknown>> => parsed(await calls.handleFunctionCall('a', args, contextOf()));
    expect(await call({ gr__e: '3' })).toMatchObject({ error_type: 'invalid_arguments' });
    config.set('wide', true);
    expect(await call({ gr__e: '3' })).toEqual({ got: { größe: 3 } });
    expect(await call({ gr__e: 12 })).toMatchObject({ problems: [{ path: 'größe', expected: 'a number <= 9' }] });
    expect(await call({ path: 'x' })).toMatchObject({ problems: [{ path: 'path', got: 'an unknown name' }] });
  });

  test('overrides that hold themselves, twice at each place, leave their tool out and cost nothing', async () => {
    const { calls, registry, lines } = bench();
    const circle: Record<string, unknown> = { type: 'object' };
    circle['properties'] = { left: circle, right: circle };
    registry.register(tool('a', { dynamicSchemaOverrides: () => ({ parameters: circle as never }) })); // cast: the point is a schema that is no JSON
    registry.register(tool('b', { rewriteSchema: (schema) => ({ ...schema, parameters: circle as never }) })); // cast: see above
    expect(await calls.getToolDefinitions()).toEqual([]);
    expect(lines.filter(({ level, message }) => level === 'error' && message.includes('cannot be sent as JSON'))).toHaveLength(2);
  });

  test('the registered schema is never written to, and a schema that is no JSON is left out', async () => {
    const { calls, registry } = bench();
    const parameters = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({ type: 'object', enum: [['x']] }) }) });
    registry.register(tool('a', { schema: { description: 'x', parameters } }));
    registry.register(tool('b', { schema: { description: 'x', parameters: { type: 'object', default: 1n } as never } })); // cast: the point is a schema that is no JSON
    expect(names(await calls.getToolDefinitions())).toEqual(['a']);
    expect(Object.isFrozen(parameters.properties.a.enum)).toBe(false);
  });
});

describe('token estimates', () => {
  /** Counted with o200k_base. */
  test.each<[string, number]>([
    ['{"type":"function","function":{"name":"mcp_github_create_pull_request","description":"Create a pull request","parameters":{"type":"object","properties":{"owner":{"type":"string"},"repo":{"type":"string"},"title":{"type":"string"},"head":{"type":"string"},"base":{"type":"string"},"draft":{"type":"boolean"},"maintainer_can_modify":{"type":"boolean"}},"required":["owner","repo","title","head","base"]}}}', 98],
  ])('are near what a tokenizer counts', (json, counted) => {
    expect(Math.abs(jsonTokens(json) - counted) / counted).toBeLessThan(0.06);
  });

  test('are nothing for nothing, and count other scripts higher', () => {
    expect(jsonTokens('')).toBe(0);
    expect(jsonTokens('東京'.repeat(30))).toBeGreaterThan(jsonTokens('ab'.repeat(30)));
  });
});
