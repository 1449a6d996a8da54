import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { ErrorShape } from '../../../preload/contract/errors.ts';
import type { ScheduleJob } from '../../../preload/contract/schedules.ts';
import { bridge, toErrorShape } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { Field } from '../../ui/field.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { useFrame } from '../../ui/frame.tsx';
import { Input, Textarea } from '../../ui/input.tsx';
import { DeliverField } from './deliver-field.tsx';
import { reloadSchedules } from './live.ts';
import { draftOf, EMPTY_FORM, formOf, problemsOf } from './model.ts';
import type { JobForm as Form } from './model.ts';

const MORE: readonly { readonly name: Exclude<keyof Form, 'noAgent' | 'deliver'>; readonly label: string; readonly hint: string }[] = [
  { name: 'repeat', label: 'Runs in all', hint: 'Left empty: no end' },
  { name: 'skills', label: 'Skills', hint: 'Names, separated by commas' },
  { name: 'toolsets', label: 'Toolsets', hint: 'Names, separated by commas. Left empty: all that scheduled work may use' },
  { name: 'script', label: 'Script that runs first', hint: 'A file below scripts in the home folder; the model reads its output' },
  { name: 'workdir', label: 'Directory', hint: 'Where it works. Left empty: the one of the app' },
  { name: 'model', label: 'Model', hint: 'Left empty: the one of new chats' },
];

const FORMS = ['30m', 'every 2h', 'daily at 9:00', 'weekdays at 8am', 'every monday at 18:30', '2026-12-24T18:00', '0 9 * * 1-5'];
/** Each form stays whole where the line breaks. */
const WHEN_HINT = FORMS.map((form) => form.replaceAll(' ', '\u00a0')).join(' · ');

/** Makes a job, or changes one. What was typed stays when the host refuses it. */
export function JobForm({ job, onClose }: { readonly job?: ScheduleJob; readonly onClose: () => void }) {
  const { recentSessionId } = useFrame();
  const origin = job === undefined ? recentSessionId : job.originSessionId ?? undefined;
  const [form, setForm] = useState<Form>(job === undefined ? EMPTY_FORM : formOf(job));
  const [tried, setTried] = useState(false);
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<ErrorShape>();
  const element = useRef<HTMLFormElement>(null);
  const problems = problemsOf(form);
  const problem = (name: keyof Form): string | undefined => (tried ? problems[name] : undefined);
  const edit = (change: Partial<Form>): void => {
    setForm({ ...form, ...change });
    setRefused(undefined);
  };
  const save = async (): Promise<void> => {
    setSaving(true);
    try {
      const draft = draftOf(form, job);
      if (job === undefined) await bridge.request('schedules.create', { draft: { deliver: 'local', ...draft }, ...(origin !== undefined && draft.deliver?.split(',').some((place) => place.trim() === 'origin') === true ? { sessionId: origin } : {}) });
      else if (Object.keys(draft).length > 0) await bridge.request('schedules.update', { id: job.id, draft });
      await reloadSchedules();
      onClose();
    } catch (error) {
      setRefused(toErrorShape(error));
    } finally {
      setSaving(false);
    }
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) void save();
    else requestAnimationFrame(() => { element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(); });
  };
  return (
    <form ref={element} aria-label={job === undefined ? 'New job' : `Edit ${job.name}`} noValidate onSubmit={submit} onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); onClose(); } }} className="flex flex-col gap-2.5 rounded-lg border border-line bg-panel p-3">
      <Field label="When" error={problem('schedule')} hint={WHEN_HINT}>
        {(control) => <Input {...control} autoFocus value={form.schedule} placeholder="daily at 9:00" onChange={(event) => { edit({ schedule: event.target.value }); }} className="w-full" />}
      </Field>
      <Field label="What to do" error={problem('prompt')} hint="The run begins with nothing but these words: say everything it has to know.">
        {(control) => <Textarea {...control} rows={4} value={form.prompt} onChange={(event) => { edit({ prompt: event.target.value }); }} className="w-full" />}
      </Field>
      <Field label="Name" hint="Left empty: the first words of what to do">
        {(control) => <Input {...control} value={form.name} maxLength={100} onChange={(event) => { edit({ name: event.target.value }); }} className="w-full" />}
      </Field>
      <DeliverField value={form.deliver} origin={origin} onChange={(deliver) => { edit({ deliver }); }} />
      <Disclosure title="More" open={problem('repeat') !== undefined || problem('script') !== undefined ? true : undefined}>
        <div className="flex flex-col gap-2.5 pt-2">
          {MORE.map(({ name, label, hint }) => (
            <Field key={name} label={label} hint={hint} error={problem(name)}>
              {(control) => <Input {...control} value={form[name]} onChange={(event) => { edit({ [name]: event.target.value }); }} className="w-full" />}
            </Field>
          ))}
          <label className="flex min-h-6 items-center gap-2 text-xs">
            <input type="checkbox" className="size-3.5 accent-accent" checked={form.noAgent} onChange={(event) => { edit({ noAgent: event.target.checked }); }} />
            Ask no model: the output of the script is the result
          </label>
        </div>
      </Disclosure>
      {refused === undefined ? null : <InlinePanel role="alert" tone="danger" title={refused.message}>{refused.hint}</InlinePanel>}
      <div className="flex gap-2">
        <Button type="submit" tone="primary" busy={saving}>{job === undefined ? 'Make the job' : 'Save'}</Button>
        <Button tone="ghost" onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
