import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { bridge } from '../../bridge.ts';
import { rulesActions } from './rules-actions.ts';
import { emptyRules } from './rules-model.ts';
import type { RulesModel } from './rules-model.ts';

const store = createStore<RulesModel>()(() => emptyRules);
export const rules = rulesActions(bridge, store);

/** Keeps the stored rules in step with the host while they are looked at. */
export function useRules(): RulesModel {
  useEffect(() => {
    void rules.reload();
    const off = [
      bridge.subscribe('allowlist', () => { void rules.reload(); }),
      bridge.onStatus((status) => { if (status === 'open') void rules.reload(); }),
    ];
    return () => { for (const end of off) end(); };
  }, []);
  return useStore(store);
}
