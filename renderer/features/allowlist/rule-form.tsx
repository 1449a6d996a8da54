import { useEffect, useRef, useState } from 'react';
import type { ApprovalRule, RuleDraft } from '../../../preload/contract/approval-rules.ts';
import { Button } from '../../ui/button.tsx';
import { failureWords } from '../../ui/failure.ts';
import { Field } from '../../ui/field.tsx';
import { Input, Select, Textarea } from '../../ui/input.tsx';
import { Radio, Radios } from '../../ui/radios.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { draftFrom, emptyRuleForm, formOf } from './rule-form-model.ts';
import type { Lasts, RuleForm as Form } from './rule-form-model.ts';
import { EFFECTS, matchText } from './rules-model.ts';

const BACKENDS = ['local', 'docker', 'ssh', 'singularity', 'modal', 'daytona', 'vercel_sandbox'] as const;

interface RuleFormProps {
  /** The rule that is edited; undefined for a new one. */
  readonly rule?: ApprovalRule;
  /** Rejects when the host refuses; its words stand in the form then. */
  readonly onSave: (draft: RuleDraft) => Promise<void>;
  readonly onClose: () => void;
}

/** Writes a rule that asks or forbids, or changes how far any rule goes. Counts from the next command on. */
export function RuleForm({ rule, onSave, onClose }: RuleFormProps) {
  const [form, setForm] = useState<Form>(() => (rule === undefined ? emptyRuleForm : formOf(rule, Date.now())));
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const first = useRef<HTMLFormElement>(null);
  useEffect(() => { first.current?.querySelector<HTMLElement>('input:not([type="radio"]), input:checked, select, textarea')?.focus(); }, []);
  const change = (part: Partial<Form>): void => {
    setForm((before) => ({ ...before, ...part }));
    setProblem(undefined);
  };
  const save = (): void => {
    const drafted = draftFrom(form, rule, Date.now());
    if ('problem' in drafted) {
      setProblem(drafted.problem);
      return;
    }
    setBusy(true);
    onSave(drafted.draft).then(onClose, (error: unknown) => { setProblem(failureWords(error)); setBusy(false); });
  };
  return (
    <form
      ref={first} aria-label={rule === undefined ? 'New rule' : `Change the rule ${rule.kind} ${matchText(rule).slice(0, 80)}`} className="flex flex-col gap-2.5 rounded-lg border border-line bg-panel p-3"
      onSubmit={(event) => { event.preventDefault(); save(); }} onKeyDown={(event) => { if (event.key === 'Escape') onClose(); }}
    >
      <What form={form} rule={rule} onChange={change} />
      <Limits form={form} inChat={rule?.scope.kind === 'chat'} onChange={change} />
      <Examples form={form} onChange={change} />
      {problem === undefined ? null : <p role="alert" className="text-xs wrap-anywhere text-danger">{problem}</p>}
      <div className="flex gap-1.5">
        <Button type="submit" tone="primary" busy={busy}>{rule === undefined ? 'Add the rule' : 'Save'}</Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

interface PartProps { readonly form: Form; readonly onChange: (part: Partial<Form>) => void }

function What({ form, rule, onChange }: PartProps & { readonly rule: ApprovalRule | undefined }) {
  if (rule?.kind === 'allow') {
    return (
      <div className="flex flex-col gap-1">
        <code className="text-xs wrap-anywhere whitespace-pre-wrap"><VisibleText text={matchText({ ...rule, anyArgs: form.anyArgs })} /></code>
        <label className="inline-flex min-h-6 items-center gap-1.5 text-xs">
          <input type="checkbox" checked={form.anyArgs} className="size-3.5 accent-accent" onChange={(event) => { onChange({ anyArgs: event.target.checked }); }} />
          Any further words may follow
        </label>
      </div>
    );
  }
  return (
    <>
      {rule === undefined ? (
        <Radios legend="What it does">
          {(name) => (['deny', 'ask'] as const).map((kind) => <Radio key={kind} name={name} checked={form.kind === kind} onChoose={() => { onChange({ kind }); }}>{EFFECTS[kind].meaning}</Radio>)}
        </Radios>
      ) : null}
      <Field label="Pattern" hint="A whole command as it would be typed; * stands for anything, ? for one character. Holds for each command in a line, behind sudo too. Case does not count.">
        {(control) => <Input {...control} value={form.pattern} maxLength={1_000} placeholder="npm publish*" className="font-mono text-xs" onChange={(event) => { onChange({ pattern: event.target.value }); }} />}
      </Field>
    </>
  );
}

const LASTS: readonly { readonly lasts: Lasts; readonly words: string }[] = [{ lasts: 'for-good', words: 'For good' }, { lasts: 'days', words: 'Days' }, { lasts: 'uses', words: 'Times' }];

function Limits({ form, inChat, onChange }: PartProps & { readonly inChat: boolean }) {
  const backends = form.backend === '' || BACKENDS.some((name) => name === form.backend) ? BACKENDS : [...BACKENDS, form.backend];
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-2.5">
      <Radios legend="Where">
        {(name) => (
          <>
            {inChat ? <Radio name={name} checked={form.where === 'chat'} onChoose={() => { onChange({ where: 'chat' }); }}>Its chat</Radio> : null}
            <Radio name={name} checked={form.where === 'project'} onChoose={() => { onChange({ where: 'project' }); }}>Below a directory</Radio>
            <Radio name={name} checked={form.where === 'everywhere'} onChoose={() => { onChange({ where: 'everywhere' }); }}>Everywhere</Radio>
            {form.where === 'project' ? <Input aria-label="Directory" value={form.directory} maxLength={4_000} placeholder="/home/me/project" className="w-56 font-mono text-xs" onChange={(event) => { onChange({ directory: event.target.value }); }} /> : null}
          </>
        )}
      </Radios>
      <Radios legend="How long">
        {(name) => (
          <>
            {LASTS.map(({ lasts, words }) => <Radio key={lasts} name={name} checked={form.lasts === lasts} onChoose={() => { onChange({ lasts }); }}>{words}</Radio>)}
            {form.lasts === 'for-good' ? null : <Input inputMode="numeric" aria-label={form.lasts === 'days' ? 'How many days' : 'How many times'} value={form.amount} maxLength={7} className="w-20 text-xs" onChange={(event) => { onChange({ amount: event.target.value }); }} />}
          </>
        )}
      </Radios>
      <Field label="Backend">
        {(control) => (
          <Select {...control} value={form.backend} className="text-xs" onChange={(event) => { onChange({ backend: event.target.value }); }}>
            <option value="">Any</option>
            {backends.map((name) => <option key={name} value={name}>{name}</option>)}
          </Select>
        )}
      </Field>
    </div>
  );
}

function Examples({ form, onChange }: PartProps) {
  return (
    <div className="grid gap-2.5 sm:grid-cols-2">
      <Field label="Must match" hint="One command a line. Checked now and whenever rules are read.">
        {(control) => <Textarea {...control} rows={2} value={form.matches} className="field-sizing-content max-h-32 font-mono text-xs" onChange={(event) => { onChange({ matches: event.target.value }); }} />}
      </Field>
      <Field label="Must never match" hint="One command a line.">
        {(control) => <Textarea {...control} rows={2} value={form.not} className="field-sizing-content max-h-32 font-mono text-xs" onChange={(event) => { onChange({ not: event.target.value }); }} />}
      </Field>
    </div>
  );
}
