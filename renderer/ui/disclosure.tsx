import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

/** A line that opens what stands below it. The mark in front says that it does. */
export function Disclosure({ title, label, open, className, children }: {
  readonly title: ReactNode;
  /** For a screen reader, where `title` alone does not say whose it is. */
  readonly label?: string;
  /** True opens it by force; undefined leaves it to the person. */
  readonly open?: true | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <details open={open} className={classNames('group/disclosure text-xs', className)}>
      <summary aria-label={label} className="-ml-1 flex min-h-6 w-fit items-center gap-1 rounded-md pr-1.5 pl-0.5 text-muted hover:bg-hover hover:text-ink">
        <ChevronRight size={13} aria-hidden className="shrink-0 transition-transform duration-100 group-open/disclosure:rotate-90" />{title}
      </summary>
      {children}
    </details>
  );
}
