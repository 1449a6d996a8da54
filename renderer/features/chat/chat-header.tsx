import { Folder, Pencil } from 'lucide-react';
import { useState } from 'react';
import type { Session, SessionId } from '../../../preload/contract/index.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { InlineEdit } from '../../ui/inline-edit.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useContextMeter } from './context-meter.tsx';
import { useChat, useChatFeature } from './context.tsx';
import { useChatSlots } from './slots.tsx';

/** Longest title the host takes. */
const MAX_TITLE_CHARS = 100;

export interface ChatHeaderProps {
  /** The chat whose place is to be chosen before anything is said in it. */
  readonly begun: SessionId | undefined;
  readonly onBegin: () => void;
}

export function ChatHeader({ begun, onBegin }: ChatHeaderProps) {
  const { headerStart, headerEnd } = useChatSlots();
  const session = useChat((chat) => chat.session);
  const meter = useContextMeter(session);
  return (
    <header className="shrink-0 border-b border-line">
      <div className="flex h-[39px] items-center gap-2 px-2">
        {headerStart}
        {session === undefined
          ? (
            <>
              <h1 className="flex-1 pl-1 font-medium">New chat</h1>
              <Button size="small" tone="ghost" icon={<Folder size={13} aria-hidden />} onClick={onBegin}>Choose where it runs</Button>
            </>
          )
          : <TitleAndPlace key={session.id} session={session} begun={begun === session.id} />}
        {meter.button}
        {headerEnd}
      </div>
      {meter.panel}
    </header>
  );
}

function TitleAndPlace({ session, begun }: { readonly session: Session; readonly begun: boolean }) {
  const feature = useChatFeature();
  const { PlacePicker } = useChatSlots();
  const [editing, setEditing] = useState<'title' | 'cwd' | undefined>(begun ? 'cwd' : undefined);
  const rename = (title: string | undefined): void => {
    setEditing(undefined);
    if (title !== undefined && title !== session.title) feature.rename(title).catch(showFailure);
  };
  const move = (cwd: string | undefined): void => {
    setEditing(undefined);
    if (cwd !== undefined && cwd !== session.cwd) feature.setCwd(cwd).catch(showFailure);
  };
  return (
    <div className="flex min-w-0 flex-1 items-center gap-2 pl-1">
      {editing === 'title'
        ? <InlineEdit label="Title of this chat" value={session.title} maxLength={MAX_TITLE_CHARS} onDone={rename} className="h-7 w-72 min-w-0" />
        : (
          <div className="group/title flex min-w-0 items-center gap-1">
            <h1 className="truncate font-medium" title={session.title} onDoubleClick={() => { setEditing('title'); }}>{session.title}</h1>
            <IconButton size="small" icon={Pencil} label="Rename this chat" onClick={() => { setEditing('title'); }} className="opacity-0 group-hover/title:opacity-100 focus-visible:opacity-100" />
          </div>
        )}
      {session.origin === 'tour' ? <Badge tone="accent">scripted</Badge> : null}
      <span className="flex-1" />
      {editing === 'cwd'
        ? <InlineEdit label="Folder of this chat" value={session.cwd} onDone={move} className="h-7 w-64 min-w-0 font-mono text-xs" />
        : (
          <Tooltip text={`Commands run in ${session.cwd} (${session.backend}). Click to change.`}>
            <button type="button" aria-label={`Folder of this chat: ${session.cwd}. Change`} onClick={() => { setEditing('cwd'); }} className="flex h-6 max-w-52 min-w-0 items-center gap-1 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-ink">
              <Folder size={13} aria-hidden className="shrink-0" />
              <span dir="rtl" className="truncate"><bdi>{session.cwd}</bdi></span>
            </button>
          </Tooltip>
        )}
      <PlacePicker session={session} />
    </div>
  );
}
