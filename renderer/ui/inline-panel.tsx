import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

type PanelTone = 'info' | 'ok' | 'warn' | 'danger';

const LOOK = {
  info: { icon: Info, box: 'border-line bg-panel', mark: 'text-muted' },
  ok: { icon: CircleCheck, box: 'border-ok/30 bg-ok-soft', mark: 'text-ok' },
  warn: { icon: TriangleAlert, box: 'border-warn-line/50 bg-warn-soft', mark: 'text-warn' },
  danger: { icon: CircleAlert, box: 'border-danger/35 bg-danger-soft', mark: 'text-danger' },
} as const;

/** A message in the flow of the page: what is so, the next step, and buttons for it. */
export function InlinePanel({ tone = 'info', title, children, actions, className, role }: {
  readonly tone?: PanelTone; readonly title: ReactNode; readonly children?: ReactNode; readonly actions?: ReactNode;
  readonly className?: string; readonly role?: 'alert' | 'status';
}) {
  const { icon: Icon, box, mark } = LOOK[tone];
  return (
    <div role={role} className={classNames('flex gap-2 rounded-lg border px-3 py-2', box, className)}>
      <Icon size={16} aria-hidden className={classNames('mt-0.5 shrink-0', mark)} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="font-medium wrap-anywhere">{title}</p>
        {children === undefined || children === null ? null : <div className="text-xs text-muted wrap-anywhere">{children}</div>}
        {actions === undefined || actions === null ? null : <div className="mt-1 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  );
}
