/** What the window does when asked: one object for buttons, keys, palette and features alike. */
import type { MessageId, SessionId } from '../../preload/contract/index.ts';
import { openApproval } from '../features/approvals/index.tsx';
import { neighbourOf } from '../features/sessions/index.tsx';
import { openTerminal } from '../features/terminals/index.tsx';
import { bridge } from '../bridge.ts';
import { findCall, quoteInComposer } from '../features/chat/index.tsx';
import type { Frame } from '../ui/frame.tsx';
import { saveText } from '../ui/save-text.ts';
import { showFailure } from '../ui/show-failure.ts';
import { toasts } from '../ui/toasts.tsx';
import { focusPane } from './keys.ts';
import { withDock, withList, withRoute } from './layout.ts';
import type { Layout } from './layout.ts';
import type { Services } from './services.ts';

export interface Navigation extends Omit<Frame, 'sessionId' | 'recentSessionId'> {
  newChat(): void;
  /** A new chat with all of the open one's history, opened. */
  forkChat(): void;
  deleteChat(sessionId: SessionId): void;
  /** Hands the person the whole chat as a file. */
  saveChat(sessionId: SessionId, format: 'markdown' | 'json'): void;
  startTour(): Promise<void>;
  toggleList(): void;
  toggleDock(): void;
  closeSettings(): void;
  setOverlay(overlay: Layout['overlay']): void;
  focusComposer(): void;
}

export function createNavigation({ layout, sessions, chat }: Services): Navigation {
  const change = (next: (state: Layout) => Layout): void => { layout.setState(next, true); };
  const focusComposer = (): void => {
    requestAnimationFrame(() => { document.querySelector<HTMLElement>('textarea[aria-label="Message"]')?.focus(); });
  };
  const go = (sessionId: SessionId, messageId?: MessageId): void => {
    change((state) => withRoute(state, { kind: 'chat', sessionId }, messageId));
  };
  /** A panel that lies over the chat takes the focus with it, and gives it back. */
  const followPanel = (open: boolean, pane: 'chats' | 'dock'): void => {
    if (!layout.getState().narrow) return;
    if (open) requestAnimationFrame(() => {
      const shown = document.querySelector(`[data-pane="${pane}"]`);
      if (shown !== null) focusPane(shown);
    });
    else focusComposer();
  };
  const openDock: Navigation['openDock'] = (tab) => { change((state) => withDock(state, true, tab)); };
  /** From the settings a chat's dock is not seen: go back to the chat first. */
  const leaveSettings = (): void => {
    if (layout.getState().route.kind !== 'settings') return;
    const sessionId = chat.store.getState().chat?.sessionId;
    change((state) => withRoute(state, sessionId === undefined ? { kind: 'start' } : { kind: 'chat', sessionId }));
  };
  const restore = (sessionId: SessionId): void => {
    sessions.restore(sessionId).then(() => { go(sessionId); }, showFailure);
  };

  return {
    openSession(sessionId, at) {
      const { chat: open } = chat.store.getState();
      const message = at?.messageId ?? (open === undefined || at?.callId === undefined ? undefined : findCall(open, at.callId)?.message.id);
      go(sessionId, message);
    },
    openDock(tab) {
      leaveSettings();
      openDock(tab);
    },
    openTerminal(terminalId) {
      leaveSettings();
      openDock('terminals');
      openTerminal(terminalId);
    },
    openApproval(approvalId) {
      leaveSettings();
      openDock('approvals');
      openApproval(approvalId);
    },
    quoteInChat(text) {
      leaveSettings();
      quoteInComposer(text);
    },
    openSettings(sectionId) { change((state) => withRoute(state, { kind: 'settings', sectionId })); },
    closeSettings: leaveSettings,
    newChat() {
      change((state) => withRoute(state, { kind: 'new' }));
      focusComposer();
    },
    forkChat() { chat.fork({}).then((forked) => { go(forked); }, showFailure); },
    deleteChat(sessionId) {
      const state = sessions.store.getState();
      const title = state.byId.get(sessionId)?.title ?? 'Chat';
      const next = neighbourOf(state, sessionId);
      const { route } = layout.getState();
      sessions.delete(sessionId).then(() => {
        if (route.kind === 'chat' && route.sessionId === sessionId) change((now) => withRoute(now, next === undefined ? { kind: 'new' } : { kind: 'chat', sessionId: next }));
        toasts.getState().show({ text: `Deleted “${title}”`, undo: { label: 'Undo', run: () => { restore(sessionId); } } });
      }, showFailure);
    },
    saveChat(sessionId, format) {
      sessions.export(sessionId, format).then(({ fileName, text }) => { saveText(fileName, text, format === 'json' ? 'application/json' : 'text/markdown'); }, showFailure);
    },
    async startTour() {
      const session = await bridge.request('tour.start', {});
      go(session.id);
    },
    toggleList() {
      change((state) => withList(state, !state.listOpen));
      followPanel(layout.getState().listOpen, 'chats');
    },
    toggleDock() {
      change((state) => withDock(state, !state.dockOpen));
      followPanel(layout.getState().dockOpen, 'dock');
    },
    setOverlay(overlay) { change((state) => ({ ...state, overlay })); },
    focusComposer,
  };
}
