/** The public door of scheduled work: a section of the settings, and the number of unread results. */
import { CalendarClock, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useNow } from '../../ui/clock.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { SettingsSection } from '../../ui/frame.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { JobCard } from './job-card.tsx';
import { JobForm } from './job-form.tsx';
import { reloadSchedules, schedules, useFollowSchedules, useSchedules } from './live.ts';
import { lastRuns } from './model.ts';
import { RunList } from './run-list.tsx';

export { useUnseenCount } from './live.ts';

/** "in 4 min" is true for that long. */
const STEP_MS = 15_000;

function Schedules() {
  useFollowSchedules();
  const jobs = useSchedules((model) => model.jobs);
  const runs = useSchedules((model) => model.runs);
  const failure = useSchedules((model) => model.failure);
  const [making, setMaking] = useState(false);
  const now = useNow(true, STEP_MS);
  const last = lastRuns(runs);
  const make = <Button icon={<Plus size={14} aria-hidden />} tone="primary" onClick={() => { setMaking(true); }}>New job</Button>;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <p className="min-w-0 flex-1 basis-72 text-xs text-muted">Prompts that run by the clock, each in a chat of its own. They run while the app is open, or <code>talaria cron serve</code>. What would need your approval is refused, unless <code>approvals.cron_mode</code> says otherwise.</p>
        {making || jobs === undefined || jobs.length === 0 ? null : make}
      </div>
      {failure === undefined ? null : (
        <InlinePanel tone="danger" role="alert" title="The schedules could not be read" actions={<Button size="small" onClick={() => { void reloadSchedules(); }}>Try again</Button>}>{failure}</InlinePanel>
      )}
      {making ? <JobForm onClose={() => { setMaking(false); }} /> : null}
      {jobs?.length === 0 && !making ? (
        <EmptyState icon={CalendarClock} title="Nothing is scheduled" action={make}>
          A job asks the model something again and again, or once at a later time: a morning summary, a look at a build, a reminder. Make one here, or ask for it in a chat.
        </EmptyState>
      ) : null}
      <ul aria-label="Jobs" className="flex flex-col gap-2.5">{jobs?.map((job) => <JobCard key={job.id} job={job} last={last.get(job.id)} runs={runs} now={now} />)}</ul>
      {runs.length === 0 ? null : <History now={now} />}
    </div>
  );
}

/** Runs of all jobs, of removed ones too. Opening it reads them. */
function History({ now }: { readonly now: number }) {
  const [open, setOpen] = useState(false);
  const runs = useSchedules((model) => model.runs);
  const more = useSchedules((model) => model.more);
  return (
    <section aria-label="All runs" className="flex flex-col gap-2 border-t border-line pt-3">
      <span><Button size="small" tone="ghost" aria-expanded={open} onClick={() => { setOpen(!open); }}>{open ? 'Hide all runs' : 'Show all runs'}</Button></span>
      {open ? <RunList label="All runs" runs={runs} now={now} named onRead={() => { void schedules.seen(); }} /> : null}
      {open && more ? <span><Button size="small" onClick={() => { void schedules.older(); }}>Older runs</Button></span> : null}
    </section>
  );
}

export const SchedulesSection: SettingsSection = { id: 'schedules', title: 'Schedules', Component: Schedules };
