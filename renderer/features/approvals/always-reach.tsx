import { useId } from 'react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { Input } from '../../ui/input.tsx';
import { Radio, Radios } from '../../ui/radios.tsx';
import { LASTING, MOST_USES, usesOf } from './always-form.ts';
import type { AlwaysForm, RuleScopeName } from './always-form.ts';

const SCOPES: readonly { readonly scope: RuleScopeName; readonly words: string }[] = [
  { scope: 'chat', words: 'This chat' }, { scope: 'project', words: 'This project' }, { scope: 'everywhere', words: 'Everywhere' },
];

interface ReachProps {
  readonly request: ApprovalRequest;
  readonly form: AlwaysForm;
  readonly onReach: (reach: Partial<Pick<AlwaysForm, 'scope' | 'anyBackend'>>) => void;
  readonly onChange: (next: (form: AlwaysForm) => AlwaysForm) => void;
  readonly onEscape: () => void;
}

/** Where the rule holds, on which backends, and for how long. */
export function AlwaysReach({ request, form, onReach, onChange, onEscape }: ReachProps) {
  const wrong = form.lasting === 'uses' && usesOf(form) === undefined;
  const noteId = useId();
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-2">
      <Radios legend="Where">
        {(name) => SCOPES.map(({ scope, words }) => <Radio key={scope} name={name} checked={form.scope === scope} onChoose={() => { onReach({ scope }); }}>{words}</Radio>)}
      </Radios>
      <Radios legend="Backend">
        {(name) => [false, true].map((anyBackend) => (
          <Radio key={String(anyBackend)} name={name} checked={form.anyBackend === anyBackend} onChoose={() => { onReach({ anyBackend }); }}>{anyBackend ? 'Any' : `Only ${request.backend}`}</Radio>
        ))}
      </Radios>
      <Radios legend="How long">
        {(name) => (
          <>
            {LASTING.map(({ lasting, words }) => <Radio key={lasting} name={name} checked={form.lasting === lasting} onChoose={() => { onChange((before) => ({ ...before, lasting })); }}>{words}</Radio>)}
            {form.lasting === 'uses' ? (
              <Input
                inputMode="numeric" aria-label="How many times" aria-invalid={wrong || undefined} aria-describedby={wrong ? noteId : undefined} value={form.uses} maxLength={7} className="w-20 text-xs"
                onChange={(event) => { const uses = event.target.value; onChange((before) => ({ ...before, uses })); }}
                onKeyDown={(event) => { if (event.key === 'Escape') onEscape(); }}
              />
            ) : null}
            {wrong ? <p id={noteId} className="text-xs text-danger">A whole number from 1 to {MOST_USES.toLocaleString('en')}.</p> : null}
          </>
        )}
      </Radios>
    </div>
  );
}
