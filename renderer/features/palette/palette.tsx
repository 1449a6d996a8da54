import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Kbd } from '../../ui/kbd.tsx';

export interface PaletteItem {
  /** Unique in the palette. */
  readonly id: string;
  readonly label: string;
  /** Stands under the label. */
  readonly detail?: ReactNode;
  readonly icon?: LucideIcon;
  readonly keys?: string;
  /** Further words it is found by. */
  readonly keywords?: readonly string[];
  /** True for what was found by the query already: shown whatever is typed. */
  readonly always?: boolean;
  readonly run: () => void;
}

export interface PaletteGroup {
  readonly title: string;
  readonly items: readonly PaletteItem[];
}

export interface PaletteProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** What can be done while `query` is typed. */
  readonly groups: readonly PaletteGroup[];
  readonly onQuery: (query: string) => void;
  readonly searching: boolean;
}

/** Everything the window can do, found by typing. */
export function Palette({ open, onOpenChange, groups, onQuery, searching }: PaletteProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-[#00000040]" />
        <Dialog.Content aria-describedby={undefined} className="fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[min(560px,calc(100vw-32px))] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-raised outline-none">
          <Dialog.Title className="sr-only">Commands and chats</Dialog.Title>
          <PaletteList groups={groups} searching={searching} onQuery={onQuery} onDone={() => { onOpenChange(false); }} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteList({ groups, onQuery, onDone, searching }: Pick<PaletteProps, 'groups' | 'onQuery' | 'searching'> & { readonly onDone: () => void }) {
  const [query, setQuery] = useState('');
  const change = (next: string): void => {
    setQuery(next);
    onQuery(next);
  };
  return (
    <Command loop label="Commands and chats" filter={(value, search, keywords) => (keywords?.includes(ALWAYS) === true ? 0.01 : contains(value, search, keywords))} className="flex min-h-0 flex-col">
      <Command.Input value={query} onValueChange={change} placeholder="Do something, open a chat, search messages" className="h-11 shrink-0 border-b border-line bg-transparent px-4 text-base outline-none" />
      <Command.List aria-label="Results" className="min-h-0 overflow-y-auto p-1">
        <Command.Empty className="px-3 py-4 text-center text-xs text-muted">{searching ? 'Searching messages' : 'Nothing found.'}</Command.Empty>
        {groups.filter((group) => group.items.length > 0).map((group) => (
          <Command.Group key={group.title} heading={group.title} className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint">
            {group.items.map((item) => <Row key={item.id} item={item} onDone={onDone} />)}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}

/** Keyword of items that the host found by the query: they need not contain it letter by letter. */
const ALWAYS = '\u0000always';

function Row({ item, onDone }: { readonly item: PaletteItem; readonly onDone: () => void }) {
  const { icon: Icon } = item;
  return (
    <Command.Item
      value={item.id} keywords={item.always === true ? [ALWAYS] : [item.label, ...(item.keywords ?? [])]}
      onSelect={() => { onDone(); item.run(); }}
      className="flex min-h-8 items-center gap-2.5 rounded-md px-2.5 py-1 data-[selected=true]:bg-hover"
    >
      {Icon === undefined ? null : <Icon size={15} aria-hidden className="shrink-0 text-muted" />}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{item.label}</span>
        {item.detail === undefined ? null : <span className="line-clamp-1 text-xs text-muted">{item.detail}</span>}
      </span>
      {item.keys === undefined ? null : <Kbd keys={item.keys} />}
    </Command.Item>
  );
}

/** Every word typed must be in the label or a keyword; a label that begins with it comes first. */
function contains(_value: string, search: string, keywords: readonly string[] | undefined): number {
  const text = (keywords ?? []).join(' ').toLowerCase();
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (!words.every((word) => text.includes(word))) return 0;
  return text.startsWith(words[0] ?? '') ? 1 : 0.5;
}
