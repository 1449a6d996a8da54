import { Ban, Columns2, Copy, Download, FileCode2, MessageSquareQuote, MoreHorizontal, Octagon, Pencil, Rows2, Search, Skull, TextSelect, Trash2, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { saveAll } from './export.ts';
import { terminals } from './live.ts';
import type { Direction } from './model.ts';
import { keysOf } from './pane-keys.ts';
import { told } from './told.ts';

export interface TitleBarProps {
  readonly terminal: Terminal;
  readonly searching: boolean;
  readonly hasSelection: boolean;
  readonly onSearch: () => void;
  readonly onSelect: () => void;
  readonly onCopy: () => void;
  /** Undefined where the window has no place to put a quotation. */
  readonly onQuote: (() => void) | undefined;
  readonly onSplit: (direction: Direction) => void;
  /** Undefined for one that stands alone. */
  readonly onClose: (() => void) | undefined;
  readonly onSaveHtml: () => void;
}

export function TitleBar({ terminal, searching, hasSelection, onSearch, onSelect, onCopy, onQuote, onSplit, onClose, onSaveHtml }: TitleBarProps) {
  const [renaming, setRenaming] = useState(false);
  const { id } = terminal;
  const running = terminal.state === 'running';
  const items: (MenuItem | 'separator')[] = [
    { label: 'Select what is in view', icon: TextSelect, keys: keysOf('select'), run: onSelect },
    { label: 'Copy selection', icon: Copy, keys: 'Mod+Shift+C', disabled: !hasSelection, run: onCopy },
    ...(onQuote === undefined ? [] : [{ label: 'Send selection to chat', icon: MessageSquareQuote, disabled: !hasSelection, run: onQuote }]),
    'separator',
    { label: 'Rename…', icon: Pencil, run: () => { setRenaming(true); } },
    { label: 'Split side by side', icon: Columns2, keys: keysOf('beside'), run: () => { onSplit('beside'); } },
    { label: 'Split below', icon: Rows2, keys: keysOf('below'), run: () => { onSplit('below'); } },
    'separator',
    { label: 'Save all output…', icon: Download, run: () => { told(saveAll(terminal), 'Not saved'); } },
    { label: 'Save with colours…', icon: FileCode2, run: onSaveHtml },
    ...(running ? [] : ['separator' as const, { label: 'Remove from the list', icon: Trash2, run: () => { told(terminals.dismiss(id), 'Not removed'); } }]),
  ];
  return (
    <div className="@container flex h-8 shrink-0 items-center gap-1 border-y border-line bg-panel pr-1 pl-2.5">
      <span className="contents @max-[240px]:hidden"><Badge tone="accent">{terminal.backend}</Badge>{terminal.sandbox === undefined ? null : <Badge tone="ok">{terminal.sandbox}</Badge>}</span>
      {renaming ? <Rename terminal={terminal} onDone={() => { setRenaming(false); }} /> : (
        <h2 className="min-w-0 flex-1 truncate font-mono text-xs" title={`${terminal.command.slice(0, 1_000)}\nin ${terminal.cwd}`} onDoubleClick={() => { setRenaming(true); }}>
          <VisibleText text={terminal.title.slice(0, 300)} />
        </h2>
      )}
      <IconButton size="small" icon={Search} label="Search in this terminal" keys="Mod+Shift+F" aria-pressed={searching} onClick={onSearch} />
      {running ? (
        <Menu items={[
          { label: 'Interrupt', icon: Ban, keys: 'Ctrl+C', run: () => { told(terminals.kill(id, 'interrupt'), 'Not interrupted'); } },
          { label: 'Terminate', icon: Octagon, run: () => { told(terminals.kill(id, 'terminate'), 'Not terminated'); } },
          'separator',
          { label: 'Kill it and all it started', icon: Skull, danger: true, run: () => { told(terminals.kill(id, 'kill'), 'Not killed'); } },
        ]}
        >
          <Button size="small" tone="ghost" icon={<Octagon size={13} aria-hidden />} className="shrink-0 @max-[240px]:w-6 @max-[240px]:px-0"><span className="@max-[240px]:sr-only">Stop…</span></Button>
        </Menu>
      ) : null}
      <Menu items={items}><IconButton size="small" icon={MoreHorizontal} label="More" data-more /></Menu>
      {onClose === undefined ? null : <IconButton size="small" icon={X} label="Close this pane" keys={keysOf('close')} onClick={onClose} />}
    </div>
  );
}

function Rename({ terminal, onDone }: { readonly terminal: Terminal; readonly onDone: () => void }) {
  const [title, setTitle] = useState(terminal.title.slice(0, 100));
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => { field.current?.select(); }, []);
  /** The menu that opened this gives the focus back to its button once, a moment later. */
  const menuClosed = useRef(false);
  const save = (): void => {
    const wanted = title.trim();
    if (wanted !== '' && wanted !== terminal.title) told(terminals.rename(terminal.id, wanted), 'Not renamed');
    onDone();
  };
  return (
    <Input
      ref={field} value={title} maxLength={100} aria-label="Name of this terminal" className="h-6 flex-1 text-xs"
      onChange={(event) => { setTitle(event.target.value); }} autoFocus
      onBlur={(event) => {
        if (!menuClosed.current && event.relatedTarget?.getAttribute('aria-haspopup') === 'menu') {
          menuClosed.current = true;
          event.target.focus();
        } else {
          save();
        }
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
        if (event.key === 'Escape') onDone();
      }}
    />
  );
}
