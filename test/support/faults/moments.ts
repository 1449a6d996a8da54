/** What may be going on in an environment when a fault strikes, and what came of it in words (issue 5: fault matrix). */
import { expect } from 'vitest';
import { EnvironmentError, type Environment } from '../../../environments/base.ts';
import { Watched } from '../../conformance/running.ts';

export const MOMENTS = ['create', 'exec', 'output', 'file write', 'cleanup'] as const;
export type Moment = (typeof MOMENTS)[number];
/** The bar of the issue. */
const LONGEST_MS = 10_000;
/** A fault test waits for what has to be noticed, one after the other. */
export const FAULT_TEST_MS = 90_000;

/** Making a new place is work, not silence: on a busy machine it takes its time. */
export const SWEEP_MS = 40_000;

export async function within<T>(work: Promise<T>, ms = LONGEST_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => { timer = setTimeout(() => reject(new Error(`nothing happened for ${ms / 1_000} s`)), ms); });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export function words(error: unknown): string {
  if (error instanceof EnvironmentError) return `${error.code}: ${error.message}`;
  throw error;
}

/** What came of it: the error's message, how a command ended, or that it went well. Fails when anything takes longer than the bar. */
export async function meet(moment: Moment, environment: Environment, fault: () => Promise<void>, { endsIt = true }: { readonly endsIt?: boolean } = {}): Promise<string> {
  if (moment === 'create') {
    await fault();
    return within(environment.open()).then(() => 'opened', words);
  }
  await environment.open();
  switch (moment) {
    case 'exec': {
      await fault();
      return within((async () => {
        const running = await environment.start({ command: 'echo fine', cwd: '/', shell: 'command' });
        const end = await new Watched(running).finished;
        return `${end.why}${running.recreated === true ? ', made anew' : ''}: ${end.text.trim()}${end.detail ?? ''}`;
      })().catch(words));
    }
    case 'output': {
      const watched = new Watched(await environment.start({ command: 'echo ready; while :; do echo more; sleep 0.1; done', cwd: '/', shell: 'command' }));
      await watched.saw(/ready/);
      await fault();
      if (!endsIt) await within(watched.process.end({ why: 'abort' }));
      const end = await within(watched.finished);
      expect(end.text).toMatch(/^ready\n/);
      return `${end.why}: ${end.detail ?? ''}`;
    }
    case 'file write': {
      await fault();
      return within(environment.writeFile('/root/written', Buffer.from('x')).then(() => 'written', words));
    }
    case 'cleanup': {
      await fault();
      return within(environment.close().then(() => 'closed', words));
    }
  }
}

export type Row = readonly [fault: string, moment: Moment, outcome: RegExp];

export function rows(fault: string, outcomes: Readonly<Record<Moment, RegExp>>): Row[] {
  return MOMENTS.map((moment) => [fault, moment, outcomes[moment]]);
}
