import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Textarea } from '../../ui/input.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { GuardedButton } from './guarded-button.tsx';
import { update } from './live.ts';
import type { CardStep } from './model.ts';
import { withStep } from './model.ts';
import type { PanelProps } from './panel.tsx';

/** The contract's limit. */
const MAX_REASON_CHARS = 4_000;

export function ReasonPanel({ guard, busy, step, onAnswer, onRefused, onClose }: PanelProps & { readonly step: Extract<CardStep, { kind: 'reason' }> }) {
  const deny = (): void => {
    const reason = step.text.trim();
    onAnswer(reason === '' ? { choice: 'deny' } : { choice: 'deny', reason });
  };
  return (
    <div role="group" aria-label="Deny and say why" className="flex flex-col gap-2">
      <Field label="Why not? The model reads this." hint="Say what to do instead, if you know.">
        {(control) => (
          <Textarea
            {...control} autoFocus rows={2} maxLength={MAX_REASON_CHARS} value={step.text}
            onChange={(event) => { const text = event.target.value; update((model) => withStep(model, { ...step, text })); }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onClose();
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && guard.accepts(event.timeStamp)) deny();
            }}
          />
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-1.5">
        <GuardedButton guard={guard} busy={busy} tone="primary" onRefused={onRefused} onPress={deny}>Deny</GuardedButton>
        <Button onClick={onClose}>Back</Button>
        <span className="inline-flex items-center gap-1 text-xs text-muted"><Kbd keys="Mod+Enter" />sends it</span>
      </div>
    </div>
  );
}
