import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scopeOf } from '../../../main/calls/plan.ts';
import { unwrapMcp } from '../../../main/calls/spill.ts';
import { pathsOfPatch } from '../../../main/calls/v4a-paths.ts';
import type { MultimodalResult } from '../../../tools/registry.ts';
import { bench, contextOf, parsed, tool } from './support.ts';

describe('results that are no plain text', () => {
  const picture = (more: object = {}): MultimodalResult => ({ _multimodal: true, content: [{ type: 'text', text: 'a cat sk-secret' }, { type: 'image', mimeType: 'image/png', data: 'A'.repeat(300_000) }, null], ...more });

  test('a picture without a summary stands in the history as words, without its bytes', async () => {
    const { calls, registry } = bench();
    registry.register(tool('see', { handler: () => picture() }));
    const { result, fullText } = await calls.callTool('see', {}, contextOf());
    expect(result).toEqual({ ...picture(), text_summary: fullText });
    expect(fullText).toBe('a cat sk-secret\n[image/png, not shown as text]\n[a part that cannot be shown]');
  });

  test('a summary is bounded and cleaned like any text, and so are the texts of a plugin\'s parts', async () => {
    const { calls, registry } = bench();
    registry.register(tool('see', { handler: () => picture({ text_summary: `sk-secret ${'y'.repeat(120_000)}` }) }), { owner: { id: 'p', allowOverride: false, scope: 'global' } });
    const { result, savedTo } = await calls.callTool('see', {}, contextOf({ services: { redact: (text) => text.replaceAll('sk-secret', '***') } }));
    const { text_summary: summary, content } = result as MultimodalResult; // cast: what the tool answered with
    expect(summary).toMatch(/^<persisted-output>/);
    expect(content[0]).toEqual({ type: 'text', text: 'a cat ***' });
    expect(readFileSync(savedTo ?? '', 'utf8')).toBe(`*** ${'y'.repeat(120_000)}`);
  });

  test('an output that begins like a saved one is saved like any other', async () => {
    const { calls, registry } = bench();
    const long = `<persisted-output>${'z'.repeat(150_000)}</persisted-output>`;
    registry.register(tool('spoof', { handler: () => long }));
    const { savedTo } = await calls.callTool('spoof', {}, contextOf());
    expect(readFileSync(savedTo ?? '', 'utf8')).toBe(long);
  });

  test('an envelope whose structured part is what it is about is saved whole', () => {
    const rows = JSON.stringify({ result: 'ok', structuredContent: { rows: Array.from({ length: 100 }, (_, row) => row) } });
    expect(unwrapMcp(rows)).toBe(rows);
    expect(unwrapMcp(JSON.stringify({ result: '[0,1,2,3]', structuredContent: { rows: [0, 1, 2, 3] } }))).toBe('[0,1,2,3]');
  });
});

describe('middleware of plugins', () => {
  test.each([['text', 'string'], [[1], 'array'], [5, 'integer']])('arguments rewritten to %j refuse the call and name the plugin', async (answer, kind) => {
    const { calls, registry } = bench();
    let ran = false;
    registry.register(tool('a', { handler: () => { ran = true; return '{}'; } }));
    calls.middleware.onRequest(() => answer as never, 'acme'); // cast: the point is a middleware that breaks its type
    expect(parsed(await calls.handleFunctionCall('a', {}, contextOf()))['error']).toBe(`[TOOL_ERROR] Error executing a: the request middleware of 'acme' answered with ${kind} instead of arguments`);
    expect(ran).toBe(false);
  });

  test('null leaves the arguments as they are', async () => {
    const { calls, registry } = bench();
    registry.register(tool('a', { schema: { description: 'x' }, handler: (args) => JSON.stringify(args) }));
    calls.middleware.onRequest(() => null as never, 'acme'); // cast: see above
    expect(await calls.handleFunctionCall('a', { x: 1 }, contextOf())).toBe('{"x":1}');
  });

  test('a wrapped execution that answers nothing breaks the contract and is named', async () => {
    const { calls, registry } = bench();
    registry.register(tool('a'));
    calls.middleware.onExecution(() => Promise.resolve(undefined as never), 'acme'); // cast: see above
    expect(parsed(await calls.handleFunctionCall('a', {}, contextOf()))).toEqual({ error: "The execution middleware of 'acme' returned unsupported result type: null", error_type: 'tool_result_contract', tool: 'a', result_type: 'null' });
  });
});

describe('paths of a patch as the tool reads them', () => {
  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ['without a mode and without text to replace, it is a patch, whatever path stands beside it', { path: 'a', patch: '*** Update File: b' }, ['b']],
    ['the same with null', { mode: null, path: 'a', patch: '*** Update File: b' }, ['b']],
    ['with text to replace it is not', { path: 'a', old_string: 'x', new_string: 'y', patch: '*** Update File: b' }, ['a']],
    ['nor when it says so', { mode: 'replace', path: 'a', patch: '*** Update File: b' }, ['a']],
  ])('%s', (_what, args, paths) => {
    expect(scopeOf({ id: '1', name: 'patch', args })).toEqual({ kind: 'writes', paths });
  });

  test('an arrow may stand in a name', () => {
    expect(pathsOfPatch('*** Move File: a->b.txt -> c.txt')).toEqual(['a->b.txt', 'c.txt']);
    expect(pathsOfPatch('*** Move File: a->b.txt')).toEqual(['a->b.txt', 'a', 'b.txt']);
    expect(pathsOfPatch('*** Update File: x\n*** Move to: y -> z')).toEqual(['x', 'y -> z']);
  });
});
