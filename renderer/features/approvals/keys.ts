/** The keys of the queue: what a key means, given what is armed and what is being done. Pure. */
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import { alwaysAnswer } from './always-form.ts';
import type { ApprovalsModel } from './model.ts';
import { isOpen, mustReadFirst, openIds, whyNoAlways } from './model.ts';

export type KeyDeed =
  | { readonly kind: 'move'; readonly by: 1 | -1 }
  /** Y: Enter is awaited. */
  | { readonly kind: 'ask-confirm'; readonly id: ApprovalId }
  /** Enter after Y: what was prepared on the card runs. */
  | { readonly kind: 'confirm'; readonly id: ApprovalId }
  | { readonly kind: 'deny'; readonly id: ApprovalId }
  | { readonly kind: 'open-always'; readonly id: ApprovalId }
  | { readonly kind: 'open-reason'; readonly id: ApprovalId }
  | { readonly kind: 'open-edit'; readonly id: ApprovalId }
  | { readonly kind: 'toggle-hold'; readonly id: ApprovalId; readonly held: boolean }
  | { readonly kind: 'cancel' };

export interface KeyPress {
  readonly key: string;
  /** True with Ctrl, Alt or Meta down. */
  readonly modified: boolean;
  /** True while the key is held down and repeats. */
  readonly repeated: boolean;
}

/** Undefined when the key means nothing here and may go on its way. Enter and Space alone never mean yes. */
export function keyDeed(model: ApprovalsModel, press: KeyPress): KeyDeed | undefined {
  if (press.modified || press.repeated) return undefined;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  if (key === 'j' || key === 'k') return openIds(model).length === 0 ? undefined : { kind: 'move', by: key === 'j' ? 1 : -1 };
  if (key === 'Escape') return model.step === undefined ? undefined : { kind: 'cancel' };

  const request = model.armed === undefined ? undefined : model.byId.get(model.armed);
  if (request === undefined || !isOpen(request) || model.busy.has(request.id)) return undefined;
  const { id } = request;
  switch (key) {
    case 'y': return mustReadFirst(model, request) || !isPrepared(model, id) ? undefined : { kind: 'ask-confirm', id };
    case 'Enter': return model.step?.id === id && isConfirming(model) ? { kind: 'confirm', id } : undefined;
    case 'n': return { kind: 'deny', id };
    case 'a': return whyNoAlways(request) === undefined && !mustReadFirst(model, request) ? { kind: 'open-always', id } : undefined;
    case 'r': return { kind: 'open-reason', id };
    case 'e': return { kind: 'open-edit', id };
    case 'h': return { kind: 'toggle-hold', id, held: request.state !== 'held' };
    default: return undefined;
  }
}

/** False while the rule to save is not known yet: there is nothing to say yes to. */
function isPrepared({ step }: ApprovalsModel, id: ApprovalId): boolean {
  return step?.kind !== 'always' || step.id !== id || alwaysAnswer(step.form) !== undefined;
}

function isConfirming(model: ApprovalsModel): boolean {
  const { step } = model;
  return step !== undefined && (step.kind === 'confirm' || ((step.kind === 'always' || step.kind === 'edit') && step.confirm));
}
