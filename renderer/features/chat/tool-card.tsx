import { ChevronRight, Square } from 'lucide-react';
import { memo, useId, useMemo, useState } from 'react';
import type { ToolCall } from '../../../preload/contract/index.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/badge.tsx';
import { classNames } from '../../ui/class-names.ts';
import { useNow } from '../../ui/clock.ts';
import { formatDuration, formatTicking } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { useChat, useChatFeature } from './context.tsx';
import { useSought } from './find.ts';
import { isLive } from './model.ts';
import { QuestionForm } from './question-form.tsx';
import { useChatSlots } from './slots.tsx';
import { ToolDetails } from './tool-details.tsx';
import { ToolIcon } from '../../ui/tool-icon.tsx';
import { lastLines, refusalWord } from './tool-result.ts';
import { describeCall, stateWord } from './tool-words.ts';

const TONES: Record<ToolCall['state'], Tone> = {
  pending: 'neutral', waiting: 'warn', running: 'accent', done: 'neutral', error: 'danger', blocked: 'danger', cancelled: 'neutral', unknown: 'warn',
};

/** What a shell says of a command that was interrupted. */
const INTERRUPT_EXIT = 130;
/** Lines of a running command that its card shows. */
const TAIL_LINES = 8;

export interface ToolCardProps {
  readonly call: ToolCall;
  /** Failures are open in any case. */
  readonly openAtFirst: boolean;
}

export const ToolCard = memo(function ToolCard({ call, openAtFirst }: ToolCardProps) {
  const { ApprovalCard, CallMedia } = useChatSlots();
  const question = useChat((chat) => chat.questions.find((candidate) => candidate.callId === call.id));
  const output = useChat((chat) => chat.outputs.get(call.id));
  const refusal = useMemo(() => (call.state === 'error' || call.state === 'blocked' ? refusalWord(call.result) : undefined), [call.state, call.result]);
  const state = refusal === undefined ? call.state : 'blocked';
  const [toggled, setToggled] = useState<boolean>();
  const bodyId = useId();
  /** Ended by Ctrl-C or a stop: somebody wanted that, so it is no failure. */
  const stopped = call.exitCode === INTERRUPT_EXIT;
  const failed = state === 'error' || state === 'blocked' || (!stopped && (call.exitCode ?? 0) !== 0);
  const sought = useSought(call.id);
  const open = toggled ?? (failed || sought || (openAtFirst && !isLive(call)));
  const words = describeCall(call);
  const firstLine = words.target.split('\n', 1)[0] ?? '';

  return (
    <section aria-label={`${words.verb} ${firstLine}`} data-call={call.id} data-state={state} data-waiting={call.state === 'waiting' || question !== undefined || undefined} className="overflow-hidden rounded-md border border-line bg-canvas">
      <div className="flex items-center hover:bg-panel">
        <button
          type="button" aria-expanded={open} aria-controls={bodyId} onClick={() => { setToggled(!open); }}
          className="focus-inset flex min-h-8 min-w-0 flex-1 items-center gap-2 px-2 py-1 text-left"
        >
          <ChevronRight size={14} aria-hidden className={classNames('shrink-0 text-faint transition-transform duration-100', open && 'rotate-90')} />
          <ToolIcon name={call.name} emoji={call.emoji} />
          <span className="shrink-0 font-medium">{words.verb}</span>
          <span className={classNames('min-w-0 flex-1 truncate text-muted', words.code && 'font-mono text-xs')}><VisibleText text={firstLine} /></span>
          {call.repairs.length === 0 ? null : <Badge>repaired</Badge>}
          {stopped ? <Badge>stopped</Badge> : call.exitCode === null || call.exitCode === 0 ? null : <Badge tone="danger">exit {call.exitCode}</Badge>}
          {state === 'done' ? <span className="sr-only">done</span> : (
            <Badge tone={TONES[state]} {...(state === 'running' ? { icon: <span aria-hidden className="size-1.5 animate-working rounded-full bg-current" /> } : {})}>
              {refusal ?? stateWord(state)}
            </Badge>
          )}
          <CallDuration call={call} />
        </button>
        {call.state === 'running' ? <StopCall call={call} name={`${words.verb} ${firstLine}`} /> : null}
      </div>
      {call.state === 'waiting' && call.approvalId !== null ? <div className="border-t border-line p-2"><ApprovalCard requestId={call.approvalId} /></div> : null}
      {question === undefined ? null : <div className="border-t border-line p-3"><QuestionForm question={question} /></div>}
      {call.state === 'running' && output !== undefined && output !== '' ? (
        <pre aria-label="Latest output" className="border-t border-line bg-sunken px-3 py-2 font-mono text-2xs wrap-anywhere whitespace-pre-wrap text-muted">
          <VisibleText text={lastLines(output, TAIL_LINES)} />
        </pre>
      ) : null}
      <CallMedia call={call} />
      <div id={bodyId} hidden={!open}>{open ? <ToolDetails call={call} /> : null}</div>
    </section>
  );
});

function StopCall({ call, name }: { readonly call: ToolCall; readonly name: string }) {
  const feature = useChatFeature();
  const [asked, setAsked] = useState(false);
  const stop = (): void => {
    setAsked(true);
    feature.stopCall(call.id).catch((error: unknown) => {
      setAsked(false);
      showFailure(error);
    });
  };
  return <IconButton size="small" icon={Square} label={`Stop: ${name.slice(0, 80)}`} disabled={asked} onClick={stop} className="mr-1 shrink-0 [&>svg]:size-2.5 [&>svg]:fill-current" />;
}

function CallDuration({ call }: { readonly call: ToolCall }) {
  const counting = call.state === 'running' && call.startedAt !== null;
  const now = useNow(counting);
  if (call.startedAt === null) return null;
  const text = counting ? formatTicking(now - call.startedAt) : call.endedAt === null ? '' : formatDuration(call.endedAt - call.startedAt);
  return <span className="shrink-0 text-2xs text-faint tabular-nums">{text}</span>;
}
