import type { ReactNode } from 'react';

/** Name and explanation on the left, control on the right; one below the other where it is narrow. */
export function Row({ label, hint, htmlFor, children }: { readonly label: string; readonly hint?: ReactNode; readonly htmlFor?: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1.5 border-b border-line py-2.5 last:border-0">
      <div className="max-w-110 min-w-56 flex-1">
        {htmlFor === undefined ? <p className="font-medium">{label}</p> : <label htmlFor={htmlFor} className="font-medium">{label}</label>}
        {hint === undefined ? null : <div className="text-xs text-muted">{hint}</div>}
      </div>
      <div className="min-w-0 shrink-0">{children}</div>
    </div>
  );
}
