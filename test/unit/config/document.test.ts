import { describe, expect, test } from 'vitest';
import { readConfig, valueAt, withValue } from '../../../main/config/document.ts';
import { mergeLines } from '../../../main/config/merge-lines.ts';
import type { JsonValue } from '../../../tools/context.ts';

const KEPT = `# my settings
model: "gpt"   # two spaces, double quotes

approvals:          # who asks
  mode: smart       # aligned
  timeout:  60
unknown_future_key: {a: 1, b: [x, y]}
command_allowlist:  # from the desk
  # podman is fine
  - "podman *"      # rootless
  - git clean
text: >
  folded
  text
long: aaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb cccccccccccccccccccccccccc dddddddddddddddddddd
empty:
  # a remark under an empty value
last: 1
`;

const set = (path: string, value: JsonValue | undefined, text = KEPT): string => withValue(text, path, value);
const read = (text: string, path: string): JsonValue | undefined => valueAt(readConfig(text, 'c').values, path);

describe('changing one value leaves the rest of the file as it was written', () => {
  test.each<[string, string, JsonValue, string, string]>([
    ['a word', 'approvals.mode', 'manual', '  mode: smart       # aligned', '  mode: manual # aligned'],
    ['a number', 'approvals.timeout', 90, '  timeout:  60', '  timeout: 90'],
  ])('%s', (_name, path, value, before, after) => {
    expect(set(path, value)).toBe(KEPT.replace(before, after));
  });

  test('an item added to a list comes after the others, whose comments stay', () => {
    expect(set('command_allowlist', ['podman *', 'git clean', 'docker ps'])).toBe(KEPT.replace('  - git clean\n', '  - git clean\n  - docker ps\n'));
  });

  test('an item removed from a list takes no other with it', () => {
    expect(set('command_allowlist', ['podman *'])).toBe(KEPT.replace('  - git clean\n', ''));
  });

  test('a new key of a group', () => {
    expect(set('approvals.deny', ['rm *'])).toBe(KEPT.replace('  timeout:  60\n', '  timeout:  60\n  deny:\n    - rm *\n'));
  });

  test('a new group at the end', () => {
    expect(set('terminal.timeout', 5)).toBe(`${KEPT}terminal:\n  timeout: 5\n`);
  });

  test('a removed key', () => {
    expect(set('last', undefined)).toBe(KEPT.replace('last: 1\n', ''));
  });

  test('setting what is already there, or removing what is not, changes nothing', () => {
    expect(set('last', 1)).toBe(KEPT);
    expect(set('nothing.at.all', undefined)).toBe(KEPT);
  });
});

test('an empty file and an empty group take values', () => {
  expect(set('approvals.mode', 'off', '')).toBe("approvals:\n  mode: 'off'\n");
  expect(read(set('empty.inside', 2), 'empty.inside')).toBe(2);
});

test('removing the last key leaves a valid file', () => {
  expect(readConfig(set('a', undefined, 'a: 1\n'), 'c')).toEqual({ values: {}, problem: undefined });
});

test('a path through a value that is no group is refused', () => {
  expect(() => set('last.deeper', 1)).toThrow(expect.objectContaining({ code: 'request/not-possible' }));
});

test.each(['off', 'yes', 'null', '123', '1:30', '2024-01-01', '~', 'a: b', '# x', '- x', "it's", '"q"', 'line\nbreak', 'podman *', '*x', '&y', '!z', ' lead', '{a}', '[ab]*', '%d', '@h', '`t`', ''])(
  'the text %j comes back as the same text, alone and in a list', (text) => {
    expect(read(set('new.key', text), 'new.key')).toBe(text);
    expect(read(set('command_allowlist', [text, 'x']), 'command_allowlist')).toEqual([text, 'x']);
    expect(read(set('model', text), 'model')).toBe(text);
  });

test('bare words that YAML 1.1 takes for booleans are booleans, as Hermes reads them; quoted ones and keys are text', () => {
  expect(readConfig('a: off\nb: yes\nc: "off"\non: 1\nn: 2\nlist: [no, On]\n', 'c').values)
    .toEqual({ a: false, b: true, c: 'off', on: 1, n: 2, list: [false, true] });
});

test('merge keys and anchors are understood', () => {
  expect(read('base: &b\n  x: 1\nmine:\n  <<: *b\n  y: 2\n', 'mine')).toEqual({ x: 1, y: 2 });
});

test('names that objects have by nature are no settings', () => {
  expect(read('a: 1\n', 'constructor')).toBeUndefined();
  expect(read('a: 1\n', 'a.b')).toBeUndefined();
  expect(read('a: [1]\n', 'a.length')).toBeUndefined();
});

describe('a malformed file', () => {
  test.each([
    ['an open bracket', 'a: 1\nb: [1, 2\nc: 3\n', 3],
    ['a tab as indent', 'a:\n\tb: 1\n', 2],
    ['a key twice', 'a: 1\nb: 2\na: 3\n', 3],
    ['no settings at all', 'just words\n', 1],
    ['a list at the top', '- a\n- b\n', 1],
  ])('%s is reported with its place', (_name, text, line) => {
    expect(readConfig(text, '/h/config.yaml').problem).toMatchObject({ path: '/h/config.yaml', line, column: expect.any(Number), message: expect.stringMatching(/.{5}/) });
  });

  test('an alias bomb is refused', () => {
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c]\n`;
    expect(readConfig(bomb, 'c').problem?.message).toMatch(/alias/i);
  });
});

test('edits of both sides are merged, and where they meet theirs win', () => {
  expect(mergeLines('a\nb\nc\nd', 'A\nb\nc\nd', 'a\nb\nc\nD')).toBe('A\nb\nc\nD');
  expect(mergeLines('a\nb\nc', 'a\nX\nc', 'a\nY\nc')).toBe('a\nY\nc');
  expect(mergeLines('a\nb', 'a\nb', 'a\nb\nc')).toBe('a\nb\nc');
});
