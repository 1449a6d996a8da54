import { History, Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import type { ScheduleJob, ScheduleRun } from '../../../preload/contract/schedules.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { JobForm } from './job-form.tsx';
import { schedules } from './live.ts';
import { nextWords, RUN_STATES, runWords } from './model.ts';
import { RunList } from './run-list.tsx';

/** One job: when it runs, what became of it last, and what can be done with it. */
export function JobCard({ job, last, runs, now }: { readonly job: ScheduleJob; readonly last: ScheduleRun | undefined; readonly runs: readonly ScheduleRun[]; readonly now: number }) {
  const [open, setOpen] = useState<'form' | 'history'>();
  const titleId = useId();
  const own = runs.filter(({ jobId }) => jobId === job.id);
  const unread = own.filter((run) => !run.seen && run.state !== 'running').length;
  const toggle = (which: 'form' | 'history'): void => { setOpen(open === which ? undefined : which); };
  return (
    <li aria-labelledby={titleId} data-job={job.name} data-state={job.state} className="flex flex-col gap-1.5 rounded-lg border border-line px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 id={titleId} className="min-w-0 truncate font-medium">{job.name}</h3>
        <span className="text-xs text-muted">{job.words}</span>
        {unread === 0 ? null : <Badge tone="accent">{unread} new</Badge>}
      </div>
      {job.prompt === '' ? null : <p className="line-clamp-2 text-xs text-muted wrap-anywhere"><VisibleText text={job.prompt} /></p>}
      <p className="text-xs">{nextWords(job, now)}{job.repeat === null ? '' : ` · ${plural(job.runs, 'run')} of ${job.repeat}`}{job.deliver === 'local' ? '' : ` · results go to ${job.deliver === 'origin' ? 'its chat' : job.deliver}`}</p>
      {last === undefined ? null : (
        <p className="flex min-w-0 items-center gap-1.5 text-xs text-muted">
          <span className="shrink-0">Last:</span><Badge tone={RUN_STATES[last.state].tone}>{RUN_STATES[last.state].words}</Badge>
          <span className="shrink-0">{runWords(last, now)}</span>
          <span className="min-w-0 truncate"><VisibleText text={(last.error ?? last.output).trim().split('\n')[0] ?? ''} /></span>
        </p>
      )}
      <div className="flex flex-wrap gap-1">
        <Button size="small" icon={<Play size={12} aria-hidden />} disabled={last?.state === 'running'} onClick={() => { void schedules.run(job.id); }}>Run now</Button>
        {job.state === 'active' ? <Button size="small" tone="ghost" icon={<Pause size={12} aria-hidden />} onClick={() => { void schedules.pause(job.id); }}>Pause</Button> : null}
        {job.state === 'paused' ? <Button size="small" tone="ghost" icon={<RotateCw size={12} aria-hidden />} onClick={() => { void schedules.resume(job.id); }}>Resume</Button> : null}
        <Button size="small" tone="ghost" aria-expanded={open === 'form'} icon={<Pencil size={12} aria-hidden />} onClick={() => { toggle('form'); }}>Edit</Button>
        <Button size="small" tone="ghost" aria-expanded={open === 'history'} icon={<History size={12} aria-hidden />} onClick={() => { toggle('history'); }}>History</Button>
        <Button size="small" tone="ghost" icon={<Trash2 size={12} aria-hidden />} onClick={() => { void schedules.remove(job); }}>Remove</Button>
      </div>
      {open === 'form' ? <JobForm job={job} onClose={() => { setOpen(undefined); }} /> : null}
      {open === 'history' ? <RunList label={`Runs of ${job.name}`} runs={own} now={now} onRead={() => { void schedules.seen(job.id); }} /> : null}
    </li>
  );
}
