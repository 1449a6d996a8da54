import { PanelLeft, PanelRight } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { ApprovalCard, useWaitingCount } from '../features/approvals/index.tsx';
import { LiveBrowser } from '../features/browser/index.tsx';
import { ChatProvider, ChatSlotsProvider, ChatView } from '../features/chat/index.tsx';
import type { ChatSlots } from '../features/chat/index.tsx';
import { CallCheckpoints, KeptSince } from '../features/checkpoints/index.tsx';
import { AttachedFile, AttachedPicture, CallMedia, ReplyFile } from '../features/media/index.tsx';
import { ModelPicker, ModelsProvider, Welcome } from '../features/models/index.tsx';
import { PlacePicker } from '../features/sandbox/index.tsx';
import { SessionsProvider, useSession } from '../features/sessions/index.tsx';
import { TerminalPreview } from '../features/terminals/index.tsx';
import { Announcer } from '../ui/announcer.tsx';
import { FrameProvider } from '../ui/frame.tsx';
import type { Frame } from '../ui/frame.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { showFailure } from '../ui/show-failure.ts';
import { ToastRegion } from '../ui/toasts.tsx';
import { TooltipLayer } from '../ui/tooltip.tsx';
import { CommandPalette } from './command-palette.tsx';
import { appCommands } from './commands.ts';
import type { AppCommand } from './commands.ts';
import { ServicesProvider, useLayout, useServices } from './context.tsx';
import { Dock } from './dock.tsx';
import { Help } from './help.tsx';
import { useWindowKeys } from './keys.ts';
import { createNavigation } from './navigation.ts';
import type { Navigation } from './navigation.ts';
import type { Services } from './services.ts';
import { SettingsPage } from './settings-page.tsx';
import { Sidebar } from './sidebar.tsx';
import { WindowLayout } from './window.tsx';

export function App({ services }: { readonly services: Services }) {
  return (
    <ServicesProvider value={services}>
      <SessionsProvider value={services.sessions}>
        <ChatProvider value={services.chat}>
          <ModelsProvider value={services.models}>
            <Desktop />
          </ModelsProvider>
        </ChatProvider>
      </SessionsProvider>
    </ServicesProvider>
  );
}

function Desktop() {
  const services = useServices();
  const navigation = useMemo(() => createNavigation(services), [services]);
  const route = useLayout((layout) => layout.route);
  const sessionId = route.kind === 'chat' ? route.sessionId : undefined;
  const session = useSession(sessionId);
  const commands = useMemo(() => appCommands(navigation, session), [navigation, session]);
  const recentSessionId = useStore(services.chat.store, (state) => state.chat?.sessionId);
  const frame = useMemo((): Frame => ({ ...navigation, sessionId, recentSessionId }), [navigation, sessionId, recentSessionId]);
  const shortcuts = commands.flatMap((command) => (command.keys === undefined ? [] : [{ ...command, keys: command.keys }]));
  useWindowKeys(commands, navigation, services);
  const help = useLayout((layout) => layout.overlay === 'help');
  const listToggle = useMemo(() => <ListToggle navigation={navigation} />, [navigation]);

  return (
    <FrameProvider value={frame}>
      <WindowLayout
        list={<Sidebar navigation={navigation} />}
        centre={route.kind === 'settings'
          ? <SettingsPage sectionId={route.sectionId} navigation={navigation} shortcuts={shortcuts} headerStart={listToggle} />
          : <Chat navigation={navigation} commands={commands} listToggle={listToggle} />}
        dock={route.kind === 'settings' ? undefined : <Dock navigation={navigation} />}
        layer={<TooltipLayer />}
      />
      <CommandPalette commands={commands} navigation={navigation} />
      <Help open={help} onOpenChange={(open) => { navigation.setOverlay(open ? 'help' : undefined); }} shortcuts={shortcuts} />
      <ToastRegion />
      <Announcer />
    </FrameProvider>
  );
}

function Chat({ navigation, commands, listToggle }: { readonly navigation: Navigation; readonly commands: readonly AppCommand[]; readonly listToggle: React.ReactNode }) {
  const { layout } = useServices();
  const target = useLayout((state) => state.target);
  /** Its identity must last: a new component would throw away what was typed into its form. */
  const EmptyChat = useMemo(() => () => <WelcomeAndTour navigation={navigation} />, [navigation]);
  const slots = useMemo((): ChatSlots => ({
    ApprovalCard, CallCheckpoints, KeptSince, CallMedia, ReplyFile, AttachedFile, AttachedPicture, LiveBrowser, PlacePicker, TerminalPreview, ModelPicker, Welcome: EmptyChat, openTerminal: navigation.openTerminal,
    slashCommands: commands.flatMap(({ slash, label, run }) => (slash === undefined ? [] : [{ name: slash, description: label, run }])),
    headerStart: listToggle, headerEnd: <DockToggle navigation={navigation} />,
  }), [EmptyChat, commands, listToggle, navigation]);
  const shown = useCallback(() => { layout.setState({ target: undefined }); }, [layout]);
  return (
    <ChatSlotsProvider value={slots}>
      <ChatView target={target} onTargetShown={shown} onStarted={navigation.openSession} />
    </ChatSlotsProvider>
  );
}

function WelcomeAndTour({ navigation }: { readonly navigation: Navigation }) {
  const [starting, setStarting] = useState(false);
  const tour = (): void => {
    setStarting(true);
    navigation.startTour()
      .catch(showFailure)
      .finally(() => { setStarting(false); });
  };
  return <Welcome onTour={tour} startingTour={starting} />;
}

function ListToggle({ navigation }: { readonly navigation: Navigation }) {
  const open = useLayout((layout) => layout.listOpen);
  return <IconButton icon={PanelLeft} label={open ? 'Hide the chats' : 'Show the chats'} keys="Mod+B" aria-pressed={open} onClick={() => { navigation.toggleList(); }} className="aria-pressed:bg-transparent" />;
}

function DockToggle({ navigation }: { readonly navigation: Navigation }) {
  const open = useLayout((layout) => layout.dockOpen);
  const waiting = useWaitingCount();
  const missed = !open && waiting > 0;
  return (
    <span className="relative inline-flex">
      <IconButton
        icon={PanelRight} label={`${open ? 'Hide' : 'Show'} the side panel${missed ? `: ${waiting} waiting for you` : ''}`} keys="Mod+J" aria-pressed={open} className="aria-pressed:bg-transparent"
        onClick={() => { if (missed) navigation.openDock('approvals'); else navigation.toggleDock(); }}
      />
      {missed ? <span aria-hidden className="pointer-events-none absolute top-0.5 right-0.5 size-2 rounded-full bg-warn-line" /> : null}
    </span>
  );
}
