import { useEffect } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Talaria } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { emptyAllowlist, withoutEntry } from './model.ts';
import type { AllowlistModel } from './model.ts';

export interface AllowlistActions {
  reload(): Promise<void>;
  /** Rejects when the host refused. */
  add(entry: string): Promise<void>;
  /** Rejects when the host refused; the entry is then back in the list. */
  remove(entry: string): Promise<void>;
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

const store = createStore<AllowlistModel>()(() => emptyAllowlist);
export const allowlist = allowlistActions(bridge, store);

/** Keeps the list in step with config.yaml while it is looked at. */
export function useAllowlist(): AllowlistModel {
  useEffect(() => {
    void allowlist.reload();
    const off = [
      bridge.subscribe('allowlist', () => { void allowlist.reload(); }),
      bridge.onStatus((status) => { if (status === 'open') void allowlist.reload(); }),
    ];
    return () => { for (const end of off) end(); };
  }, []);
  return useStore(store);
}
