import { describe, expect, it } from 'vitest';
import { corpus, review } from './detect-support.ts';

for (const name of ['approval-cases', 'approval-extra']) {
  const rows = corpus(name);

  describe(`the verdict on each row of ${name}`, () => {
    it.each(rows.map((row, index) => ({ ...row, line: index + 1, shown: JSON.stringify(row.command) })))('$verdict: $shown ($category, line $line)', (row) => {
      const { verdict, findings } = review(row.command);
      expect({ verdict, because: verdict === row.verdict ? [] : findings.map((finding) => finding.key) }).toEqual({ verdict: row.verdict, because: [] });
    });
  });

  it(`${name} holds enough rows of every verdict to mean something`, () => {
    for (const verdict of ['allow', 'ask', 'block'] as const) expect(rows.filter((row) => row.verdict === verdict).length).toBeGreaterThan(80);
  });
}
