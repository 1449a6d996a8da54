/** What of the window is shown: which side panels, which dock tab, which overlay. Pure transitions over one store. */
import { createStore } from 'zustand/vanilla';
import type { StoreApi } from 'zustand/vanilla';
import type { MessageId } from '../../preload/contract/index.ts';
import type { DockTab } from '../ui/frame.tsx';
import type { Route } from './route.ts';

export interface Layout {
  readonly route: Route;
  readonly listOpen: boolean;
  readonly dockOpen: boolean;
  readonly dockTab: DockTab;
  /** True below `NARROW_PX`: side panels lie over the chat, one at a time. */
  readonly narrow: boolean;
  /** What was open before the window got narrow, for when it is wide again. */
  readonly whenWide: { readonly listOpen: boolean; readonly dockOpen: boolean };
  readonly overlay: 'palette' | 'help' | undefined;
  /** A message of the open chat to bring into view. */
  readonly target: MessageId | undefined;
}

/** Narrower windows have no room for a chat of readable width beside both panels. */
export const NARROW_PX = 1_000;

export function withNarrow(layout: Layout, narrow: boolean): Layout {
  if (narrow === layout.narrow) return layout;
  const { listOpen, dockOpen } = layout;
  return narrow ? { ...layout, narrow, whenWide: { listOpen, dockOpen }, listOpen: false, dockOpen: false } : { ...layout, narrow, ...layout.whenWide };
}

export function withList(layout: Layout, listOpen: boolean): Layout {
  return { ...layout, listOpen, dockOpen: layout.narrow && listOpen ? false : layout.dockOpen };
}

export function withDock(layout: Layout, dockOpen: boolean, dockTab: DockTab = layout.dockTab): Layout {
  return { ...layout, dockOpen, dockTab, listOpen: layout.narrow && dockOpen ? false : layout.listOpen };
}

/** Going somewhere puts away what lies over the page. */
export function withRoute(layout: Layout, route: Route, target?: MessageId): Layout {
  return { ...layout, route, target, overlay: undefined, listOpen: layout.narrow ? false : layout.listOpen };
}

interface Kept {
  readonly listOpen: boolean;
  readonly dockOpen: boolean;
  readonly dockTab: DockTab;
}

const KEY = 'talaria.layout';
const DOCK_TABS: readonly DockTab[] = ['terminals', 'approvals', 'toolsets'];

/** What the last window looked like; anything unreadable counts as the first start. */
export function loadKept(text: string | null): Kept {
  const first: Kept = { listOpen: true, dockOpen: true, dockTab: 'terminals' };
  if (text === null) return first;
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return first;
    throw error;
  }
  if (typeof kept !== 'object' || kept === null) return first;
  const read = (name: 'listOpen' | 'dockOpen'): boolean => (name in kept && typeof kept[name as never] === 'boolean' ? kept[name as never] : first[name]); // `in` and `typeof` have just checked it
  const tab = 'dockTab' in kept ? DOCK_TABS.find((name) => name === kept.dockTab) : undefined;
  return { listOpen: read('listOpen'), dockOpen: read('dockOpen'), dockTab: tab ?? first.dockTab };
}

/** The window's layout, remembered for the next one. `narrow` is read from the window's width. */
export function createLayout(route: Route, width: number): StoreApi<Layout> {
  const kept = loadKept(localStorage.getItem(KEY));
  const wide: Layout = { route, ...kept, narrow: false, whenWide: kept, overlay: undefined, target: undefined };
  const store = createStore<Layout>()(() => withNarrow(wide, width < NARROW_PX));
  store.subscribe((layout) => {
    if (layout.narrow) return;
    const { listOpen, dockOpen, dockTab } = layout;
    localStorage.setItem(KEY, JSON.stringify({ listOpen, dockOpen, dockTab } satisfies Kept));
  });
  return store;
}
