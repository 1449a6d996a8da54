import { describe, expect, test } from 'vitest';
import { applyHunks } from '../../../tools/files/hunks.ts';
import { type FileChange, parsePatch } from '../../../tools/files/v4a.ts';

function parsed(patch: string): readonly FileChange[] {
  const result = parsePatch(patch);
  if ('error' in result) throw new Error(result.error);
  return result.changes;
}

function apply(text: string, patch: string): string {
  const [change] = parsed(patch);
  if (change?.kind !== 'update') throw new Error('expected an update');
  const result = applyHunks(text, change.hunks, change.path);
  if ('error' in result) throw new Error(result.error);
  return result.text;
}

const code = ['import a', '', 'def one():', '    return 1', '', 'def two():', '    return 1', ''].join('\n');

describe('V4A patches', () => {
  test('all kinds of change are read from one patch', () => {
    expect(parsed('*** Begin Patch\n*** Update File: a.py\n@@ def one(): @@\n-    return 1\n+    return 2\n*** Add File: b.txt\n+x\n+\n+y\n*** Delete File: c.txt\n*** Move File: d.txt -> e/d.txt\n*** End Patch ')).toEqual([
      { kind: 'update', path: 'a.py', hunks: [{ hint: 'def one():', before: ['    return 1'], after: ['    return 2'] }] },
      { kind: 'add', path: 'b.txt', lines: ['x', '', 'y'] },
      { kind: 'delete', path: 'c.txt' },
      { kind: 'move', path: 'd.txt', moveTo: 'e/d.txt' },
    ]);
  });

  test('the begin and end markers may be missing', () => {
    expect(parsed('*** Delete File: x')).toEqual([{ kind: 'delete', path: 'x' }]);
  });

  test('the hint chooses between equal places', () => {
    expect(apply(code, '*** Update File: a\n@@ def two():\n-    return 1\n+    return 2')).toBe(code.replace('def two():\n    return 1', 'def two():\n    return 2'));
  });

  test('equal places without a hint are refused', () => {
    expect(() => apply(code, '*** Update File: a\n@@\n-    return 1\n+    return 2')).toThrow('fits 2 places');
  });

  test('hunks apply in order, each below the one before', () => {
    expect(apply(code, '*** Update File: a\n@@\n def one():\n-    return 1\n+    return 10\n@@\n def two():\n-    return 1\n+    return 20'))
      .toBe(['import a', '', 'def one():', '    return 10', '', 'def two():', '    return 20', ''].join('\n'));
  });

  test('hunks out of order still find their places', () => {
    expect(apply(code, '*** Update File: a\n@@\n def two():\n-    return 1\n+    return 20\n@@\n def one():\n-    return 1\n+    return 10'))
      .toBe(['import a', '', 'def one():', '    return 10', '', 'def two():', '    return 20', ''].join('\n'));
  });

  test('removed lines take their line ends with them', () => {
    expect(apply(code, '*** Update File: a\n@@\n-import a\n-\n')).toBe(code.slice('import a\n\n'.length));
  });

  test('a hunk of additions goes below its hint, or to the end without one', () => {
    expect(apply('a\nb\n', '*** Update File: f\n@@ a\n+between')).toBe('a\nbetween\nb\n');
    expect(apply('a\nb', '*** Update File: f\n+last')).toBe('a\nb\nlast\n');
  });

  test('a hunk never matches inside a line', () => {
    expect(() => apply('foobar\n', '*** Update File: f\n-foo\n+baz')).toThrow('does not fit');
  });

  test('CRLF files keep their line ends', () => {
    expect(apply('a\r\nb\r\nc\r\n', '*** Update File: f\n a\n-b\n+B\n+BB\n c')).toBe('a\r\nB\r\nBB\r\nc\r\n');
  });

  test('unified-diff headers are understood as hunk borders', () => {
    expect(apply('a\nb\nc\n', '*** Update File: f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c')).toBe('a\nB\nc\n');
  });

  test.each([
    ['*** Update File: ../../etc/x\n-a\n+b', '".."'],
    ['hello', 'not a file header'],
    ['', 'names no file'],
    ['*** Update File: f\n context only', 'changes nothing'],
    ['*** Update File: f\n-a\n+b\n=c', 'starts with a space'],
    ['*** Move File: a', 'old path -> new path'],
  ])('%j is refused with the reason', (patch, reason) => {
    expect(parsePatch(patch)).toEqual({ error: expect.stringContaining(reason) as string });
  });
});
