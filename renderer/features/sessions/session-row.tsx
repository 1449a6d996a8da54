import { Braces, Ellipsis, FileText, Pencil, Trash2 } from 'lucide-react';
import { memo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { SessionId } from '../../../preload/contract/index.ts';
import { classNames } from '../../ui/class-names.ts';
import { formatFull, formatWhen } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { InlineEdit } from '../../ui/inline-edit.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useSession } from './context.tsx';
import { originWord, StatusDot, statusWord } from './status-dot.tsx';

/** Longest title the host takes. */
const MAX_TITLE_CHARS = 100;

export interface SessionRowProps {
  readonly id: SessionId;
  readonly selected: boolean;
  readonly now: number;
  readonly onOpen: (id: SessionId) => void;
  readonly onRename: (id: SessionId, title: string) => void;
  readonly onSave: (id: SessionId, format: 'markdown' | 'json') => void;
  readonly onDelete: (id: SessionId) => void;
}

export const SessionRow = memo(function SessionRow({ id, selected, now, onOpen, onRename, onSave, onDelete }: SessionRowProps) {
  const session = useSession(id);
  const [renaming, setRenaming] = useState(false);
  /** The menu is made for the first pointer or focus that comes near: a list may have hundreds of rows. */
  const [near, setNear] = useState(false);
  if (session === undefined) return null;
  const word = statusWord(session.status);
  const tag = originWord(session.origin);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'F2') setRenaming(true);
    else if (event.key === 'Delete') onDelete(id);
    else return;
    event.preventDefault();
  };
  if (renaming) {
    return (
      <li className="px-1">
        <InlineEdit
          label="Title of this chat" value={session.title} maxLength={MAX_TITLE_CHARS}
          onDone={(title) => { setRenaming(false); if (title !== undefined && title !== session.title) onRename(id, title); }}
        />
      </li>
    );
  }
  return (
    <li onPointerEnter={() => { setNear(true); }} onFocus={() => { setNear(true); }} className={classNames('group/row relative flex h-8 items-center rounded-md', selected ? 'bg-selected' : 'hover:bg-hover focus-within:bg-hover')}>
      <button
        type="button" data-session-row={id} aria-current={selected ? 'page' : undefined} title={`${session.title}\n${formatFull(session.updatedAt)}`}
        onClick={() => { onOpen(id); }} onDoubleClick={() => { setRenaming(true); }} onKeyDown={onKeyDown}
        className="focus-inset flex h-full min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left"
      >
        <StatusDot status={session.status} />
        <span className={classNames('min-w-0 flex-1 truncate', selected && 'font-medium', !session.titled && 'text-muted')}>{session.title}</span>
        {word === undefined ? null : <span className="sr-only">, {word}</span>}
        {tag === undefined ? null : <span className="text-2xs text-faint">{tag}</span>}
        <span className={classNames('text-2xs tabular-nums group-focus-within/row:invisible group-hover/row:invisible group-has-[[data-state=open]]/row:invisible', session.status === 'waiting' ? 'font-medium text-warn' : 'text-faint')}>
          {session.status === 'waiting' ? 'needs you' : formatWhen(session.updatedAt, now)}
        </span>
      </button>
      {near ? <div className="absolute right-1 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-[[data-state=open]]:opacity-100">
        <Menu
          items={[
            { label: 'Rename', icon: Pencil, keys: 'F2', run: () => { setRenaming(true); } },
            { label: 'Save as Markdown', icon: FileText, run: () => { onSave(id, 'markdown'); } },
            { label: 'Save as JSON', icon: Braces, run: () => { onSave(id, 'json'); } },
            'separator',
            { label: 'Delete', icon: Trash2, keys: 'Del', danger: true, run: () => { onDelete(id); } },
          ]}
        >
          <IconButton icon={Ellipsis} size="small" label={`More for ${session.title}`} />
        </Menu>
      </div> : null}
    </li>
  );
});
