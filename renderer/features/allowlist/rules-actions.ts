import type { StoreApi } from 'zustand/vanilla';
import type { ApprovalRule } from '../../../preload/contract/approval-rules.ts';
import type { Talaria } from '../../../preload/contract/index.ts';
import { failureWords } from '../../ui/failure.ts';
import { draftOf } from './rules-model.ts';
import type { RulesModel } from './rules-model.ts';

export interface RulesActions {
  reload(): Promise<void>;
  /** Removes each, one after the other. Rejects at the first refusal; the list is then read again. */
  remove(rules: readonly ApprovalRule[]): Promise<void>;
  /** Adds each again, as new and unused. Rejects at the first refusal. */
  restore(rules: readonly ApprovalRule[]): Promise<void>;
}

export function rulesActions(talaria: Pick<Talaria, 'request'>, store: StoreApi<RulesModel>): RulesActions {
  async function reload(): Promise<void> {
    try {
      store.setState({ status: 'ready', failure: undefined, rules: await talaria.request('approvalRules.list', {}) });
    } catch (error) {
      store.setState({ status: 'failed', failure: failureWords(error) });
    }
  }
  async function each(rules: readonly ApprovalRule[], deed: (rule: ApprovalRule) => Promise<RulesModel['rules']>): Promise<void> {
    try {
      for (const rule of rules) store.setState({ status: 'ready', failure: undefined, rules: await deed(rule) });
    } catch (error) {
      await reload();
      throw error;
    }
  }
  return {
    reload,
    remove: (gone) => each(gone, ({ id }) => talaria.request('approvalRules.remove', { id })),
    restore: (back) => each(back, (rule) => talaria.request('approvalRules.add', { rule: draftOf(rule) })),
  };
}
