import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { JobId, ScheduleJob, ScheduleRun } from '../../../preload/contract/schedules.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { showFailure } from '../../ui/show-failure.ts';
import { toasts } from '../../ui/toasts.tsx';

interface SchedulesModel {
  readonly jobs: readonly ScheduleJob[] | undefined;
  /** Newest first, of all jobs. */
  readonly runs: readonly ScheduleRun[];
  readonly more: boolean;
  /** Results that nobody has read. */
  readonly unseen: number;
  readonly failure: string | undefined;
}

/** Runs read at first and with each "older". */
const PAGE = 50;

const store = createStore<SchedulesModel>()(() => ({ jobs: undefined, runs: [], more: false, unseen: 0, failure: undefined }));

/** Answers may overtake each other; only the one asked last counts. */
let asked = 0;

export async function reloadSchedules(): Promise<void> {
  asked += 1;
  const mine = asked;
  const limit = Math.min(500, Math.max(PAGE, store.getState().runs.length));
  try {
    const [{ jobs, unseen }, runs] = await Promise.all([bridge.request('schedules.list', {}), bridge.request('schedules.history', { limit })]);
    if (mine === asked) store.setState({ jobs, unseen, runs, more: runs.length === limit, failure: undefined });
  } catch (error) {
    if (mine === asked) store.setState({ failure: failureWords(error) });
  }
}

/** Each tells its failure by itself and never rejects. */
async function tell(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    showFailure(error);
  }
  await reloadSchedules();
}

export const schedules = {
  pause: (id: JobId) => tell(() => bridge.request('schedules.pause', { id })),
  resume: (id: JobId) => tell(() => bridge.request('schedules.resume', { id })),
  run: (id: JobId) => tell(() => bridge.request('schedules.run', { id })),
  stop: (runId: number) => tell(() => bridge.request('schedules.stop', { runId })),
  seen: (jobId?: JobId) => tell(() => bridge.request('schedules.seen', jobId === undefined ? {} : { jobId })),
  remove: ({ id, name }: ScheduleJob) => tell(async () => {
    await bridge.request('schedules.remove', { id });
    toasts.getState().show({ text: `Removed “${name}”`, undo: { label: 'Undo', run: () => { void tell(() => bridge.request('schedules.restore', { id })); } } });
  }),
  older: () => tell(async () => {
    const before = store.getState().runs.at(-1)?.id;
    if (before === undefined) return;
    const older = await bridge.request('schedules.history', { limit: PAGE, before });
    store.setState(({ runs }) => ({ runs: [...runs, ...older] }));
  }),
};

export function useSchedules<T>(select: (model: SchedulesModel) => T): T {
  return useStore(store, select);
}

async function countUnseen(): Promise<void> {
  try {
    setUnseen((await bridge.request('schedules.list', {})).unseen);
  } catch (error) {
    // The page tells it; a badge has no place for words.
    console.warn('the unread results could not be counted', error);
  }
}

function setUnseen(unseen: number): void {
  store.setState({ unseen });
}

/** Results that nobody has read, for a badge. */
export function useUnseenCount(): number {
  useFollow(countUnseen, setUnseen);
  return useSchedules((model) => model.unseen);
}

/** Keeps the page in step while it is looked at. */
export function useFollowSchedules(): void {
  useFollow(reloadSchedules, reloadSchedules);
}

function useFollow(read: () => Promise<void>, changed: (unseen: number) => unknown): void {
  useEffect(() => {
    const off = [bridge.subscribe('schedules', ({ unseen }) => { changed(unseen); }), bridge.onStatus((status) => { if (status === 'open') void read(); })];
    return () => { for (const end of off) end(); };
  }, [read, changed]);
}
