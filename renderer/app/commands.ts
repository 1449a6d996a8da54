/** What the window can do, in one list: the keys, the palette, the help and the slash commands are drawn from it. */
import { BookOpen, Braces, Brain, CalendarClock, CircleHelp, Compass, FileText, GitFork, ListTree, PanelLeft, PanelRight, Search, Settings, ShieldCheck, SquarePen, SquareTerminal, TextSearch, Trash2, Wrench } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { Session } from '../../preload/contract/index.ts';
import { findInChat, takesFindKeys } from '../features/chat/index.tsx';
import { showFailure } from '../ui/show-failure.ts';
import type { Navigation } from './navigation.ts';

export interface AppCommand {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** A shortcut, as for `Kbd`. */
  readonly keys?: string;
  /** Where its keys count; anywhere when it is left out. */
  readonly takesKeys?: (target: EventTarget | null) => boolean;
  /** Name behind `/` in the composer. */
  readonly slash?: string;
  readonly run: () => void;
}

/** `session` is the open chat; without one, what needs it is left out. */
export function appCommands(navigation: Navigation, session: Session | undefined): readonly AppCommand[] {
  const commands: AppCommand[] = [
    { id: 'palette', label: 'Find a command, a chat or a message', icon: Search, keys: 'Mod+K', run: () => { navigation.setOverlay('palette'); } },
    { id: 'new', label: 'New chat', icon: SquarePen, keys: 'Mod+Shift+O', slash: 'new', run: () => { navigation.newChat(); } },
    { id: 'list', label: 'Show or hide the chats', icon: PanelLeft, keys: 'Mod+B', run: () => { navigation.toggleList(); } },
    { id: 'dock', label: 'Show or hide the side panel', icon: PanelRight, keys: 'Mod+J', run: () => { navigation.toggleDock(); } },
    { id: 'terminals', label: 'Open the terminals', icon: SquareTerminal, keys: 'Alt+Shift+T', slash: 'terminals', run: () => { navigation.openDock('terminals'); } },
    { id: 'approvals', label: 'Open the approvals', icon: ShieldCheck, keys: 'Alt+Shift+A', slash: 'approvals', run: () => { navigation.openDock('approvals'); } },
    { id: 'toolsets', label: 'Open the toolsets', icon: Wrench, keys: 'Alt+Shift+W', slash: 'toolsets', run: () => { navigation.openDock('toolsets'); } },
    { id: 'settings', label: 'Open the settings', icon: Settings, keys: 'Mod+,', slash: 'settings', run: () => { navigation.openSettings(); } },
    { id: 'schedules', label: 'Open the schedules', icon: CalendarClock, slash: 'schedules', run: () => { navigation.openSettings('schedules'); } },
    { id: 'skills', label: 'Open the skills', icon: BookOpen, keys: 'Alt+Shift+S', slash: 'skills', run: () => { navigation.openSettings('skills'); } },
    { id: 'memory', label: 'Open the memory', icon: Brain, slash: 'memory', run: () => { navigation.openSettings('memory'); } },
    { id: 'model', label: 'Connect a model', icon: ListTree, slash: 'model', run: () => { navigation.openSettings('model'); } },
    {
      id: 'tour', label: 'Start the guided tour', icon: Compass, slash: 'tour',
      run: () => { navigation.startTour().catch(showFailure); },
    },
    { id: 'help', label: 'Show all keys', icon: CircleHelp, keys: '?', slash: 'help', run: () => { navigation.setOverlay('help'); } },
  ];
  if (session !== undefined) commands.push(
    { id: 'find', label: 'Find in this chat', icon: TextSearch, keys: 'Mod+F', takesKeys: takesFindKeys, slash: 'find', run: findInChat },
    { id: 'fork', label: 'Fork this chat', icon: GitFork, slash: 'fork', run: () => { navigation.forkChat(); } },
    { id: 'save-markdown', label: 'Save this chat as Markdown', icon: FileText, slash: 'save', run: () => { navigation.saveChat(session.id, 'markdown'); } },
    { id: 'save-json', label: 'Save this chat as JSON', icon: Braces, run: () => { navigation.saveChat(session.id, 'json'); } },
    { id: 'delete', label: 'Delete this chat', icon: Trash2, run: () => { navigation.deleteChat(session.id); } },
  );
  return commands;
}
