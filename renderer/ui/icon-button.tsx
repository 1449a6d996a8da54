import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'children'> {
  readonly icon: LucideIcon;
  /** What it does, as a verb: read aloud and shown as a tooltip. */
  readonly label: string;
  readonly keys?: string;
  readonly size?: 'small' | 'medium';
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
}

export function IconButton({ icon: Icon, label, keys, size = 'medium', side, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} keys={keys} side={side} isName>
      <button
        type={type}
        aria-label={label}
        className={classNames(
          'inline-flex shrink-0 items-center justify-center rounded-md text-muted enabled:hover:bg-hover enabled:hover:text-ink disabled:opacity-55',
          'aria-pressed:bg-selected aria-pressed:text-ink',
          size === 'small' ? 'size-6' : 'size-7', className,
        )}
        {...rest}
      >
        <Icon size={size === 'small' ? 14 : 16} aria-hidden />
      </button>
    </Tooltip>
  );
}
