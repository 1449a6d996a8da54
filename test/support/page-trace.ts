/** What the main thread of a page did, from Chromium's own tracing. */
import type { Browser, Page } from 'playwright-core';

export interface PageTask {
  /** From start to end on the clock: this is what a person waits for. */
  readonly milliseconds: number;
  /** Processor time of it: what other processes do does not lengthen it. */
  readonly cpuMilliseconds: number;
}

interface TraceEvent { readonly name: string; readonly ph: string; readonly pid: number; readonly tid: number; readonly dur?: number; readonly tdur?: number; readonly args?: { readonly name?: string } }

/** Tasks of the busiest page of the browser while `run` ran, longest first. */
export async function tracedTasks(browser: Browser, page: Page, run: () => Promise<void>): Promise<PageTask[]> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  let recording: Buffer;
  try {
    await run();
  } finally {
    recording = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(recording.toString('utf8')) as { traceEvents: TraceEvent[] }; // Chromium's own format
  const threads = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`));
  const byThread = Map.groupBy(traceEvents.filter(({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && threads.has(`${pid} ${tid}`)), ({ pid, tid }) => `${pid} ${tid}`);
  const busiest = [...byThread.values()].toSorted((left, right) => total(right) - total(left))[0];
  if (busiest === undefined) throw new Error('the trace holds no task of any page');
  return busiest.map(({ dur = 0, tdur = 0 }) => ({ milliseconds: dur / 1_000, cpuMilliseconds: tdur / 1_000 })).toSorted((left, right) => right.milliseconds - left.milliseconds);
}

function total(events: readonly TraceEvent[]): number {
  return events.reduce((sum, { dur = 0 }) => sum + dur, 0);
}

/** Milliseconds between the frames of the page while `run` ran. */
export async function frameGaps(page: Page, run: () => Promise<void>): Promise<number[]> {
  const watch = await page.evaluateHandle(() => {
    const gaps: number[] = [];
    let last = performance.now();
    let watching = true;
    const frame = (): void => {
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      if (watching) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    return { gaps, stop: () => { watching = false; } };
  });
  await run();
  return watch.evaluate(({ gaps, stop }) => {
    stop();
    return gaps.slice(1);
  });
}
