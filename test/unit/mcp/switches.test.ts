import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWanted } from '../../../main/mcp/names.ts';
import { switchedTools } from '../../../main/mcp/switches.ts';

const ALL = ['read_a', 'read_b', 'write_a', 'write_b'];

test('a tool without any filter is excluded by its name, and comes back by losing it', () => {
  expect(switchedTools(undefined, ALL, 'read_a', false)).toEqual({ exclude: ['read_a'] });
  expect(switchedTools({ exclude: ['read_a'], resources: false }, ALL, 'read_a', true)).toEqual({ exclude: [], resources: false });
});

test('a pattern gives way to the names of the others', () => {
  expect(switchedTools({ exclude: ['write_*'] }, ALL, 'write_a', true)).toEqual({ exclude: ['write_b'] });
  expect(switchedTools({ include: ['read_*', 'write_b'] }, ALL, 'read_a', false)).toEqual({ include: ['read_b', 'write_b'] });
  expect(switchedTools({ include: ['read_*'] }, ALL, 'write_a', true)).toEqual({ include: ['read_*', 'write_a'] });
});

test('a switch changes the one tool and no other, whatever the filter was, and says nothing new when it stands already', () => {
  const pattern = fc.constantFrom('read_*', 'write_*', '*_a', '?ead_b', 'read_a', 'write_b', '*');
  const patterns = fc.option(fc.array(pattern, { maxLength: 3 }), { nil: undefined });
  fc.assert(fc.property(patterns, patterns, fc.constantFrom(...ALL), fc.boolean(), (include, exclude, tool, enabled) => {
    const before = { ...(include === undefined ? {} : { include }), ...(exclude === undefined ? {} : { exclude }) };
    const after = switchedTools(before, ALL, tool, enabled) as typeof before; // cast: the same two lists
    for (const name of ALL) expect(isWanted(name, after), name).toBe(name === tool ? enabled : isWanted(name, before));
    expect(switchedTools(after, ALL, tool, enabled)).toEqual(after);
  }));
});
