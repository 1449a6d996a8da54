import { Dialog } from 'radix-ui';
import { X } from 'lucide-react';
import { TERMINAL_KEYS } from '../features/terminals/index.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { ELSEWHERE } from './shortcuts.ts';
import type { Shortcut } from './shortcuts.ts';

export function ShortcutTable({ title, shortcuts }: { readonly title: string; readonly shortcuts: readonly Omit<Shortcut, 'run'>[] }) {
  return (
    <section aria-label={title}>
      <h3 className="pb-1 text-2xs font-medium text-faint">{title}</h3>
      <dl>
        {shortcuts.map((shortcut) => (
          <div key={shortcut.keys} className="flex items-center gap-4 border-b border-line py-1 last:border-0">
            <dt className="flex-1">{shortcut.label}</dt>
            <dd><Kbd keys={shortcut.keys} /></dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The page itself, not its close button, whose tooltip would open at once. */
function focusItself(event: Event): void {
  event.preventDefault();
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
}

/** All keys on one page. */
export function Help({ open, onOpenChange, shortcuts }: { readonly open: boolean; readonly onOpenChange: (open: boolean) => void; readonly shortcuts: readonly Shortcut[] }) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-[#00000040]" />
        <Dialog.Content aria-describedby={undefined} tabIndex={-1} onOpenAutoFocus={focusItself} className="fixed top-[8vh] left-1/2 z-50 max-h-[84vh] w-[min(720px,calc(100vw-32px))] -translate-x-1/2 overflow-y-auto rounded-xl border border-line bg-raised p-4 shadow-raised outline-none">
          <div className="flex items-center pb-3">
            <Dialog.Title className="flex-1 text-lg font-semibold">Keys</Dialog.Title>
            <Dialog.Close asChild><IconButton icon={X} label="Close" keys="Esc" /></Dialog.Close>
          </div>
          <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
            <ShortcutTable title="Everywhere" shortcuts={shortcuts} />
            <ShortcutTable title="In a chat and its list" shortcuts={ELSEWHERE} />
            <ShortcutTable title="In a terminal" shortcuts={TERMINAL_KEYS} />
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
