import { Ban, Check, Clock, Undo2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { classNames } from '../../ui/class-names.ts';
import { formatClock } from '../../ui/format.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { settledWords } from './model.ts';

function lookOf(request: ApprovalRequest) {
  switch (request.state) {
    case 'approved': return { icon: Check, text: 'text-ok' };
    case 'denied': return { icon: Ban, text: 'text-danger' };
    case 'expired': return { icon: Clock, text: 'text-warn' };
    default: return { icon: Undo2, text: 'text-muted' };
  }
}

/** What became of a question, in one line. Takes the focus when the answer was given on this card. */
export function VerdictLine({ request, note, takesFocus }: { readonly request: ApprovalRequest; readonly note: string | undefined; readonly takesFocus: boolean }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    /** Only what fell to the page when the card left is picked up: somebody who types elsewhere by now goes on. */
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (takesFocus && lost) line.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const look = lookOf(request);
  const ran = request.editedCommand ?? request.command;
  return (
    <div ref={line} tabIndex={-1} data-approval={request.id} className="flex flex-col gap-0.5 rounded-lg border border-line bg-panel px-3 py-1.5 text-xs">
      <div className="flex min-w-0 items-center gap-1.5">
        <look.icon size={13} aria-hidden className={classNames('shrink-0', look.text)} />
        <span className={classNames('min-w-0 wrap-anywhere', look.text)}>{settledWords(request)}</span>
        <code className="min-w-0 flex-1 truncate text-muted"><VisibleText text={ran.slice(0, 300)} /></code>
        {request.exitCode === undefined || request.exitCode === null ? null : <span className="shrink-0 text-muted">exit {request.exitCode}</span>}
        {request.decidedAt === undefined ? null : <time dateTime={new Date(request.decidedAt).toISOString()} className="shrink-0 text-muted tabular-nums">{formatClock(request.decidedAt)}</time>}
      </div>
      {note === undefined ? null : <p role="status" className="text-warn wrap-anywhere">{note}</p>}
    </div>
  );
}
