/** Edits that were really made to this project, quoted in ways that are wrong: each lands exactly where it did, or is refused. */
import { describe, expect, test } from 'vitest';
import { foldUnicode } from '../../../tools/shared/match.ts';
import { applied, type Edit } from '../../support/edit-deformations.ts';
import history from '../../corpora/history-edits.json' with { type: 'json' };

const EDITS = history.slice(0, 100).map(({ commit, file, before, oldString, newString }) => ({
  name: `${commit} ${file}`, edit: { text: before, oldString, newString, expected: before.replace(oldString, () => newString) } satisfies Edit,
}));

const lines = (change: (line: string, index: number, all: readonly string[]) => string) => (text: string): string => text.split('\n').map(change).join('\n');
/** The same change to what is quoted and to what stands there after. */
const both = (change: (text: string) => string) => (edit: Edit): Edit => ({ ...edit, oldString: change(edit.oldString), newString: change(edit.newString) });
const quoted = (change: (text: string) => string) => (edit: Edit): Edit => ({ ...edit, oldString: change(edit.oldString) });
const inFile = (change: (text: string) => string) => (edit: Edit): Edit => ({ ...edit, text: change(edit.text), expected: change(edit.expected) });
const middle = (change: (line: string) => string) => lines((line, index, all) => (index === Math.floor(all.length / 2) && index > 0 && index < all.length - 1 ? change(line) : line));
const swapped = (text: string): string => {
  const all = text.split('\n');
  const at = Math.floor(all.length / 2);
  return all.length < 4 ? text : [...all.slice(0, at - 1), all[at] ?? '', all[at - 1] ?? '', ...all.slice(at + 1)].join('\n');
};

/** A line that both sides have once, inside, written as something else in both. */
const inContext = (instead: string) => (edit: Edit): Edit => {
  const [old, fresh] = [edit.oldString.split('\n'), edit.newString.split('\n')];
  const inside = (all: readonly string[], line: string): boolean => all.indexOf(line) > 0 && all.indexOf(line) === all.lastIndexOf(line) && all.indexOf(line) < all.length - 1;
  const shared = old.find((line) => line.trim() !== '' && inside(old, line) && inside(fresh, line));
  const written = (text: string): string => text.split('\n').map((line) => (line === shared ? instead : line)).join('\n');
  return shared === undefined ? edit : both(written)(edit);
};

const WRONG: Readonly<Record<string, (edit: Edit) => Edit>> = {
  'a zero-width space in the middle': quoted(middle((line) => `${line.slice(0, 4)}\u200b${line.slice(4)}`)),
  'zero-width joiners at line ends': quoted(lines((line) => `${line}\u200d`)),
  'a byte-order mark in front': quoted((text) => `\ufeff${text}`),
  'no-break spaces for indentation': both(lines((line) => line.replace(/^ +/, (run) => '\u00a0'.repeat(run.length)))),
  'tabs on every other line': both(lines((line, index) => (index % 2 === 0 ? line.replace(/^( {2})+/, (run) => '\t'.repeat(run.length / 2)) : line))),
  'the first line without its indentation': both(lines((line, index) => (index === 0 ? line.trimStart() : line))),
  'tabs between words': quoted(lines((line) => line.replace(/(\S) (?=\S)/, '$1\t'))),
  'blanks doubled between words': quoted(lines((line) => line.replace(/(\S) (?=\S)/g, '$1  '))),
  'a file with CRLF on every other line': inFile(lines((line, index) => (index % 2 === 0 ? `${line}\r` : line))),
  'a file without a final line end': inFile((text) => text.replace(/\n$/, '')),
  'a line end too many': both((text) => `${text}\n`),
  'dashes made long': quoted((text) => text.replaceAll(' - ', ' – ').replaceAll('--', '—')),
  'smart double quotes': quoted((text) => text.replaceAll('"', '\u201d').replaceAll('\'', '\u2019')),
  'backticks for quotes': quoted((text) => text.replaceAll('\'', '`')),
  'three points made one': quoted((text) => text.replaceAll('...', '…')),
  'an ellipsis for a line of both': inContext('...'),
  'a comment for a line of both': inContext('// ... existing code ...'),
  'two lines in each other\'s place': quoted(swapped),
  'a line of words that are not there': quoted(middle(() => 'nothing(like).this ever stood here')),
  'a line said twice': quoted(lines((line, index, all) => (index === Math.floor(all.length / 2) ? `${line}\n${line}` : line))),
  'blank lines between all lines': quoted((text) => text.replaceAll('\n', '\n\n')),
  'blank lines gone': quoted((text) => text.replace(/\n\s*\n/g, '\n')),
  'the comma at the end gone': both((text) => text.replace(/,$/, '')),
  'capitals for small letters': quoted((text) => text.toUpperCase()),
  'numbers of lines in front': both(lines((line, index) => `${String(index + 1)}|${line}`)),
  'marks of a diff in front': both(lines((line) => ` ${line}`)),
  'a fence around': both((text) => `\`\`\`ts\n${text}\n\`\`\``),
  'entities of HTML': quoted((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
  'long lines cut short': quoted(lines((line) => (line.length > 60 ? `${line.slice(0, 59)}…` : line))),
  'letters of full width': quoted((text) => text.replaceAll('(', '（').replaceAll(')', '）')),
  'escaped quotes': (edit) => (/['"]/.test(edit.oldString) ? both((text) => text.replaceAll('\'', '\\\'').replaceAll('"', '\\"'))(edit) : edit),
  'a copy of the place with one line changed before it': (edit) => {
    const copy = edit.oldString.split('\n').map((line, index) => (index === 1 ? `${line} // old` : line)).join('\n');
    return { ...edit, text: `${copy}\n${edit.text}`, expected: `${copy}\n${edit.expected}` };
  },
};

/** What stands where; blanks, kinds of quotes and invisible characters aside. */
const placed = (text: string): string => foldUnicode(text).replace(/[\s\u200b-\u200d\ufeff]+/g, '');

describe.each(Object.entries(WRONG))('quoted with %s', (form, deform) => {
  test('none lands elsewhere', () => {
    const elsewhere: string[] = [];
    for (const { name, edit } of EDITS) {
      const result = applied(deform(edit));
      if (result === undefined) continue;
      // A line that both sides carry wrongly alike is no part of the change.
      if (placed(result) !== placed(deform(edit).expected)) elsewhere.push(name);
    }
    expect(elsewhere, form).toEqual([]);
  });
});

test('a place that is there twice is never chosen', () => {
  for (const { name, edit } of EDITS) expect(applied({ ...edit, text: `${edit.text}\n${edit.oldString}` }), name).toBeUndefined();
});
