/** What a bench hands back, and the statistics it takes. */

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What design §6 asks for, with the side the value must stay on: `≤ 15`, `≥ 0.7`. */
  readonly bar?: string;
}

/** The value below which that share (0 to 1) of the values lies; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
