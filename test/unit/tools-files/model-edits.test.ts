/**
 * Edits of real source files, deformed the way models deform what they quote. Each is checked against the edit done by hand:
 * it must give exactly that text, or be refused. A wrong place is never acceptable.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { applied, DEFORMATIONS, type Edit } from '../../support/edit-deformations.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = ['environments', 'tools', 'main', 'preload/contract'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.ts')).map((name) => join(ROOT, folder, name))).sort();

/** Small deterministic generator (mulberry32), so that a failure can be run again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Takes some lines of a file, changes one, adds one after it. */
function makeEdit(source: string, next: () => number): Edit | undefined {
  const lines = source.split('\n');
  const first = Math.floor(next() * (lines.length - 8));
  const block = lines.slice(first, first + 3 + Math.floor(next() * 5));
  const target = block.findIndex((line, index) => index > 0 && line.trim().length > 8);
  const line = block[target];
  if (line === undefined || (block[0] ?? '').trim() === '' || (block.at(-1) ?? '').trim() === '') return undefined;
  const indent = line.slice(0, line.length - line.trimStart().length);
  const after = [...block.slice(0, target), `${indent}changed(${line.trim().length.toString()});`, `${indent}added();`, ...block.slice(target + 1)];
  const oldString = block.join('\n');
  if (source.split(oldString).length !== 2) return undefined;
  return { text: source, oldString, newString: after.join('\n'), expected: [...lines.slice(0, first), ...after, ...lines.slice(first + block.length)].join('\n') };
}

describe.each(Object.keys(DEFORMATIONS))('edits quoted with %s', (name) => {
  test('land where they were meant or are refused, and at least 95 in 100 land', () => {
    const deform = DEFORMATIONS[name];
    if (deform === undefined) throw new Error(name);
    const next = random(name.length * 7919);
    let tried = 0;
    let landed = 0;
    while (tried < 150) {
      const source = readFileSync(SOURCES[Math.floor(next() * SOURCES.length)] ?? '', 'utf8');
      const plain = source.split('\n').length > 20 ? makeEdit(source, next) : undefined;
      if (plain === undefined || (name.startsWith('line ends') && plain.oldString.includes('\\'))) continue;
      const edit = deform(plain);
      tried += 1;
      const result = applied(edit);
      if (result === undefined) continue;
      expect(result, `${edit.oldString}\n=>\n${edit.newString}`).toBe(edit.expected);
      landed += 1;
    }
    expect(landed / tried).toBeGreaterThanOrEqual(0.95);
  });
});
