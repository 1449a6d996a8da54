import { BookOpen, CalendarClock, CircleHelp, Settings } from 'lucide-react';
import { useUnseenCount } from '../features/schedules/index.tsx';
import { SessionList } from '../features/sessions/index.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useLayout } from './context.tsx';
import type { Navigation } from './navigation.ts';

/** The left side: all chats, and the way to the settings. */
export function Sidebar({ navigation }: { readonly navigation: Navigation }) {
  const selected = useLayout((layout) => (layout.route.kind === 'chat' ? layout.route.sessionId : undefined));
  const inSettings = useLayout((layout) => layout.route.kind === 'settings');
  const unseen = useUnseenCount();
  return (
    <nav aria-label="Chats" data-pane="chats" className="flex h-full flex-col bg-panel">
      <div className="min-h-0 flex-1">
        <SessionList
          selected={selected} onNew={navigation.newChat} onDelete={navigation.deleteChat} onSave={navigation.saveChat}
          onOpen={(sessionId, messageId) => { navigation.openSession(sessionId, messageId === undefined ? {} : { messageId }); }}
        />
      </div>
      <div className="flex h-10 shrink-0 items-center gap-1 border-t border-line px-2">
        <Button tone="ghost" icon={<Settings size={15} aria-hidden />} aria-pressed={inSettings} onClick={() => { navigation.openSettings(); }} className="px-2 aria-pressed:bg-selected aria-pressed:text-ink">Settings</Button>
        <span className="flex-1" />
        <span className="relative inline-flex">
          <IconButton side="top" icon={CalendarClock} label={unseen === 0 ? 'Schedules' : `Schedules ${unseen} unread`} onClick={() => { navigation.openSettings('schedules'); }} />
          {unseen === 0 ? null : <span aria-hidden className="pointer-events-none absolute -top-1 -right-1.5"><Badge tone="accent">{unseen}</Badge></span>}
        </span>
        <IconButton side="top" icon={BookOpen} label="Skills" keys="Alt+Shift+S" onClick={() => { navigation.openSettings('skills'); }} />
        <IconButton side="top" icon={CircleHelp} label="Keys" keys="?" onClick={() => { navigation.setOverlay('help'); }} />
      </div>
    </nav>
  );
}
