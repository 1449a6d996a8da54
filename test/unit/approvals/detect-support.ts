/** What the detector's tests share: the corpora and a place to review for. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { reviewCommand, type ReviewPlace } from '../../../main/approvals/detect.ts';
import type { CommandReview, Verdict } from '../../../preload/contract/approvals.ts';

export interface CorpusRow {
  readonly command: string;
  readonly verdict: Verdict;
  readonly category: string;
  readonly why: string;
}

const EXPECTED: ReadonlyMap<string, Verdict> = new Map([['safe', 'allow'], ['danger', 'ask'], ['block', 'block']]);

/** Rows of `test/corpora/<name>.tsv`; `\n` and `\t` in a command are decoded, every other backslash is literal. */
export function corpus(name: string): CorpusRow[] {
  const file = fileURLToPath(new URL(`../../corpora/${name}.tsv`, import.meta.url));
  return readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => {
    const [command = '', expected = '', category = '', why = ''] = line.split('\t');
    const verdict = EXPECTED.get(expected);
    if (verdict === undefined) throw new Error(`${name}.tsv: '${expected}' is no expected verdict, in: ${line}`);
    return { command: command.replaceAll('\\n', '\n').replaceAll('\\t', '\t'), verdict, category, why };
  });
}

export const PLACE: ReviewPlace = { backend: 'local', isolated: false, home: '/home/ana', user: 'ana', tmpdir: '/tmp', platform: 'posix' };

export const review = (command: string, place: Partial<ReviewPlace> = {}): CommandReview => reviewCommand(command, { ...PLACE, ...place });
export const verdict = (command: string, place: Partial<ReviewPlace> = {}): Verdict => review(command, place).verdict;
export const keys = (command: string, place: Partial<ReviewPlace> = {}): string[] => review(command, place).findings.map((finding) => finding.key);

/** The larger number of samples in the long run (`TALARIA_LONG=1`). */
export const samples = (normal: number, long: number): number => (process.env['TALARIA_LONG'] === '1' ? long : normal);
