/** Runs a plan: parallel segments with a bounded number of workers, results in call order, nothing started after a stop. */
import type { BatchCall, BatchSegment } from '../ports.ts';

/** Hermes' figure. */
export const MAX_WORKERS = 8;

/**
 * One result per call, in the order of the calls. After `signal` aborts no further call starts: the rest is answered by
 * `skipped`; running ones end by themselves (their context carries the same signal). Rejects only when `execute` does.
 */
export async function runBatch<Call extends BatchCall, Result>(
  segments: readonly BatchSegment<Call>[], execute: (call: Call) => Promise<Result>, skipped: (call: Call) => Result, signal: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const segment of segments) {
    results.push(...await runSegment(segment, execute, skipped, signal));
  }
  return results;
}

async function runSegment<Call extends BatchCall, Result>(
  { kind, calls }: BatchSegment<Call>, execute: (call: Call) => Promise<Result>, skipped: (call: Call) => Result, signal: AbortSignal,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  const queue = calls.entries();
  const work = async (): Promise<void> => {
    for (const [index, call] of queue) results.set(index, signal.aborted ? skipped(call) : await execute(call));
  };
  const workers = kind === 'parallel' ? Math.min(MAX_WORKERS, calls.length) : 1;
  await Promise.all(Array.from({ length: workers }, work));
  return calls.flatMap((_, index) => [...(results.has(index) ? [results.get(index) as Result] : [])]); // cast: present, `has` says so
}
