import { useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { SkillText } from '../../../preload/contract/index.ts';
import { bridge, toErrorShape } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';

/** Makes an empty file of a skill, to be filled next. */
export function NewFile({ path, onMade, onClose }: { readonly path: string; readonly onMade: (made: SkillText) => void; readonly onClose: () => void }) {
  const [file, setFile] = useState('references/');
  const [problem, setProblem] = useState<string>();
  const [saving, setSaving] = useState(false);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setSaving(true);
    bridge.request('skills.save', { path, file: file.trim(), text: '', version: null })
      .then(onMade, (error: unknown) => { setProblem(toErrorShape(error).message); })
      .finally(() => { setSaving(false); });
  };
  return (
    <form aria-label="Add a file" onSubmit={submit} onKeyDown={(event) => { if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); onClose(); } }} className="flex flex-wrap items-start gap-2 rounded-md border border-line bg-panel p-2.5">
      <div className="min-w-48 flex-1">
        <Field label="File" hint="Under references/, templates/, scripts/ or assets/" error={problem}>
          {(control) => <Input {...control} autoFocus value={file} onChange={(event) => { setFile(event.target.value); setProblem(undefined); }} className="w-full font-mono text-xs" />}
        </Field>
      </div>
      <div className="flex gap-2 pt-5">
        <Button type="submit" tone="primary" busy={saving} disabled={file.trim() === '' || file.trim().endsWith('/')}>Add</Button>
        <Button tone="ghost" onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
