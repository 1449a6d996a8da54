import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** What a list says while it is empty: what will stand here, and how to make the first one. */
export function EmptyState({ icon: Icon, title, children, action }: {
  readonly icon: LucideIcon; readonly title: string; readonly children?: ReactNode; readonly action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <Icon size={20} aria-hidden className="text-faint" />
      <p className="font-medium">{title}</p>
      {children === undefined ? null : <div className="max-w-72 text-xs text-muted">{children}</div>}
      {action === undefined ? null : <div className="mt-1 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
