import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { Kbd } from './kbd.tsx';

/** Milliseconds of rest before a tooltip opens; moving on to a neighbour opens it at once. */
const OPEN_AFTER_MS = 450;

export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return <Radix.Provider delayDuration={OPEN_AFTER_MS}>{children}</Radix.Provider>;
}

export interface TooltipProps {
  readonly text: ReactNode;
  /** Keys as for `Kbd`, for example `Mod+K`. */
  readonly keys?: string | undefined;
  readonly side?: 'top' | 'right' | 'bottom' | 'left' | undefined;
  /** One element that takes a ref and can be focused. */
  readonly children: ReactElement;
}

export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side} sideOffset={5} collisionPadding={8}
          className="z-50 flex max-w-80 items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-ink shadow-raised"
        >
          {text}
          {keys === undefined ? null : <Kbd keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
