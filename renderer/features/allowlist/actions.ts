import type { StoreApi } from 'zustand/vanilla';
import type { Talaria } from '../../../preload/contract/index.ts';
import { failureWords } from '../../ui/failure.ts';
import { withoutEntry } from './model.ts';
import type { AllowlistModel } from './model.ts';

export interface AllowlistActions {
  reload(): Promise<void>;
  /** Rejects when the host refused. */
  add(entry: string): Promise<void>;
  /** Rejects when the host refused; the entry is then back in the list. */
  remove(entry: string): Promise<void>;
  /** Puts a removed one back with its origin and use. Rejects when the host refused. */
  restore(entry: string): Promise<void>;
}

export function allowlistActions(talaria: Pick<Talaria, 'request'>, store: StoreApi<AllowlistModel>): AllowlistActions {
  async function reload(): Promise<void> {
    try {
      const entries = await talaria.request('allowlist.list', {});
      store.setState({ status: 'ready', failure: undefined, entries });
    } catch (error) {
      store.setState({ status: 'failed', failure: failureWords(error) });
    }
  }
  return {
    reload,
    async add(entry) {
      const entries = await talaria.request('allowlist.add', { entry });
      store.setState({ status: 'ready', failure: undefined, entries });
    },
    async restore(entry) {
      const entries = await talaria.request('allowlist.restore', { entry });
      store.setState({ status: 'ready', failure: undefined, entries });
    },
    async remove(entry) {
      store.setState((model) => withoutEntry(model, entry), true);
      try {
        const entries = await talaria.request('allowlist.remove', { entry });
        store.setState({ status: 'ready', failure: undefined, entries });
      } catch (error) {
        await reload();
        throw error;
      }
    },
  };
}
