import { useState } from 'react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { classNames } from '../../ui/class-names.ts';
import { emptyAlwaysForm } from './always-form.ts';
import { AlwaysPanel } from './always-panel.tsx';
import { EditPanel } from './edit-panel.tsx';
import { GuardedButton } from './guarded-button.tsx';
import { approvals, update, useApprovals } from './live.ts';
import { mustReadFirst, whyNoAlways, withStep } from './model.ts';
import { ConfirmHint } from './panel.tsx';
import type { PanelProps } from './panel.tsx';
import { ReasonPanel } from './reason-panel.tsx';
import type { CardGuardState } from './use-card-guard.ts';

export interface CardActionsProps {
  readonly request: ApprovalRequest;
  readonly guard: CardGuardState;
  readonly note: string | undefined;
  readonly armed: boolean;
  readonly onAnswered: () => void;
}

/** The row of choices, or the panel that one of them opened. On the armed card it sticks to the lower edge of whatever scrolls. */
export function CardActions({ request, guard, note, armed, onAnswered }: CardActionsProps) {
  const { id } = request;
  const step = useApprovals((model) => (model.step?.id === id ? model.step : undefined));
  const busy = useApprovals((model) => model.busy.has(id));
  const unread = useApprovals((model) => mustReadFirst(model, request));
  const [refused, setRefused] = useState<string>();
  const noAlways = whyNoAlways(request);

  const panel: PanelProps = {
    request, guard, busy,
    onAnswer: (answer) => {
      onAnswered();
      void approvals.decide(id, answer);
    },
    onRefused: setRefused,
    onClose: () => {
      setRefused(undefined);
      update((model) => withStep(model, undefined));
    },
  };
  const shared = { guard, busy, onRefused: setRefused, size: 'medium' as const };
  const yes = { ...shared, approves: true, disabled: unread, ...(unread ? { title: 'Read the command to its end first' } : {}) };

  return (
    <footer className={classNames('rounded-b-lg border-t border-line bg-raised px-3 py-2', armed ? 'sticky bottom-0 z-1' : 'relative')}>
      {step?.kind === 'always' ? <AlwaysPanel {...panel} step={step} /> : null}
      {step?.kind === 'edit' ? <EditPanel {...panel} step={step} /> : null}
      {step?.kind === 'reason' ? <ReasonPanel {...panel} step={step} /> : null}
      {step === undefined || step.kind === 'confirm' ? (
        <div className="flex flex-wrap items-center justify-between gap-1.5">
          <span className="flex flex-wrap gap-1.5">
            <GuardedButton {...yes} tone="primary" onPress={() => { panel.onAnswer({ choice: 'once' }); }}>Run once</GuardedButton>
            {request.allowSession ? <GuardedButton {...yes} onPress={() => { panel.onAnswer({ choice: 'session' }); }}>Run for this chat</GuardedButton> : null}
            <GuardedButton
              {...shared} disabled={noAlways !== undefined || unread} {...(noAlways === undefined ? {} : { title: noAlways })}
              onPress={() => { update((model) => withStep(model, { kind: 'always', id, form: emptyAlwaysForm, confirm: false })); }}
            >
              Always…
            </GuardedButton>
            <GuardedButton {...shared} onPress={() => { update((model) => withStep(model, { kind: 'edit', id, text: request.command, confirm: false })); }}>Edit</GuardedButton>
          </span>
          <span className="flex flex-wrap gap-1.5">
            <GuardedButton {...shared} onPress={() => { panel.onAnswer({ choice: 'deny' }); }}>Deny</GuardedButton>
            <GuardedButton {...shared} onPress={() => { update((model) => withStep(model, { kind: 'reason', id, text: '' })); }}>Deny and say why</GuardedButton>
          </span>
        </div>
      ) : null}
      {noAlways === undefined || step !== undefined ? null : <p className="mt-1.5 text-xs wrap-anywhere text-muted">No “Always…”: {noAlways}</p>}
      {note === undefined && refused === undefined ? null : (
        <p role="status" className="mt-1.5 text-xs font-medium wrap-anywhere text-warn">{refused ?? note}</p>
      )}
      {/* Laid over the rest: a line more or less would move the card, and a card that moved takes no key. */}
      {step?.kind === 'confirm' ? <div className="absolute inset-0 flex items-center rounded-b-lg bg-accent-soft px-3"><ConfirmHint what="run it once" /></div> : null}
    </footer>
  );
}
