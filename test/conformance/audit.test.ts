/** docs/conformance.md says where each fact of the runtime is tested: the tests it names are there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
interface Row { readonly section: string; readonly fact: string; readonly file: string; readonly title: string }

const rows = readFileSync(join(root, 'docs/conformance.md'), 'utf8').split('\n').flatMap((line): Row[] => {
  const [, section, fact, file, title] = /^\| (\d\.\d+) \| (.+?) \| `([^`]+)` \| (.+) \|$/.exec(line) ?? [];
  return section === undefined || fact === undefined || file === undefined || title === undefined ? [] : [{ section, fact, file: `test/${file}`, title: title.replaceAll('&#124;', '|') }];
});

/** Titles as they stand in the file: the first argument of a call of test, or of what test.each returns. */
function titlesIn(file: string): Set<string> {
  const source = readFileSync(join(root, file), 'utf8');
  return new Set([...source.matchAll(/(?:\btest|\))\('((?:[^'\\\n]|\\.)*)'/g)].map(([, title = '']) => title.replaceAll('\\\'', '\'')));
}
const titles = new Map([...new Set(rows.map(({ file }) => file))].map((file) => [file, titlesIn(file)]));

test('every section on the runtime has facts, and there are many', () => {
  const sections = ['1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7', '1.8', '1.9', '1.10', '2.1', '2.2', '2.3', '2.4', '2.5', '3.1', '3.2', '3.3', '3.4', '3.5', '3.6', '3.7'];
  expect(sections.filter((section) => !rows.some((row) => row.section === section))).toEqual([]);
  expect(rows.length).toBeGreaterThan(140);
});

test('every test that the table names exists under that title', () => {
  expect(rows.filter(({ file, title }) => titles.get(file)?.has(title) !== true)).toEqual([]);
});

test('no fact is listed twice', () => {
  const facts = rows.map(({ section, fact, title }) => `${section} ${fact} ${title}`);
  expect(facts).toEqual([...new Set(facts)]);
});
