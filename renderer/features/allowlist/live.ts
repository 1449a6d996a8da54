import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { bridge } from '../../bridge.ts';
import { allowlistActions } from './actions.ts';
import { emptyAllowlist } from './model.ts';
import type { AllowlistModel } from './model.ts';

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
