import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LIMIT_KEY, MALFORMED_KEY, SYNTAX_KEY } from '../../../main/approvals/detect.ts';
import type { Verdict } from '../../../preload/contract/approvals.ts';
import { corpus, review, samples } from './detect-support.ts';
import { TRANSFORMS } from './detect-transforms.ts';

const RANK: Record<Verdict, number> = { allow: 0, ask: 1, block: 2 };
const UNREADABLE = new Set([LIMIT_KEY, MALFORMED_KEY, SYNTAX_KEY]);

/** Rows that mean something to a shell: broken text means something else once it is quoted, and so does PowerShell. */
const rows = [...corpus('approval-cases'), ...corpus('approval-extra'), ...corpus('approval-breaker')].filter((row) => row.verdict !== 'allow' && row.category !== 'windows' && !review(row.command).findings.some((finding) => UNREADABLE.has(finding.key)));

it('has at least forty transforms and enough rows to work on', () => {
  expect(TRANSFORMS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(TRANSFORMS.map((transform) => transform.name)).size).toBe(TRANSFORMS.length);
  expect(rows.length).toBeGreaterThan(800);
});

it.each(TRANSFORMS.map((transform) => transform.name))('fits some row: %s', (name) => {
  const transform = TRANSFORMS.find((each) => each.name === name);
  expect(rows.some((row) => transform?.apply(row.command) !== undefined)).toBe(true);
});

it('never answers more mildly for another spelling, wrapper or quoting of the same command', () => {
  const property = fc.property(fc.nat({ max: rows.length - 1 }), fc.array(fc.nat({ max: TRANSFORMS.length - 1 }), { minLength: 1, maxLength: 4 }), (rowIndex, picked) => {
    const row = rows[rowIndex];
    if (row === undefined) return;
    let command = row.command;
    const names: string[] = [];
    for (const index of picked) {
      const transform = TRANSFORMS[index];
      const next = transform?.apply(command);
      if (transform === undefined || next === undefined) continue;
      command = next;
      names.push(transform.name);
    }
    const { verdict } = review(command);
    if (RANK[verdict] < RANK[row.verdict]) throw new Error(`${row.verdict} became ${verdict} through ${names.join(' + ')}:\n${JSON.stringify(row.command)}\n${JSON.stringify(command)}`);
  });
  fc.assert(property, { numRuns: samples(3_000, 20_000), seed: 20_261_130, endOnFailure: false });
}, 300_000);
