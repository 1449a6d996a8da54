import { useEffect, useState } from 'react';
import type { ListedRule } from '../../../preload/contract/approval-rules.ts';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { failureWords } from '../../ui/failure.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/input.tsx';
import { toasts } from '../../ui/toasts.tsx';

/** A decided command becomes an example of a rule, so that the rule cannot come to mean something else unnoticed. */
export function ExamplePanel({ request }: { readonly request: Pick<ApprovalRequest, 'command' | 'editedCommand' | 'state'> }) {
  const [open, setOpen] = useState(false);
  if (!open) return <Button size="small" className="self-start" onClick={() => { setOpen(true); }}>Save as an example of a rule…</Button>;
  return <Choose request={request} onClose={() => { setOpen(false); }} />;
}

function Choose({ request, onClose }: { readonly request: Pick<ApprovalRequest, 'command' | 'editedCommand' | 'state'>; readonly onClose: () => void }) {
  const [rules, setRules] = useState<readonly ListedRule[]>();
  const [chosen, setChosen] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    let current = true;
    bridge.request('approvalRules.list', {}).then((found) => { if (current) setRules(found); }, (error: unknown) => { if (current) setFailure(failureWords(error)); });
    return () => { current = false; };
  }, []);
  const listed = rules?.find(({ rule }) => rule.id === chosen) ?? rules?.[0];
  const save = (matches: boolean): void => {
    if (listed === undefined) return;
    setBusy(true);
    bridge.request('approvalRules.addExample', { id: listed.rule.id, command: request.editedCommand ?? request.command, matches }).then(
      () => {
        toasts.getState().show({ text: `The rule now ${matches ? 'must match' : 'must never match'} this command` });
        onClose();
      },
      (error: unknown) => { setFailure(failureWords(error)); setBusy(false); },
    );
  };
  return (
    <div role="group" aria-label="Save as an example of a rule" className="flex flex-col gap-1.5 rounded-md border border-line p-2">
      {rules !== undefined && rules.length === 0 ? <p>There is no rule of Talaria yet: “Always…” on a card makes one, or write one in Settings.</p> : (
        <Field label="Rule" hint="The example is checked now and whenever rules are read.">
          {(control) => (
            <Select {...control} disabled={rules === undefined} value={listed?.rule.id ?? ''} className="max-w-full text-xs" onChange={(event) => { setChosen(event.target.value); setFailure(undefined); }}>
              {rules?.map(({ rule, text }) => <option key={rule.id} value={rule.id}>{text.slice(0, 120)}</option>)}
            </Select>
          )}
        </Field>
      )}
      {failure === undefined ? null : <p role="alert" className="wrap-anywhere text-danger">{failure}</p>}
      <div className="flex flex-wrap gap-1.5">
        <Button size="small" busy={busy} disabled={listed === undefined} onClick={() => { save(true); }}>It must match this</Button>
        <Button size="small" busy={busy} disabled={listed === undefined} onClick={() => { save(false); }}>It must never match this</Button>
        <Button size="small" tone="ghost" onClick={onClose}>Cancel</Button>
      </div>
    </div>
  );
}
