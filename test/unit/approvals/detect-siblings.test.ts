import { describe, expect, it } from 'vitest';
import { corpus, type CorpusRow, review } from './detect-support.ts';

/** Rows that someone who wrote the handed cases might have kept back: equally many that must pass in silence. One test for each kind, since there are thousands. */
const rows = corpus('approval-siblings');
const kinds = new Map<string, CorpusRow[]>();
for (const row of rows) kinds.set(row.category, [...(kinds.get(row.category) ?? []), row]);

describe('the verdict on each row of approval-siblings', () => {
  it.each([...kinds].map(([kind, own]) => ({ kind, own, count: own.length })))('is the noted one for all $count of $kind', ({ own }) => {
    const wrong = own.flatMap((row) => {
      const { verdict, findings } = review(row.command);
      return verdict === row.verdict ? [] : [{ command: row.command, wanted: row.verdict, verdict, because: findings.map((finding) => finding.key) }];
    });
    expect(wrong).toEqual([]);
  });

  it('is silence for more than a third of them, so that a false alarm is met as surely as a miss', () => {
    expect(rows.filter((row) => row.verdict === 'allow').length * 3).toBeGreaterThan(rows.length);
  });
});
