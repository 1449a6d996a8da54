import { ChevronRight, Pause, Play } from 'lucide-react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { useNow } from '../../ui/clock.ts';
import type { TONE_LOOKS } from '../../ui/command-text.tsx';
import { useFrame } from '../../ui/frame.tsx';
import { formatFull } from '../../ui/format.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { approvals, update, useApprovals } from './live.ts';
import { togglePicked } from './model.ts';
import { countdown, requestClasses } from './words.ts';

/** Below this the clock is drawn as a warning. */
const SOON_MS = 60_000;

/** Verdict word, class, clock; below them where the question comes from. */
export function CardHead({ request, look, pickable }: {
  readonly request: ApprovalRequest; readonly look: (typeof TONE_LOOKS)['danger']; readonly pickable: boolean;
}) {
  const picked = useApprovals((model) => model.picked.has(request.id));
  const classes = requestClasses(request).join(', ').toLowerCase();
  return (
    <header className="flex flex-col gap-1 px-3 pt-2 pb-2">
      <div className="flex min-h-6 items-start gap-1.5">
        {pickable ? (
          <input
            type="checkbox" checked={picked} aria-label={`Pick this request: ${request.reason}`} className="mt-[5px] mr-0.5 size-3.5 shrink-0 accent-accent"
            onChange={() => { update((model) => togglePicked(model, request.id)); }}
          />
        ) : null}
        <p className="min-w-0 flex-1 py-0.5">
          <look.icon size={14} aria-hidden className={classNames('mr-1 inline align-[-2px]', look.text)} />
          <span className={classNames('font-medium', look.text)}>{look.word}</span>
          {classes === '' ? null : <span className="text-muted">: {classes}</span>}
        </p>
        <Deadline request={request} />
      </div>
      <Origin request={request} />
    </header>
  );
}

function Origin({ request }: { readonly request: ApprovalRequest }) {
  const frame = useFrame();
  const { callId } = request;
  const steps = [request.sessionTitle, ...(request.agent === undefined ? [] : [request.agent]), `${request.tool} call`];
  return (
    <Tooltip text="Show it in the chat">
      <button
        type="button" onClick={() => { frame.openSession(request.sessionId, callId === undefined ? {} : { callId }); }}
        className="flex max-w-full min-w-0 items-center gap-0.5 self-start rounded-sm text-xs text-muted hover:text-ink hover:underline"
      >
        {steps.map((step, index) => (
          <span key={index} className="flex min-w-0 items-center gap-0.5">
            {index === 0 ? null : <ChevronRight size={12} aria-label="then" className="shrink-0 text-faint" />}
            <span className="truncate"><VisibleText text={step} /></span>
          </span>
        ))}
      </button>
    </Tooltip>
  );
}

function Deadline({ request }: { readonly request: ApprovalRequest }) {
  const held = request.state === 'held' || request.expiresAt === null;
  const now = useNow(!held);
  const left = request.expiresAt === null ? undefined : request.expiresAt - now;
  const words = left === undefined ? 'On hold' : countdown(left);
  return (
    <span className="flex shrink-0 items-center gap-1">
      <span
        role="timer" aria-label={left === undefined ? 'On hold, the clock is stopped' : `Denied by itself in ${words}`}
        title={left === undefined ? 'The clock is stopped; the agent waits' : `No answer by ${formatFull(request.expiresAt ?? now)} counts as no`}
        className={classNames('text-xs tabular-nums', left !== undefined && left < SOON_MS ? 'font-medium text-danger' : 'text-muted')}
      >
        {words}
      </span>
      <Button
        size="small" tone="ghost" icon={held ? <Play size={12} aria-hidden /> : <Pause size={12} aria-hidden />}
        onClick={() => { void approvals.hold(request.id, !held); }}
      >
        {held ? 'Resume' : 'Hold'}
      </Button>
    </span>
  );
}
