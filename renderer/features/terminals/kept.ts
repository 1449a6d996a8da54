/** Which terminals a window shows, over a reload and a restart of the app. */
import type { StoreApi } from 'zustand/vanilla';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { MOST_PANES } from './model.ts';
import type { Arrangement, Direction, Filter, TerminalsModel } from './model.ts';

const KEY = 'talaria.terminals';
const FILTERS: readonly Filter[] = ['all', 'chat', 'background', 'own'];
const DIRECTIONS: readonly Direction[] = ['beside', 'below'];

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** What was kept; empty when it is nothing or unreadable. Terminals that are gone meanwhile drop out once the list is there. */
export function readArrangement(text: string | null): Partial<Arrangement> {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? 'null');
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
  if (typeof kept !== 'object' || kept === null) return {};
  const { selected, panes, direction, filter } = kept as Partial<Record<keyof Arrangement, unknown>>; // an object, whose members are looked at here
  const isId = (value: unknown): value is TerminalId => typeof value === 'string'; // the host's list says which of them are terminals
  const knownFilter = FILTERS.find((name) => name === filter);
  const knownDirection = DIRECTIONS.find((name) => name === direction);
  return {
    ...(isId(selected) ? { selected } : {}), ...(Array.isArray(panes) ? { panes: [...new Set(panes.filter(isId))].filter((id) => id !== selected).slice(-MOST_PANES) } : {}),
    ...(knownFilter === undefined ? {} : { filter: knownFilter }), ...(knownDirection === undefined ? {} : { direction: knownDirection }),
  };
}

/** The window's own arrangement, or for a new window that of the last one. */
export function keptArrangement(own: Store = sessionStorage, last: Store = localStorage): Partial<Arrangement> {
  return readArrangement(own.getItem(KEY) ?? last.getItem(KEY));
}

/** Keeps each change from the moment the list is known: before that, what is kept is not looked at yet. */
export function keepArrangement(store: StoreApi<TerminalsModel>, stores: readonly Store[] = [sessionStorage, localStorage]): () => void {
  let before = '';
  return store.subscribe(({ status, selected, panes, direction, filter }) => {
    if (status !== 'ready') return;
    const now = JSON.stringify({ selected, panes, direction, filter } satisfies Arrangement);
    if (now === before) return;
    before = now;
    for (const kept of stores) kept.setItem(KEY, now);
  });
}
