/** Everything the window is made of, built once and joined by subscriptions. */
import type { StoreApi } from 'zustand/vanilla';
import type { Talaria } from '../../preload/contract/index.ts';
import { createChat, everyFrame, onFinishedMessage } from '../features/chat/index.tsx';
import type { ChatFeature } from '../features/chat/index.tsx';
import { createModels } from '../features/models/index.tsx';
import type { ModelsFeature } from '../features/models/index.tsx';
import { createSessions, waitingCount } from '../features/sessions/index.tsx';
import type { SessionsFeature } from '../features/sessions/index.tsx';
import { announce } from '../ui/announcer.tsx';
import { createLayout, NARROW_PX, withNarrow, withRoute } from './layout.ts';
import type { Layout } from './layout.ts';
import { formatRoute, parseRoute } from './route.ts';
import { followTheme } from './theme.ts';

export interface Services {
  readonly layout: StoreApi<Layout>;
  readonly sessions: SessionsFeature;
  readonly chat: ChatFeature;
  readonly models: ModelsFeature;
}

export function createServices(bridge: Talaria): Services {
  const layout = createLayout(parseRoute(location.hash), innerWidth);
  const sessions = createSessions(bridge);
  const chat = createChat(bridge, everyFrame);
  const models = createModels(bridge);
  followTheme(bridge);
  followRoute(layout, sessions, chat);
  followTitle(layout, sessions);
  onFinishedMessage(chat.store, announce);
  const media = matchMedia(`(width < ${NARROW_PX}px)`);
  media.addEventListener('change', () => { layout.setState((state) => withNarrow(state, media.matches), true); });
  return { layout, sessions, chat, models };
}

/** Address, layout and open chat say the same. */
function followRoute(layout: StoreApi<Layout>, sessions: SessionsFeature, chat: ChatFeature): void {
  const settle = (): void => {
    const { route } = layout.getState();
    if (route.kind === 'start') {
      const { loaded, order } = sessions.store.getState();
      if (!loaded) return;
      const [latest] = order;
      layout.setState((state) => withRoute(state, latest === undefined ? { kind: 'new' } : { kind: 'chat', sessionId: latest }), true);
      return;
    }
    if (location.hash !== formatRoute(route)) history[location.hash === '' ? 'replaceState' : 'pushState'](null, '', formatRoute(route));
    if (route.kind === 'chat') chat.open(route.sessionId);
    else if (route.kind === 'new') chat.open(undefined);
  };
  layout.subscribe((state, before) => { if (state.route !== before.route) settle(); });
  sessions.store.subscribe(() => { if (layout.getState().route.kind === 'start') settle(); });
  addEventListener('popstate', () => { layout.setState((state) => withRoute(state, parseRoute(location.hash)), true); });
  settle();
}

/** "(2) Title of the chat · Talaria": the number is how many requests wait for the person. */
function followTitle(layout: StoreApi<Layout>, sessions: SessionsFeature): void {
  const draw = (): void => {
    const { route } = layout.getState();
    const state = sessions.store.getState();
    const waiting = waitingCount(state);
    const page = route.kind === 'chat' ? state.byId.get(route.sessionId)?.title : route.kind === 'settings' ? 'Settings' : undefined;
    document.title = `${waiting === 0 ? '' : `(${waiting}) `}${page === undefined ? '' : `${page} · `}Talaria`;
  };
  layout.subscribe((state, before) => { if (state.route !== before.route) draw(); });
  sessions.store.subscribe(draw);
  draw();
}
