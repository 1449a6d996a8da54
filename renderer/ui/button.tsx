import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Spinner } from './spinner.tsx';

export type ButtonTone = 'primary' | 'secondary' | 'ghost' | 'danger';
export type ButtonSize = 'small' | 'medium';

const TONES: Record<ButtonTone, string> = {
  primary: 'bg-accent text-on-accent enabled:hover:bg-accent-hover',
  secondary: 'border border-line-strong/50 bg-raised text-ink enabled:hover:bg-hover',
  ghost: 'text-muted enabled:hover:bg-hover enabled:hover:text-ink',
  danger: 'bg-danger text-on-danger enabled:hover:bg-danger-hover',
};
const SIZES: Record<ButtonSize, string> = {
  small: 'h-6 gap-1 px-2 text-xs',
  medium: 'h-7 gap-1.5 px-3 text-sm',
};

export interface ButtonProps extends ComponentProps<'button'> {
  readonly tone?: ButtonTone;
  readonly size?: ButtonSize;
  readonly icon?: ReactNode;
  /** True while what the button started has not answered yet: it cannot be pressed twice. */
  readonly busy?: boolean;
}

export function Button({ tone = 'secondary', size = 'medium', icon, busy = false, disabled, className, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap select-none disabled:opacity-55',
        TONES[tone], SIZES[size], className,
      )}
      {...rest}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}
