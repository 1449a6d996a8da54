import { Ban, Copy, Download, MessageSquareQuote, MoreHorizontal, Octagon, Pencil, Search, Skull, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { bridge } from '../../bridge.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { saveText } from '../../ui/save-text.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { terminals, told } from './live.ts';

export interface TitleBarProps {
  readonly terminal: Terminal;
  readonly searching: boolean;
  readonly hasSelection: boolean;
  readonly onSearch: () => void;
  readonly onCopy: () => void;
  /** Undefined where the window has no place to put a quotation. */
  readonly onQuote: (() => void) | undefined;
}

export function TitleBar({ terminal, searching, hasSelection, onSearch, onCopy, onQuote }: TitleBarProps) {
  const [renaming, setRenaming] = useState(false);
  const { id } = terminal;
  const running = terminal.state === 'running';
  const items: (MenuItem | 'separator')[] = [
    { label: 'Copy selection', icon: Copy, keys: 'Mod+Shift+C', disabled: !hasSelection, run: onCopy },
    ...(onQuote === undefined ? [] : [{ label: 'Send selection to chat', icon: MessageSquareQuote, disabled: !hasSelection, run: onQuote }]),
    'separator',
    { label: 'Rename…', icon: Pencil, run: () => { setRenaming(true); } },
    { label: 'Save all output…', icon: Download, run: () => { told(exportText(terminal), 'Not saved'); } },
    ...(running ? [] : ['separator' as const, { label: 'Remove from the list', icon: Trash2, run: () => { told(terminals.dismiss(id), 'Not removed'); } }]),
  ];
  return (
    <div className="flex h-8 shrink-0 items-center gap-1 border-y border-line bg-panel pr-1 pl-2.5">
      <Badge tone="accent">{terminal.backend}</Badge>
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
          <Button size="small" tone="ghost" icon={<Octagon size={13} aria-hidden />}>Stop…</Button>
        </Menu>
      ) : null}
      <Menu items={items}><IconButton size="small" icon={MoreHorizontal} label="More" /></Menu>
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

async function exportText(terminal: Terminal): Promise<void> {
  const { text } = await bridge.request('terminals.text', { id: terminal.id });
  saveText(`${terminal.title.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'terminal'}.txt`, text);
}
