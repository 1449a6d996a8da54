import type { RuleChoice } from '../../../preload/contract/approval-rules.ts';
import type { ApprovalChoice, ApprovalRequest } from '../../../preload/contract/approvals.ts';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { Talaria } from '../../../preload/contract/index.ts';
import type { StoreApi } from 'zustand/vanilla';
import { toErrorShape } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import {
  isOpen, openIds, pickNone, settledWords, withBusy, withFailure, withList, withNote, withRequest, withStep, type ApprovalsModel,
} from './model.ts';

export type ApprovalsStore = StoreApi<ApprovalsModel>;

export interface Answer {
  readonly choice: ApprovalChoice;
  readonly reason?: string;
  readonly editedCommand?: string;
  /** With `always`: the rule of ours to save instead of the lines of config.yaml. */
  readonly rule?: RuleChoice;
}

/** How far back a card looks for a request that was settled before this window opened. The contract's largest page. */
const LOOK_BACK = 1_000;

/** What a person's deeds do to the host and to the store. Nothing here throws: a refusal becomes words under the card. */
export interface ApprovalActions {
  /** Reads the open requests again. */
  reload(): Promise<void>;
  /** True when the answer counted. */
  decide(id: ApprovalId, answer: Answer): Promise<boolean>;
  /** Sends one answer to each, one after the other; a refusal leaves the rest. Returns how many counted. */
  decideEach(ids: readonly ApprovalId[], choice: 'once' | 'deny'): Promise<number>;
  hold(id: ApprovalId, held: boolean): Promise<void>;
  seen(id: ApprovalId): Promise<void>;
  /** Finds a request that is not in the store in the history. */
  lookUp(id: ApprovalId): Promise<void>;
  history(query: string, limit: number): Promise<ApprovalRequest[]>;
  /** Everything that has these words, as one text. Rejects when the host refuses. */
  exportHistory(query: string, format: 'json' | 'csv'): Promise<{ readonly text: string; readonly count: number }>;
}

export function approvalActions(talaria: Pick<Talaria, 'request'>, store: ApprovalsStore): ApprovalActions {
  const update = (change: (model: ApprovalsModel) => ApprovalsModel) => store.setState(change, true);
  let lookedBack: Promise<void> | undefined;

  async function reload(): Promise<void> {
    try {
      const requests = await talaria.request('approvals.list', {});
      update((model) => withList(model, requests));
    } catch (error) {
      update((model) => withFailure(model, failureWords(error)));
    }
  }

  async function readHistory(): Promise<void> {
    const past = await talaria.request('approvals.history', { limit: LOOK_BACK });
    update((model) => past.reduce((next, request) => (isOpen(request) ? next : withRequest(next, request)), model));
  }

  /** Says in words who was first, once the settled request is known. */
  async function tellLate(id: ApprovalId): Promise<void> {
    await reload();
    await readHistory();
    const settled = store.getState().byId.get(id);
    const outcome = settled === undefined || isOpen(settled) ? '' : ` It stands as: ${settledWords(settled)}.`;
    update((model) => withNote(model, id, `Your answer came too late and changed nothing.${outcome}`));
  }

  async function decide(id: ApprovalId, answer: Answer): Promise<boolean> {
    if (store.getState().busy.has(id)) return false;
    update((model) => withBusy(withNote(model, id, undefined), id, true));
    try {
      const settled = await talaria.request('approvals.decide', {
        id, choice: answer.choice,
        ...(answer.reason === undefined ? {} : { reason: answer.reason }),
        ...(answer.editedCommand === undefined ? {} : { editedCommand: answer.editedCommand }),
        ...(answer.rule === undefined ? {} : { rule: answer.rule }),
      });
      update((model) => withRequest(withBusy(model, id, false), settled));
      return true;
    } catch (error) {
      update((model) => withBusy(model, id, false));
      if (toErrorShape(error).code === 'approval/late') {
        await tellLate(id).catch((failure: unknown) => { update((model) => withNote(model, id, `Your answer came too late. ${failureWords(failure)}`)); });
      } else {
        update((model) => withNote(model, id, failureWords(error)));
      }
      return false;
    }
  }

  return {
    reload,
    decide,
    async decideEach(ids, choice) {
      const open = new Set(openIds(store.getState()));
      let counted = 0;
      for (const id of ids) if (open.has(id) && await decide(id, { choice })) counted += 1;
      update((model) => pickNone(withStep(model, undefined)));
      return counted;
    },
    async hold(id, held) {
      try {
        const request = await talaria.request('approvals.hold', { id, held });
        update((model) => withRequest(model, request));
      } catch (error) {
        if (toErrorShape(error).code === 'approval/late') await tellLate(id).catch((failure: unknown) => { update((model) => withNote(model, id, failureWords(failure))); });
        else update((model) => withNote(model, id, failureWords(error)));
      }
    },
    async seen(id) {
      try {
        await talaria.request('approvals.seen', { id });
      } catch (error) {
        /** Whoever settled it meanwhile has told every screen; only a real fault is worth words. */
        if (toErrorShape(error).code !== 'approval/late') update((model) => withNote(model, id, failureWords(error)));
      }
    },
    async lookUp(id) {
      if (store.getState().byId.has(id)) return;
      lookedBack ??= readHistory().catch((error: unknown) => {
        lookedBack = undefined;
        update((model) => withNote(model, id, failureWords(error)));
      });
      await lookedBack;
      if (!store.getState().byId.has(id)) {
        lookedBack = undefined;
        update((model) => withNote(model, id, 'This request is not in the history any more.'));
      }
    },
    async history(query, limit) {
      return talaria.request('approvals.history', query === '' ? { limit } : { query, limit });
    },
    async exportHistory(query, format) {
      return talaria.request('approvals.export', query === '' ? { format } : { query, format });
    },
  };
}

/** Keeps the store in step with the host for as long as the page lives. Returns what ends it. */
export function followApprovals(talaria: Talaria, store: ApprovalsStore, actions: Pick<ApprovalActions, 'reload'>): () => void {
  const off = [
    talaria.subscribe('approvals', (event) => { store.setState((model) => withRequest(model, event.request), true); }),
    /** A line that broke may have swallowed events: read the list again each time it is up. */
    talaria.onStatus((status) => { if (status === 'open') void actions.reload(); }),
  ];
  void actions.reload();
  return () => { for (const end of off) end(); };
}
