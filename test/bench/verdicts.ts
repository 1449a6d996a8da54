/** Figures of design §6 for the command detector: the corpora command by command, and the slowest of the hostile lines. */
import { reviewCommand } from '../../main/approvals/detect.ts';
import { median, percentile, type Figure } from '../support/figures.ts';
import { HOSTILE } from '../unit/approvals/detect-hostile.ts';
import { corpus, PLACE } from '../unit/approvals/detect-support.ts';

/** The best of so many readings of a command counts: what else runs on the machine lengthens single ones. */
const ROUNDS = 5;
const HOSTILE_CHARS = 100_000;

function bestOf(rounds: number, command: string): number {
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    reviewCommand(command, PLACE);
    return performance.now() - started;
  });
  return Math.min(...times);
}

export function bench(): Promise<Figure[]> {
  const commands = [...corpus('approval-cases'), ...corpus('approval-extra')].map(({ command }) => command);
  for (const command of commands) reviewCommand(command, PLACE);
  const times = commands.map((command) => bestOf(ROUNDS, command));
  const hostile = Object.entries(HOSTILE).map(([name, text]) => ({ name, value: bestOf(ROUNDS, text.slice(0, HOSTILE_CHARS)) })).toSorted((left, right) => right.value - left.value);
  const slowest = hostile[0] ?? { name: 'none', value: Number.NaN };
  return Promise.resolve([
    { name: `verdict on a command, median of ${commands.length}`, value: median(times), unit: 'ms', bar: '≤ 0.1' },
    { name: 'verdict on a command, p99', value: percentile(times, 0.99), unit: 'ms', bar: '≤ 1' },
    { name: `verdict on 100 kB of hostile input, slowest of ${hostile.length} (${slowest.name})`, value: slowest.value, unit: 'ms', bar: '≤ 50' },
  ]);
}
