import { DropdownMenu as Radix } from 'radix-ui';
import type { LucideIcon } from 'lucide-react';
import type { ReactElement } from 'react';
import { classNames } from './class-names.ts';
import { Kbd } from './kbd.tsx';

export interface MenuItem {
  readonly label: string;
  /** A quieter second line. */
  readonly hint?: string;
  readonly icon?: LucideIcon;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

export interface MenuProps {
  /** The button that opens it. */
  readonly children: ReactElement;
  /** `separator` draws a line between groups. */
  readonly items: readonly (MenuItem | 'separator')[];
  readonly align?: 'start' | 'end';
  readonly onOpenChange?: (open: boolean) => void;
}

export function Menu({ children, items, align = 'end', onOpenChange }: MenuProps) {
  return (
    <Radix.Root modal={false} {...(onOpenChange === undefined ? {} : { onOpenChange })}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align={align} sideOffset={4} collisionPadding={8} className="z-50 min-w-44 rounded-lg border border-line bg-raised p-1 text-sm shadow-raised">
          {items.map((item, index) => item === 'separator'
            ? <Radix.Separator key={`separator-${index}`} className="my-1 h-px bg-line" />
            : (
              <Radix.Item
                key={item.label} disabled={item.disabled ?? false} onSelect={item.run}
                className={classNames('flex min-h-7 items-center gap-2 rounded-md px-2 outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover', item.danger === true ? 'text-danger' : 'text-ink')}
              >
                {item.icon === undefined ? null : <item.icon size={14} aria-hidden className="shrink-0" />}
                <span className="flex-1">{item.label}{item.hint === undefined ? null : <span className="block max-w-64 pb-1 text-2xs text-muted">{item.hint}</span>}</span>
                {item.keys === undefined ? null : <Kbd keys={item.keys} />}
              </Radix.Item>
            ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
