import { ShieldAlert } from 'lucide-react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { Badge } from '../../ui/badge.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';

/** Backend, host, directory and user in one line that is always in sight. */
export function CardWhere({ request }: { readonly request: Pick<ApprovalRequest, 'backend' | 'host' | 'cwd' | 'user' | 'sandbox'> }) {
  const root = request.user === 'root';
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-0.5" aria-label={`Runs on ${request.backend}, ${request.host}, in ${request.cwd}, as ${request.user}${request.sandbox === undefined ? '' : `, ${request.sandbox}`}`}>
      <Badge tone="accent">{request.backend}</Badge>
      {request.sandbox === undefined ? null : <Badge tone="ok">{request.sandbox}</Badge>}
      <span className="wrap-anywhere"><VisibleText text={request.host} /></span>
      <Dot />
      <code className="text-xs wrap-anywhere"><VisibleText text={request.cwd} /></code>
      <Dot />
      {root ? <span className="inline-flex items-center gap-1 font-medium text-danger"><ShieldAlert size={13} aria-hidden />root</span> : <span>{request.user}</span>}
    </p>
  );
}

function Dot() {
  return <span aria-hidden className="text-faint">·</span>;
}
