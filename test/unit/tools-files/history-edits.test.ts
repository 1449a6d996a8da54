/** Edits that were really made to this project, quoted the way models quote. Each lands exactly where it did, or is refused. */
import { describe, expect, test } from 'vitest';
import { findMatches, foldUnicode } from '../../../tools/shared/match.ts';
import { applied, DEFORMATIONS, type Edit } from '../../support/edit-deformations.ts';
import history from '../../corpora/history-edits.json' with { type: 'json' };

const EDITS = history.map(({ commit, file, before, oldString, newString }) => ({
  name: `${commit} ${file}`, edit: { text: before, oldString, newString, expected: before.replace(oldString, () => newString) } satisfies Edit,
}));

/** What stands where. A line the edit adds brings the quotes and blanks the model wrote, and nothing in the quoted text may say better. */
const placed = (text: string): string => foldUnicode(text).replace(/\s+/g, '');

/** One line that both sides have in common is left out of both, as when a model shortens what it quotes. */
function elided(edit: Edit): Edit | undefined {
  const old = edit.oldString.split('\n');
  const fresh = edit.newString.split('\n');
  const place = old.findIndex((line, index) => index > 0 && index < old.length - 1 && line.trim() !== '' && fresh.filter((each) => each === line).length === 1 && fresh.indexOf(line) > 0 && fresh.indexOf(line) < fresh.length - 1);
  const line = old[place];
  if (line === undefined) return undefined;
  return { ...edit, oldString: old.filter((_, index) => index !== place).join('\n'), newString: fresh.filter((each) => each !== line).join('\n') };
}

test('the corpus holds at least 150 edits, each of one place of its file', () => {
  expect(EDITS.length).toBeGreaterThanOrEqual(150);
  for (const { name, edit } of EDITS) expect(findMatches(edit.text, edit.oldString)?.ranges.length, name).toBe(1);
});

describe.each(Object.entries(DEFORMATIONS))('quoted with %s', (form, deform) => {
  test('none lands elsewhere, and at least 95 in 100 land', () => {
    const usable = EDITS.filter(({ edit }) => !form.startsWith('line ends') || !(edit.oldString + edit.newString).includes('\\'));
    let landed = 0;
    for (const { name, edit } of usable) {
      const deformed = deform(edit);
      const result = applied(deformed);
      if (result === undefined) continue;
      expect(placed(result), name).toBe(placed(deformed.expected));
      landed += 1;
    }
    expect(landed / usable.length).toBeGreaterThanOrEqual(0.95);
  });
});

test('context left out of the quote never costs a line of the file: the edit lands whole or is refused', () => {
  const shortened = EDITS.flatMap(({ name, edit }) => {
    const deformed = elided(edit);
    return deformed === undefined ? [] : [{ name, deformed }];
  });
  expect(shortened.length).toBeGreaterThan(30);
  for (const { name, deformed } of shortened) {
    const result = applied(deformed);
    if (result !== undefined) expect(placed(result), name).toBe(placed(deformed.expected));
  }
});
