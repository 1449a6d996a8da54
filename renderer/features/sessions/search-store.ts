/** What is searched for: kept while the list of chats is hidden, which takes it out of the page. */
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { NO_FILTER, type SearchFilter } from './search-filter.ts';

interface Searched {
  readonly query: string;
  readonly filter: SearchFilter;
  /** True while the form of the filter is shown. */
  readonly filtering: boolean;
}

const store = createStore<Searched>()(() => ({ query: '', filter: NO_FILTER, filtering: false }));

export const searched = { set(change: Partial<Searched>): void { store.setState(change); } };

export function useSearched(): Searched {
  return useStore(store);
}
