import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

const CONTROL = 'rounded-md border border-line-strong/60 bg-canvas text-sm text-ink focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-danger disabled:opacity-55';

export function Input({ className, type = 'text', ...rest }: ComponentProps<'input'>) {
  return <input type={type} spellCheck={false} autoComplete="off" className={classNames(CONTROL, 'h-7 min-w-0 px-2', className)} {...rest} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={classNames(CONTROL, 'min-w-0 resize-none px-2 py-1', className)} {...rest} />;
}

/** The platform's own list: works with keys, type-ahead and screen readers everywhere. */
export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select className={classNames(CONTROL, 'h-7 min-w-0 px-1.5', className)} {...rest} />;
}
