import type { StoreApi } from 'zustand/vanilla';
import type { ApprovalRule, RuleDraft, RuleId } from '../../../preload/contract/approval-rules.ts';
import type { Talaria } from '../../../preload/contract/index.ts';
import { failureWords } from '../../ui/failure.ts';
import type { RulesModel } from './rules-model.ts';

export interface RulesActions {
  reload(): Promise<void>;
  /** Removes each, one after the other. Rejects at the first refusal; the list is then read again. */
  remove(rules: readonly ApprovalRule[]): Promise<void>;
  /** Puts them back as they were, with their origin and use. Rejects when the host refused. */
  restore(rules: readonly ApprovalRule[]): Promise<void>;
  /** Each rejects when the host refused. */
  add(draft: RuleDraft): Promise<void>;
  update(id: RuleId, draft: RuleDraft): Promise<void>;
}

export function rulesActions(talaria: Pick<Talaria, 'request'>, store: StoreApi<RulesModel>): RulesActions {
  const show = (rules: RulesModel['rules']): void => { store.setState({ status: 'ready', failure: undefined, rules }); };
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
    restore: async (back) => { show(await talaria.request('approvalRules.restore', { ids: back.map(({ id }) => id) })); },
    add: async (rule) => { show(await talaria.request('approvalRules.add', { rule })); },
    update: async (id, rule) => { show(await talaria.request('approvalRules.update', { id, rule })); },
  };
}
