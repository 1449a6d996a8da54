/**
 * Edits of real source files, deformed the way models deform what they quote. Each is checked against the edit done by hand:
 * it must give exactly that text, or be refused. A wrong place is never acceptable.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMatches } from '../../../tools/shared/match.ts';
import { replaceMatches } from '../../../tools/shared/replace.ts';

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

interface Edit { readonly text: string; readonly oldString: string; readonly newString: string; readonly expected: string }

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

const mapLines = (text: string, change: (line: string) => string): string => text.split('\n').map(change).join('\n');

const DEFORMATIONS: Readonly<Record<string, (edit: Edit) => Edit>> = {
  'as it is': (edit) => edit,
  'blanks at line ends': (edit) => ({ ...edit, oldString: mapLines(edit.oldString, (line) => `${line}  `) }),
  'all indentation lost': (edit) => {
    const base = Math.min(...edit.newString.split('\n').filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length));
    return { ...edit, oldString: mapLines(edit.oldString, (line) => line.slice(base)), newString: mapLines(edit.newString, (line) => line.slice(base)) };
  },
  'indented twice as deep': (edit) => {
    const deeper = (line: string): string => ' '.repeat(line.length - line.trimStart().length) + line;
    return { ...edit, oldString: mapLines(edit.oldString, deeper), newString: mapLines(edit.newString, deeper) };
  },
  'file with CRLF': (edit) => ({ ...edit, text: edit.text.replaceAll('\n', '\r\n'), expected: edit.expected.replaceAll('\n', '\r\n') }),
  'quote with CRLF': (edit) => ({ ...edit, oldString: edit.oldString.replaceAll('\n', '\r\n'), newString: edit.newString.replaceAll('\n', '\r\n') }),
  'blank lines around the quote': (edit) => ({ ...edit, oldString: `\n${edit.oldString}\n\n`, newString: `\n${edit.newString}\n\n` }),
  'tabs for spaces': (edit) => {
    const tabs = (line: string): string => line.replace(/^( {2})+/, (run) => '\t'.repeat(run.length / 2));
    return { ...edit, oldString: mapLines(edit.oldString, tabs), newString: mapLines(edit.newString, tabs) };
  },
  'smart quotes in the file': (edit) => {
    const curl = (text: string): string => text.replaceAll("'", '\u2019');
    // What the edit adds is as the model wrote it; what was there stays curly.
    return { ...edit, text: curl(edit.text), expected: curl(edit.expected) };
  },
  'line ends written as \\n': (edit) => ({
    ...edit, oldString: edit.oldString.replaceAll('\n', '\\n'), newString: edit.newString.replaceAll('\n', '\\n'),
  }),
};

function applied(edit: Edit): string | undefined {
  const match = findMatches(edit.text, edit.oldString);
  if (match?.ranges.length !== 1) return undefined;
  const replaced = replaceMatches(edit.text, match, edit.newString);
  return 'refused' in replaced ? undefined : replaced.text;
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
