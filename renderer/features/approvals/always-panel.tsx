import { useEffect, useRef } from 'react';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { failureWords } from '../../ui/failure.ts';
import { alwaysAnswer, wayOf, withReach } from './always-form.ts';
import type { AlwaysForm, Offer } from './always-form.ts';
import { AlwaysLevels } from './always-levels.tsx';
import { AlwaysOutcome } from './always-outcome.tsx';
import { AlwaysReach } from './always-reach.tsx';
import { AlwaysSaved } from './always-saved.tsx';
import { GuardedButton } from './guarded-button.tsx';
import { approvalsStore, update } from './live.ts';
import { withAlwaysForm } from './model.ts';
import type { CardStep } from './model.ts';
import { ConfirmHint } from './panel.tsx';
import type { PanelProps } from './panel.tsx';

/** Puts a standing rule together: how general, where, how long; and says exactly what will be saved. */
export function AlwaysPanel({ request, guard, busy, step, onAnswer, onRefused, onClose }: PanelProps & { readonly step: Extract<CardStep, { kind: 'always' }> }) {
  const { id } = request;
  const { form } = step;
  const { scope, anyBackend } = form;
  const heading = useRef<HTMLParagraphElement>(null);
  const change = (next: (form: AlwaysForm) => AlwaysForm): void => { update((model) => withAlwaysForm(model, id, next)); };
  useEffect(() => { heading.current?.focus({ preventScroll: true }); }, []);

  useEffect(() => {
    let current = true;
    const offer = (found: Offer): void => {
      if (!current) return;
      const now = approvalsStore.getState().step;
      const same = now?.kind === 'always' && now.id === id && now.form.scope === scope && now.form.anyBackend === anyBackend;
      if (same) update((model) => withAlwaysForm(model, id, (before) => ({ ...before, offer: found })));
    };
    bridge.request('approvalRules.preview', { id, scope, anyBackend }).then(
      (preview) => { offer({ state: 'ready', preview }); },
      (error: unknown) => { offer({ state: 'failed', why: failureWords(error) }); },
    );
    return () => { current = false; };
  }, [id, scope, anyBackend]);

  const answer = alwaysAnswer(form);
  const save = (): void => { if (answer !== undefined) onAnswer(answer); };
  return (
    <div role="group" aria-label="Always allow" className="flex flex-col gap-2">
      <p ref={heading} tabIndex={-1} className="font-medium outline-none">What may run without asking from now on</p>
      {/* As tall whatever is offered: what the host finds out must not push the buttons. */}
      <div className="flex h-[min(28vh,260px)] flex-col gap-2.5 overflow-y-auto pr-1">
        <AlwaysLevels request={request} form={form} onChange={change} />
        {wayOf(form) === 'rule' ? (
          <AlwaysReach
            request={request} form={form} onReach={(reach) => { change((before) => withReach(before, reach)); }} onChange={change} onEscape={onClose}
          />
        ) : null}
        <AlwaysOutcome form={form} />
      </div>
      <AlwaysSaved request={request} form={form} />
      <div className="flex flex-wrap items-center gap-1.5">
        <GuardedButton guard={guard} busy={busy} approves tone="primary" disabled={answer === undefined} onRefused={onRefused} onPress={save}>Save and run</GuardedButton>
        <Button onClick={onClose}>Back</Button>
        {step.confirm ? <ConfirmHint what="save and run" /> : null}
      </div>
    </div>
  );
}
