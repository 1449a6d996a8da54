import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { ErrorShape } from '../../../preload/contract/index.ts';
import { bridge, toErrorShape } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Input, Textarea } from '../../ui/input.tsx';
import { NOTHING_MADE, skills, useSkills } from './live.ts';
import { template } from './model.ts';

/** Makes a skill. What was typed stays until it is made. */
export function NewSkill() {
  const { name, category, text } = useSkills((model) => model.making);
  const categories = useSkills((model) => model.list?.skills) ?? [];
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<ErrorShape>();
  const shown = text ?? template(name.trim());
  const save = async (): Promise<void> => {
    setSaving(true);
    setRefused(undefined);
    try {
      const { path } = await bridge.request('skills.create', { name: name.trim(), text: shown, ...(category.trim() === '' ? {} : { category: category.trim() }) });
      skills.make(NOTHING_MADE);
      await skills.reload();
      skills.go({ kind: 'skill', path, file: 'SKILL.md' });
    } catch (error) {
      setRefused(toErrorShape(error));
    } finally {
      setSaving(false);
    }
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    void save();
  };
  const back = (): void => { skills.go({ kind: 'list' }); };
  return (
    <form aria-label="New skill" noValidate onSubmit={submit} onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); back(); } }} className="flex flex-col gap-3">
      <span><Button size="small" tone="ghost" icon={<ArrowLeft size={13} aria-hidden />} onClick={back} className="-ml-2">All skills</Button></span>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Name" hint="Small letters, digits, dots, hyphens, underscores">
          {(control) => <Input {...control} autoFocus value={name} maxLength={64} onChange={(event) => { skills.make({ name: event.target.value }); }} className="w-full font-mono text-xs" />}
        </Field>
        <Field label="Category" hint="A folder to sort it into; may be empty">
          {(control) => (
            <>
              <Input {...control} value={category} maxLength={64} list="skill-categories" onChange={(event) => { skills.make({ category: event.target.value }); }} className="w-full font-mono text-xs" />
              <datalist id="skill-categories">{[...new Set(categories.flatMap((skill) => skill.category ?? []))].map((each) => <option key={each} value={each} />)}</datalist>
            </>
          )}
        </Field>
      </div>
      <Field label="SKILL.md" hint="The description decides when the model reads it; below the second --- stands what it is to do.">
        {(control) => <Textarea {...control} rows={14} spellCheck={false} value={shown} onChange={(event) => { skills.make({ text: event.target.value }); }} className="w-full resize-y font-mono text-xs" />}
      </Field>
      {refused === undefined ? null : <InlinePanel role="alert" tone="danger" title={refused.message}>{refused.hint}</InlinePanel>}
      <div className="flex gap-2">
        <Button type="submit" tone="primary" busy={saving} disabled={name.trim() === ''}>Make the skill</Button>
        <Button tone="ghost" onClick={back}>Cancel</Button>
      </div>
    </form>
  );
}
