import { ChevronRight, Download, History as HistoryIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { useNow } from '../../ui/clock.ts';
import { CommandText, PartList } from '../../ui/command-text.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { failureWords } from '../../ui/failure.ts';
import { formatFull, formatWhen, plural } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Input } from '../../ui/input.tsx';
import { Menu } from '../../ui/menu.tsx';
import { saveText } from '../../ui/save-text.ts';
import { toasts } from '../../ui/toasts.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { CardWhere } from './card-where.tsx';
import { ExamplePanel } from './example-panel.tsx';
import { approvals, useApprovals } from './live.ts';
import { settledWords } from './model.ts';
import { requestClasses } from './words.ts';

const SHOWN = 200;
const SEARCH_AFTER_MS = 150;

/** What was asked and what was answered: when, who, which rule, how it ended. */
export function History() {
  const [query, setQuery] = useState('');
  const { rows, failure } = useHistory(query);
  const now = useNow(false);
  /** All that has these words, not only the rows that are shown: the host writes it. */
  const save = (format: 'json' | 'csv'): void => {
    approvals.exportHistory(query.trim(), format).then(
      ({ text, count }) => {
        saveText(`approvals.${format}`, text, format === 'json' ? 'application/json' : 'text/csv');
        toasts.getState().show({ text: `Saved ${plural(count, 'decision')}` });
      },
      (error: unknown) => { toasts.getState().show({ text: `Not saved: ${failureWords(error)}`, tone: 'danger' }); },
    );
  };
  const empty = rows === undefined || rows.length === 0;
  return (
    <div className="flex flex-col gap-2 p-2.5">
      <div className="flex items-center gap-1.5">
        <Input type="search" value={query} aria-label="Search the history" placeholder="Search commands, chats, rules, verdicts, who" className="flex-1" onChange={(event) => { setQuery(event.target.value); }} />
        <Menu items={[{ label: 'As JSON', run: () => { save('json'); } }, { label: 'As a table (CSV)', run: () => { save('csv'); } }]}>
          <Button icon={<Download size={14} aria-hidden />} disabled={empty}>Export</Button>
        </Menu>
      </div>
      {failure === undefined ? null : <InlinePanel tone="danger" role="alert" title="The history could not be read">{failure}</InlinePanel>}
      {rows !== undefined && rows.length === 0 ? (
        <EmptyState icon={HistoryIcon} title={query === '' ? 'No answers yet' : 'Nothing found'}>
          {query === '' ? 'What was answered, ran out of time or was decided by a rule is kept here.' : 'Nothing has these words in its command, chat, reason, rule or verdict.'}
        </EmptyState>
      ) : null}
      <ul aria-label="Answered requests" className="flex flex-col">
        {rows?.map((request) => <HistoryRow key={request.id} request={request} now={now} />)}
      </ul>
      {rows !== undefined && rows.length === SHOWN ? <p className="text-center text-xs text-muted">The last {SHOWN} are shown. Search to find older ones.</p> : null}
    </div>
  );
}

function useHistory(query: string): { readonly rows: readonly ApprovalRequest[] | undefined; readonly failure: string | undefined } {
  const [rows, setRows] = useState<readonly ApprovalRequest[]>();
  const [failure, setFailure] = useState<string>();
  /** Read again when one more is settled here. */
  const settled = useApprovals((model) => [...model.byId.values()].filter((request) => request.decidedAt !== undefined).length);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      approvals.history(query.trim(), SHOWN).then(
        (found) => { if (current) { setRows(found); setFailure(undefined); } },
        (error: unknown) => { if (current) setFailure(failureWords(error)); },
      );
    }, query === '' ? 0 : SEARCH_AFTER_MS);
    return () => { current = false; clearTimeout(timer); };
  }, [query, settled]);
  return { rows, failure };
}

const TONES: ReadonlyMap<ApprovalRequest['state'], string> = new Map([['approved', 'text-ok'], ['denied', 'text-danger'], ['expired', 'text-warn']]);

