import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'danger';

const TONES: Record<Tone, string> = {
  neutral: 'bg-hover text-muted',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
};

/** A word or a number in a tinted pill. The word carries the meaning; the colour only repeats it. */
export function Badge({ tone = 'neutral', icon, className, children }: {
  readonly tone?: Tone; readonly icon?: ReactNode; readonly className?: string; readonly children: ReactNode;
}) {
  return (
    <span className={classNames('inline-flex h-[18px] min-w-[18px] shrink-0 items-center justify-center gap-1 rounded-full px-1.5 text-2xs font-medium whitespace-nowrap tabular-nums', TONES[tone], className)}>
      {icon}
      {children}
    </span>
  );
}
