import { MessageSquare, TextSearch } from 'lucide-react';
import { useState } from 'react';
import { Palette } from '../features/palette/index.tsx';
import type { PaletteItem } from '../features/palette/index.tsx';
import { Snippet, snippetWords, statusWord, useSearch, useSessions } from '../features/sessions/index.tsx';
import { bridge } from '../bridge.ts';
import type { AppCommand } from './commands.ts';
import { useLayout } from './context.tsx';
import type { Navigation } from './navigation.ts';

/** Chats listed before anything is typed. */
const RECENT = 9;

/** The palette, filled: what can be done, the chats, and messages found by the host. */
export function CommandPalette({ commands, navigation }: { readonly commands: readonly AppCommand[]; readonly navigation: Navigation }) {
  const open = useLayout((layout) => layout.overlay === 'palette');
  const sessions = useSessions((state) => state);
  const [query, setQuery] = useState('');
  const search = useSearch(bridge, open ? query : '');
  const actions = commands.filter(({ id }) => id !== 'palette').map(({ slash, ...command }): PaletteItem => ({ ...command, id: `do ${command.id}`, keywords: slash === undefined ? [] : [slash] }));
  const chats = (query === '' ? sessions.order.slice(0, RECENT) : sessions.order).flatMap((id, index): PaletteItem[] => {
    const session = sessions.byId.get(id);
    if (session === undefined) return [];
    return [{
      id: `chat ${id}`, label: session.title, icon: MessageSquare, detail: statusWord(session.status), run: () => { navigation.openSession(id); },
      ...(index < RECENT && query === '' ? { keys: `Alt+${index + 1}` } : {}),
    }];
  });
  const messages = query === '' || search.kind !== 'found' ? [] : search.hits.map((hit): PaletteItem => ({
    id: `message ${hit.messageId}`, label: hit.sessionTitle, icon: TextSearch, detail: <Snippet text={snippetWords(hit)} />, always: true,
    run: () => { navigation.openSession(hit.sessionId, { messageId: hit.messageId }); },
  }));
  return (
    <Palette
      open={open} onOpenChange={(next) => { navigation.setOverlay(next ? 'palette' : undefined); setQuery(''); }}
      onQuery={setQuery} searching={search.kind === 'searching'}
      groups={[{ title: 'Do', items: actions }, { title: 'Chats', items: chats }, { title: 'Messages', items: messages }]}
    />
  );
}
