/** The approvals of this page: one store, kept in step with the host from the first component that looks at it. */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import { bridge } from '../../bridge.ts';
import { announce } from '../../ui/announcer.tsx';
import { approvalActions, followApprovals } from './actions.ts';
import { emptyAlwaysForm } from './always-form.ts';
import { anyCardInSight, cardsInSight, commandInSight, drawnCards, scrollToCommand } from './drawn.ts';
import type { DrawnCard } from './drawn.ts';
import { keyDeed } from './keys.ts';
import type { KeyDeed } from './keys.ts';
import { OUT_OF_SIGHT, PRESS_AGAIN, TOO_SOON } from './guard.ts';
import { arm, emptyApprovals, moveArmed, openIds, withNote, withStep } from './model.ts';
import type { ApprovalsModel } from './model.ts';
import { runPrepared } from './prepared.ts';

export const approvalsStore = createStore<ApprovalsModel>()(() => emptyApprovals);
export const approvals = approvalActions(bridge, approvalsStore);

let following = false;

function follow(): void {
  if (following) return;
  following = true;
  followApprovals(bridge, approvalsStore, approvals);
  approvalsStore.subscribe((now, before) => { if (now.announcement !== before.announcement) announce(now.announcement, 'assertive'); });
  document.addEventListener('keydown', onKey, true);
  /** A yes that waits for Enter does not outlast a click or a look elsewhere. */
  const dropConfirm = (): void => { update((model) => withStep(model, model.step?.kind === 'confirm' ? undefined : model.step)); };
  window.addEventListener('blur', dropConfirm);
  document.addEventListener('pointerdown', dropConfirm, true);
}

export function update(change: (model: ApprovalsModel) => ApprovalsModel): void {
  approvalsStore.setState(change, true);
}

export function useApprovals<T>(select: (model: ApprovalsModel) => T): T {
  useEffect(follow, []);
  return useStore(approvalsStore, select);
}

/** Arms a card and brings it into sight with the focus on it. */
export function focusApproval(id: ApprovalId): void {
  update((model) => arm(model, id));
  const card = cardsInSight(id)[0] ?? drawnCards(id).find(({ element }) => element.checkVisibility());
  card?.element.scrollIntoView({ block: 'nearest' });
  card?.element.focus({ preventScroll: true });
}

/** Where letters are text, or mean something to a list that is open. */
const TYPING = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable]:not([contenteditable="false"]), .xterm, [role="menu"], [role="listbox"], [role="combobox"]';

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || (event.target instanceof Element && event.target.closest(TYPING) !== null)) return;
  const model = approvalsStore.getState();
  const deed = keyDeed(model, { key: event.key, modified: event.ctrlKey || event.altKey || event.metaKey, repeated: event.repeat });
  if (deed === undefined) {
    if (model.step?.kind === 'confirm' && event.key !== 'Shift') update((current) => withStep(current, undefined));
    return;
  }
  if (deed.kind === 'cancel') {
    update((current) => withStep(current, undefined));
    if (model.armed !== undefined) cardsInSight(model.armed)[0]?.element.focus({ preventScroll: true });
  } else if (deed.kind === 'move') {
    if (!anyCardInSight(openIds(model))) return;
    const { armed } = moveArmed(model, deed.by);
    if (armed !== undefined) focusApproval(armed);
  } else {
    const cards = cardsInSight(deed.id);
    if (cards.length === 0) return;
    const ready = cards.filter(({ element, guard }) => guard.accepts(element.getBoundingClientRect(), document.hasFocus(), event.timeStamp));
    /** Of the two places where a card may be drawn, the one that shows what is decided about. */
    const card = ready.find(({ element }) => element.contains(document.activeElement) && commandInSight({ element })) ?? ready.find(commandInSight) ?? ready[0];
    if (card === undefined) update((current) => withNote(current, deed.id, TOO_SOON));
    else {
      if (isHint(model.notes.get(deed.id)) && deed.kind !== 'ask-confirm') update((current) => withNote(current, deed.id, undefined));
      act(deed, card);
    }
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Words about a key that was not taken; they go when one is. */
function isHint(note: string | undefined): boolean {
  return note === TOO_SOON || note === OUT_OF_SIGHT || note === PRESS_AGAIN;
}

function act(deed: Exclude<KeyDeed, { kind: 'move' | 'cancel' }>, card: DrawnCard): void {
  const { step, byId } = approvalsStore.getState();
  const { id } = deed;
  const request = byId.get(id);
  if (request === undefined) return;
  switch (deed.kind) {
    case 'ask-confirm':
      if (!commandInSight(card)) {
        scrollToCommand(card.element);
        update((model) => withNote(model, id, OUT_OF_SIGHT));
        break;
      }
      /** Off any button, so that the Enter to come can only mean this. */
      card.element.focus({ preventScroll: true });
      update((model) => withStep(model, (step?.kind === 'always' || step?.kind === 'edit') && step.id === id ? { ...step, confirm: true } : { kind: 'confirm', id }));
      break;
    case 'confirm':
      if (!commandInSight(card)) {
        scrollToCommand(card.element);
        update((model) => withNote(withStep(model, undefined), id, OUT_OF_SIGHT));
        break;
      }
      card.markAnswered();
      runPrepared(approvals, request, step);
      break;
    case 'deny':
      /** A word typed beside the field that it was meant for may begin with N: the first one only goes to the card. */
      if (!card.element.contains(document.activeElement)) {
        card.element.focus({ preventScroll: true });
        /** Wherever it is drawn: the next press must not go to its twin and begin anew. */
        for (const { guard } of cardsInSight(id)) guard.disturb();
        update((model) => withNote(model, id, PRESS_AGAIN));
        break;
      }
      card.markAnswered();
      void approvals.decide(id, { choice: 'deny' });
      break;
    case 'open-always': update((model) => withStep(model, { kind: 'always', id, form: emptyAlwaysForm, confirm: false })); break;
    case 'open-reason': update((model) => withStep(model, { kind: 'reason', id, text: '' })); break;
    case 'open-edit': update((model) => withStep(model, { kind: 'edit', id, text: request.command, confirm: false })); break;
    case 'toggle-hold': void approvals.hold(id, deed.held); break;
  }
}
