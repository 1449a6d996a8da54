import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolRegistration } from '../../../tools/registry.ts';
import { contextOf, parsed, tool } from '../calls/support.ts';
import { quiet } from './registry-support.ts';

describe('generation, aliases and snapshots', () => {
  test('every change counts', () => {
    const { registry } = quiet();
    const counts: number[] = [];
    registry.register(tool('a')); counts.push(registry.generation);
    registry.registerToolsetAlias('x', 'test'); counts.push(registry.generation);
    registry.deregister('a'); counts.push(registry.generation);
    expect(counts).toEqual([1, 2, 3]);
  });

  test('an alias that changes its target warns', () => {
    const { registry, lines } = quiet();
    registry.registerToolsetAlias('x', 'one');
    registry.registerToolsetAlias('x', 'one');
    registry.registerToolsetAlias('x', 'two');
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
    expect(registry.getRegisteredToolsetAliases()).toEqual(new Map([['x', 'two']]));
  });

  test('restore puts back the displaced entry itself, unless somebody came in between', () => {
    const { registry } = quiet();
    registry.register(tool('a'));
    const original = registry.getEntry('a');
    registry.register(tool('a', { toolset: 'other', override: true }));
    const replacement = registry.getEntry('a');
    if (original === undefined) throw new Error('not registered');
    expect(registry.restore(original, undefined)).toBe(false);
    expect(registry.restore(original, replacement)).toBe(true);
    expect(registry.getEntry('a')).toBe(original);
  });

  test('a refresh of a toolset is one step that adds, replaces and removes', () => {
    const { registry } = quiet();
    registry.register(tool('taken'));
    registry.replaceToolset('mcp-x', [tool('one', { toolset: 'mcp-x' }), tool('two', { toolset: 'mcp-x' })]);
    const placed = registry.replaceToolset('mcp-x', [tool('two', { toolset: 'mcp-x' }), tool('three', { toolset: 'mcp-x' }), tool('taken', { toolset: 'mcp-x' })]);
    expect(placed).toEqual(['two', 'three']);
    expect(registry.getToolNamesForToolset('mcp-x')).toEqual(['three', 'two']);
    expect(registry.getToolsetForTool('taken')).toBe('test');
  });

  test('a malformed tool in a refresh leaves the toolset as it was', () => {
    const { registry } = quiet();
    registry.replaceToolset('mcp-x', [tool('one', { toolset: 'mcp-x' })]);
    const broken = { ...tool('bad', { toolset: 'mcp-x' }), schema: [] } as unknown as ToolRegistration; // cast: the point is the wrong shape
    expect(() => registry.replaceToolset('mcp-x', [tool('two', { toolset: 'mcp-x' }), broken])).toThrow(TypeError);
    expect(registry.getToolNamesForToolset('mcp-x')).toEqual(['one']);
  });

  test('a thousand random changes never show a reader a torn view', () => {
    const change = fc.record({ kind: fc.constantFrom('register', 'deregister', 'refresh'), set: fc.integer({ min: 0, max: 5 }), tools: fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 8 }), read: fc.boolean() });
    fc.assert(fc.property(fc.array(change, { minLength: 10, maxLength: 50 }), (changes) => {
      const { registry } = quiet();
      const views: { view: readonly { name: string }[]; names: string }[] = [];
      for (const { kind, set, tools, read } of changes) {
        const toolset = `mcp-${String(set)}`;
        const named = tools.map((number) => tool(`${toolset}_${String(number)}`, { toolset }));
        // Not after each change: one who reads seldom sees several of them at once.
        if (read) {
          const view = registry.entries();
          views.push({ view, names: view.map(({ name }) => name).join() });
        }
        if (kind === 'refresh') registry.replaceToolset(toolset, named);
        else for (const each of named) if (kind === 'register') registry.register(each); else registry.deregister(each.name);
        if (kind === 'refresh') expect(registry.getToolNamesForToolset(toolset)).toEqual(named.map(({ name }) => name).sort());
        if (!read) continue;
        const names = registry.getAllToolNames();
        expect(names).toEqual([...new Set(names)].sort());
        expect(registry.entries().every((entry) => registry.getEntry(entry.name) === entry), 'an entry that is not the one in place').toBe(true);
        expect([...registry.toolsets().values()].flat()).toHaveLength(names.length);
      }
      for (const { view, names } of views) expect(view.map(({ name }) => name).join()).toBe(names);
    }), { numRuns: 40 });
  });
});

describe('queries', () => {
  test('names are looked up as names: what objects inherit is no tool', async () => {
    const { registry } = quiet();
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(registry.getEntry(name)).toBeUndefined();
      expect(parsed(await registry.dispatch(name, {}, contextOf()))).toEqual({ error: `Unknown tool: ${name}` });
    }
  });

  test('lists come sorted, maps by name', () => {
    const { registry } = quiet();
    for (const name of ['b', 'a', 'c']) registry.register(tool(name, { toolset: name === 'c' ? 'two' : 'one' }));
    expect(registry.getAllToolNames()).toEqual(['a', 'b', 'c']);
    expect(registry.getToolNamesForToolset('one')).toEqual(['a', 'b']);
    expect(registry.getToolToToolsetMap()).toEqual(new Map([['a', 'one'], ['b', 'one'], ['c', 'two']]));
    expect(registry.getSchema('a')?.description).toBe('Tool a');
  });

  test('the result size is the tool\'s, else the caller\'s, else 100,000 characters', () => {
    const { registry } = quiet();
    registry.register(tool('own', { maxResultSizeChars: 5 }));
    registry.register(tool('endless', { maxResultSizeChars: Number.POSITIVE_INFINITY }));
    registry.register(tool('plain'));
    expect([registry.getMaxResultSize('own', 9), registry.getMaxResultSize('endless'), registry.getMaxResultSize('plain', 9), registry.getMaxResultSize('plain')])
      .toEqual([5, Number.POSITIVE_INFINITY, 9, 100_000]);
  });
});
