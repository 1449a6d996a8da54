import { useEffect, useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { ContextUse, Session, SessionId } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { classNames } from '../../ui/class-names.ts';
import { formatNumber } from '../../ui/format.ts';
import { Tooltip } from '../../ui/tooltip.tsx';

/** Opening a chat draws it first; a turn that calls tools quickly asks once in this time. */
const SETTLE_MS = 400;
/** From here on the trimmer leaves old tool output out. */
const FULL_PERCENT = 85;

const KINDS = [
  { key: 'system', name: 'System prompt', colour: 'bg-accent' }, { key: 'tools', name: 'Tools', colour: 'bg-ok' },
  { key: 'messages', name: 'Messages', colour: 'bg-warn-line' }, { key: 'results', name: 'Tool results', colour: 'bg-line-strong' },
] as const;

/** What the next request of the chat would send; undefined until it is known, and where no model is connected. */
function useContextUse(session: Session | undefined): ContextUse | undefined {
  const [known, setKnown] = useState<{ readonly of: SessionId; readonly use: ContextUse | undefined }>();
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const again = (): void => { setChanges((count) => count + 1); };
    const offs = [bridge.subscribe('models', again), bridge.subscribe('toolsets', again)];
    return () => { for (const off of offs) off(); };
  }, []);
  const isIdle = session?.status === 'idle';
  const { id, model, usage } = session ?? {};
  const requests = usage?.requests;
  useEffect(() => {
    if (id === undefined) return;
    let current = true;
    const timer = setTimeout(() => {
      bridge.request('composer.context', { sessionId: id }).then(
        (answer) => { if (current) setKnown({ of: id, use: answer ?? undefined }); },
        () => { if (current) setKnown(undefined); }, // a meter that cannot be read is not shown; what failed is told where it matters
      );
    }, SETTLE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id, model, requests, isIdle, changes]);
  return known?.of === id ? known?.use : undefined;
}

const sumOf = (use: ContextUse): number => use.system + use.tools + use.messages + use.results;
const percentOf = (tokens: number, use: ContextUse): number => (tokens === 0 ? 0 : Math.max(1, Math.round((tokens / use.contextTokens) * 100)));

export interface ContextMeter {
  /** For the chat's title row. */
  readonly button: ReactNode;
  /** Below the title row, while it is open. */
  readonly panel: ReactNode;
}

export function useContextMeter(session: Session | undefined): ContextMeter {
  const use = useContextUse(session);
  const [open, setOpen] = useState(false);
  const id = useId();
  if (session === undefined || use === undefined) return { button: null, panel: null };
  const percent = percentOf(sumOf(use), use);
  const isFull = percent >= FULL_PERCENT;
  return {
    button: (
      <Tooltip text={`The next request takes about ${formatNumber(sumOf(use))} of the ${formatNumber(use.contextTokens)} tokens that ${use.model} reads`}>
        <button
          type="button" aria-expanded={open} aria-controls={open ? id : undefined} aria-label={`${percent} % of window used. ${open ? 'Hide' : 'Show'} by what`}
          onClick={() => { setOpen(!open); }}
          onKeyDown={(event) => { if (event.key === 'Escape' && open) { event.preventDefault(); event.stopPropagation(); setOpen(false); } }}
          className={classNames('flex h-6 shrink-0 items-center gap-1.5 rounded-md px-1.5 text-2xs whitespace-nowrap tabular-nums hover:bg-hover hover:text-ink aria-expanded:bg-hover', isFull ? 'text-warn' : 'text-faint')}
        >
          <span>{percent} %<span className="hidden lg:inline"> of window</span></span>
        </button>
      </Tooltip>
    ),
    panel: open ? <Panel id={id} use={use} session={session} onClose={() => { setOpen(false); }} /> : null,
  };
}

function Panel({ id, use, session, onClose }: { readonly id: string; readonly use: ContextUse; readonly session: Session; readonly onClose: () => void }) {
  const free = Math.max(0, use.contextTokens - sumOf(use));
  const { promptTokens, completionTokens, requests } = session.usage;
  return (
    <section
      id={id} aria-label="What fills the window" tabIndex={-1}
      onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); onClose(); } }}
      className="border-t border-line bg-panel px-4 py-2.5 text-xs"
    >
      <div aria-hidden className="flex h-1.5 gap-px overflow-hidden rounded-sm bg-selected">
        {KINDS.map(({ key, colour }) => <span key={key} style={{ width: `${(use[key] / Math.max(use.contextTokens, sumOf(use))) * 100}%` }} className={colour} />)}
      </div>
      <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-1">
        {[...KINDS.map(({ key, name, colour }) => ({ name, colour, tokens: use[key] })), { name: 'Free', colour: 'bg-selected', tokens: free }].map(({ name, colour, tokens }) => (
          <div key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={classNames('size-2 rounded-full', colour)} />
            <dt className="text-muted">{name}</dt>
            <dd className="tabular-nums">{formatNumber(tokens)} <span className="text-faint">({tokens > 0 && tokens < use.contextTokens / 100 ? 'under 1' : percentOf(tokens, use)} %)</span></dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-faint">
        {use.corrected ? 'Estimated, and corrected by what the endpoint counted last.' : 'Estimated: the endpoint has not counted a request of this chat yet.'}
        {' '}From {FULL_PERCENT} % on, old tool output is left out of requests first.
        {requests === 0 ? null : ` So far ${formatNumber(promptTokens)} tokens were read and ${formatNumber(completionTokens)} written in ${formatNumber(requests)} ${requests === 1 ? 'request' : 'requests'}.`}
      </p>
      {use.cost === null ? null : (
        <p className="text-muted">
          {formatDollars(use.cost.usd)} so far, by the prices in config.yaml.
          {use.cost.uncountedTokens === 0 ? null : ` ${formatNumber(use.cost.uncountedTokens)} tokens of other models are not in it.`}
        </p>
      )}
    </section>
  );
}

/** Small sums keep their digits: `$0.0042`, `$1.20`. */
function formatDollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}
