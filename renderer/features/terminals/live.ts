/** The terminals of this page: one store, kept in step with the host from the first component that looks at it. */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { followTerminals, terminalActions } from './actions.ts';
import { emptyTerminals, select, withFilter } from './model.ts';
import type { Filter, TerminalsModel } from './model.ts';

const store = createStore<TerminalsModel>()(() => emptyTerminals);
export const terminals = terminalActions(bridge, store);

let following = false;

function follow(): void {
  if (following) return;
  following = true;
  followTerminals(bridge, store, terminals);
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

/** Words in a toast when a deed is refused. */
export function told(deed: Promise<unknown>, what: string): void {
  deed.catch((error: unknown) => { toasts.getState().show({ text: `${what}: ${failureWords(error)}`, tone: 'danger' }); });
}