function HistoryRow({ request, now }: { readonly request: ApprovalRequest; readonly now: number }) {
  const [open, setOpen] = useState(false);
  const tone = TONES.get(request.state) ?? 'text-muted';
  const at = request.decidedAt ?? request.createdAt;
  const ran = request.editedCommand ?? request.command;
  return (
    <li className="border-b border-line last:border-0">
      <button type="button" aria-expanded={open} onClick={() => { setOpen(!open); }} className="focus-inset flex w-full min-w-0 items-start gap-1.5 rounded-sm px-1 py-1.5 text-left hover:bg-hover">
        <ChevronRight size={14} aria-hidden className={classNames('mt-0.5 shrink-0 text-faint transition-transform', open && 'rotate-90')} />
        <span className="flex min-w-0 flex-1 flex-col">
          <code className="truncate text-xs leading-[18px]"><VisibleText text={ran.slice(0, 400)} /></code>
          <span className="flex min-w-0 gap-1.5 text-xs text-muted">
            <span className={classNames('shrink-0', tone)}>{settledWords(request)}</span>
            <span className="truncate">{request.sessionTitle}</span>
          </span>
        </span>
        <time dateTime={new Date(at).toISOString()} title={formatFull(at)} className="shrink-0 text-xs text-muted tabular-nums">{formatWhen(at, now)}</time>
      </button>
      {open ? <Details request={request} /> : null}
    </li>
  );
}

function Details({ request }: { readonly request: ApprovalRequest }) {
  const edited = request.editedCommand;
  return (
    <div className="flex flex-col gap-2 pb-2.5 pl-6 text-xs">
      <pre className="max-h-48 overflow-auto rounded-md border border-line bg-sunken px-2.5 py-1.5 leading-[18px] wrap-anywhere whitespace-pre-wrap"><code><CommandText command={request.command} review={request.review} /></code></pre>
      {edited === undefined ? null : (
        <div className="flex flex-col gap-1">
          <span className="text-muted">Ran instead, modified by you:</span>
          <pre className="max-h-48 overflow-auto rounded-md border border-line bg-sunken px-2.5 py-1.5 leading-[18px] wrap-anywhere whitespace-pre-wrap"><code><VisibleText text={edited} /></code></pre>
        </div>
      )}
      {request.review.parts.length > 1 ? <PartList review={request.review} /> : null}
      <CardWhere request={request} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
        <dt className="text-muted">{request.automatic === true ? 'Found in it' : 'Stopped because'}</dt><dd className="wrap-anywhere"><VisibleText text={request.reason} /></dd>
        {requestClasses(request).length === 0 ? null : <><dt className="text-muted">Kind</dt><dd>{requestClasses(request).join(', ')}</dd></>}
        {request.review.rule === undefined ? null : <><dt className="text-muted">Rule</dt><dd className="wrap-anywhere">{request.review.rule}</dd></>}
        {request.savedRules === undefined || request.savedRules.length === 0 ? null : <><dt className="text-muted">Saved</dt><dd className="wrap-anywhere"><VisibleText text={request.savedRules.join('; ')} /></dd></>}
        {request.decidedBy === undefined ? null : <><dt className="text-muted">{request.automatic === true ? 'Decided by' : 'Answered from'}</dt><dd>{request.decidedBy}</dd></>}
        {request.denyReason === undefined || request.denyReason === '' ? null : <><dt className="text-muted">Said</dt><dd className="wrap-anywhere">{request.denyReason}</dd></>}
        {request.exitCode === undefined || request.exitCode === null ? null : <><dt className="text-muted">Exit code</dt><dd>{request.exitCode}</dd></>}
        <dt className="text-muted">{request.automatic === true ? 'When' : 'Asked'}</dt><dd>{formatFull(request.createdAt)}</dd>
      </dl>
      {request.tool === 'terminal' ? <ExamplePanel request={request} /> : null}
    </div>
  );
}
