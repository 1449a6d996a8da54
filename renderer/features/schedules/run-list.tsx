import { MessageSquare, Square } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import type { ScheduleRun } from '../../../preload/contract/schedules.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { formatFull } from '../../ui/format.ts';
import { useFrame } from '../../ui/frame.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { schedules } from './live.ts';
import { RUN_STATES, runWords } from './model.ts';

/** Longer results are folded; the whole conversation is in the run's chat. */
const SHOWN_CHARS = 400;

export interface RunListProps {
  readonly label: string;
  readonly runs: readonly ScheduleRun[];
  readonly now: number;
  /** Each row says whose run it is. */
  readonly named?: boolean;
  /** Called when results are on the screen that nobody had read. */
  readonly onRead: () => void;
}

/** Runs, newest first. What was unread when it came into view keeps its mark until the list is closed. */
export function RunList({ label, runs, now, named = false, onRead }: RunListProps) {
  const unread = runs.filter((run) => !run.seen && run.state !== 'running').map(({ id }) => id);
  const [fresh, setFresh] = useState<ReadonlySet<number>>(new Set(unread));
  if (unread.some((id) => !fresh.has(id))) setFresh(new Set([...fresh, ...unread]));
  const read = useEffectEvent(onRead);
  const unreadKey = unread.join();
  useEffect(() => { if (unreadKey !== '') read(); }, [unreadKey]);
  return (
    <ul aria-label={label} className="flex flex-col divide-y divide-line rounded-md border border-line">
      {runs.length === 0 ? <li className="px-2.5 py-2 text-xs text-muted">It has not run yet.</li> : null}
      {runs.map((run) => <Run key={run.id} run={run} now={now} named={named} fresh={fresh.has(run.id)} />)}
    </ul>
  );
}

function Run({ run, now, named, fresh }: { readonly run: ScheduleRun; readonly now: number; readonly named: boolean; readonly fresh: boolean }) {
  const frame = useFrame();
  const [whole, setWhole] = useState(false);
  const { words, tone } = RUN_STATES[run.state];
  const text = run.output.trim();
  const { sessionId } = run;
  return (
    <li data-run={run.id} className="flex flex-col gap-1 px-2.5 py-2 text-xs">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={tone}>{words}</Badge>
        {fresh ? <Badge tone="accent">new</Badge> : null}
        {named ? <span className="min-w-0 truncate font-medium">{run.jobName}</span> : null}
        <span className="text-muted" title={formatFull(run.startedAt)}>{runWords(run, now)}</span>
        <span className="flex-1" />
        {run.state === 'running' ? <Button size="small" tone="ghost" icon={<Square size={11} aria-hidden />} onClick={() => { void schedules.stop(run.id); }}>Stop</Button> : null}
        {sessionId === null ? null : <Button size="small" tone="ghost" icon={<MessageSquare size={12} aria-hidden />} onClick={() => { frame.openSession(sessionId); }}>Open its chat</Button>}
      </div>
      {run.error === null ? null : <p className="wrap-anywhere text-danger"><VisibleText text={run.error} /></p>}
      {text === '' ? null : <p className="whitespace-pre-wrap wrap-anywhere"><VisibleText text={whole || text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`} /></p>}
      {text.length > SHOWN_CHARS ? <span><Button size="small" tone="ghost" aria-expanded={whole} onClick={() => { setWhole(!whole); }}>{whole ? 'Show less' : 'Show all'}</Button></span> : null}
      {run.deliveryError === null ? null : <p className="wrap-anywhere text-warn">It was not delivered: <VisibleText text={run.deliveryError} /></p>}
    </li>
  );
}
