/** The terminals of this page: one store, kept in step with the host from the first component that looks at it. */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { bridge } from '../../bridge.ts';
import { followTerminals, terminalActions } from './actions.ts';
import { keepArrangement, keptArrangement } from './kept.ts';
import { emptyTerminals, select, withFilter, withoutPane, withPane } from './model.ts';
import type { Direction, Filter, TerminalsModel } from './model.ts';
import { followPreferences, preferences } from './preferences.tsx';

const store = createStore<TerminalsModel>()(() => ({ ...emptyTerminals, ...keptArrangement() }));
export const terminals = terminalActions(bridge, store);

let following = false;

function follow(): void {
  if (following) return;
  following = true;
  followPreferences();
  keepArrangement(store);
  followTerminals(bridge, store, terminals, () => preferences().followNewest && (document.activeElement?.closest('[data-terminal]') ?? null) === null);
}

export function useTerminals<T>(read: (model: TerminalsModel) => T): T {
  useEffect(follow, []);
  return useStore(store, read);
}

/** Shows a terminal in the dock, whatever the filter hides. */
export function selectTerminal(id: TerminalId): void {
  store.setState((model) => withFilter(select(model, id), 'all'), true);
}

export function showSelected(id: TerminalId): void {
  store.setState((model) => select(model, id), true);
}

export function setFilter(filter: Filter): void {
  store.setState((model) => withFilter(model, filter), true);
}

/** Shows one more terminal next to those that are shown. */
export function showBeside(id: TerminalId, direction: Direction): void {
  store.setState((model) => withPane(model, id, direction), true);
}

export function closePane(id: TerminalId): void {
  store.setState((model) => withoutPane(model, id), true);
}
