import { Play, Square } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { SyntheticEvent } from 'react';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { ToolInfo, TriedTool } from '../../../preload/contract/settings.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/field.tsx';
import type { FieldControl } from '../../ui/field.tsx';
import { formatDuration } from '../../ui/format.ts';
import { useFrame } from '../../ui/frame.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Input, Select, Textarea } from '../../ui/input.tsx';
import { argumentsOf, fieldsOf, initialValues, prettyResult } from './try-model.ts';
import type { TryField, Typed } from './try-model.ts';
import { useTrial } from './try-store.ts';

const STATES: Record<TriedTool['status'], { readonly words: string; readonly tone: Tone }> = {
  ok: { words: 'done', tone: 'ok' }, error: { words: 'failed', tone: 'danger' }, blocked: { words: 'refused', tone: 'warn' }, cancelled: { words: 'stopped', tone: 'neutral' },
};

/** Calls one tool as the model would, with what the person types. `focus`: the person has just opened it. */
export function TryForm({ tool, sessionId, focus, onClose }: { readonly tool: ToolInfo; readonly sessionId: SessionId; readonly focus: boolean; readonly onClose: () => void }) {
  const fields = fieldsOf(tool.parameters);
  const trial = useTrial(sessionId, tool.name);
  const { problems, running, answer, refused } = trial;
  const typed: Typed = { ...initialValues(fields), ...trial.typed };
  const form = useRef<HTMLFormElement>(null);
  const focusAtFirst = useRef(focus);
  useEffect(() => { if (focusAtFirst.current) form.current?.querySelector<HTMLElement>('input, textarea, select, button')?.focus(); }, []);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (running !== undefined) return;
    const read = argumentsOf(fields, typed);
    trial.complain(read.kind === 'bad' ? read.problems : {});
    if (read.kind === 'ok') void trial.run(read.args);
    else requestAnimationFrame(() => { form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(); });
  };
  return (
    <form
      ref={form} aria-label={`Try ${tool.name}`} noValidate onSubmit={submit} className="flex flex-col gap-2 rounded-md border border-line bg-canvas p-2.5"
      onKeyDown={(event) => {
        if (event.key === 'Escape') { event.stopPropagation(); if (running === undefined) onClose(); else trial.stop(); }
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
      }}
    >
      {fields.length === 0 ? <p className="text-xs text-muted">It takes no arguments.</p> : null}
      {fields.map((field) => (
        <Field key={field.name} label={<code>{field.name}{field.required ? <span className="text-muted"> (needed)</span> : null}</code>} hint={field.description === '' ? undefined : <span className="line-clamp-3" title={field.description}>{field.description}</span>} error={problems[field.name]}>
          {(control) => <Control field={field} control={control} value={typed[field.name] ?? ''} onChange={(value) => { trial.type(field.name, value); }} />}
        </Field>
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" size="small" tone="primary" busy={running !== undefined} icon={<Play size={12} aria-hidden />}>Run</Button>
        {running === undefined ? <Button size="small" tone="ghost" onClick={onClose}>Close</Button> : <Button size="small" icon={<Square size={11} aria-hidden />} onClick={trial.stop}>Stop</Button>}
        {running === undefined && (Object.keys(trial.typed).length > 0 || answer !== undefined) ? <Button size="small" tone="ghost" onClick={trial.empty}>Empty the form</Button> : null}
      </div>
      {running === undefined ? null : <Waits />}
      {refused === undefined ? null : <InlinePanel role="alert" tone="danger" title={refused.message}>{refused.hint}</InlinePanel>}
      {answer === undefined ? null : <Answer answer={answer} />}
    </form>
  );
}

function Waits() {
  const frame = useFrame();
  return <p role="status" className="flex flex-wrap items-center gap-1.5 text-xs text-muted">It runs. What needs your approval waits there: <Button size="small" tone="ghost" onClick={() => { frame.openDock('approvals'); }}>Approvals</Button></p>;
}

function Answer({ answer }: { readonly answer: TriedTool }) {
  const { words, tone } = STATES[answer.status];
  const { text, language } = prettyResult(answer.result);
  return (
    <section aria-label="Answer" className="flex flex-col gap-1.5">
      <div role="status" className="flex items-center gap-2 text-xs text-muted"><Badge tone={tone}>{words}</Badge>{formatDuration(answer.durationMs)}<span className="flex-1" /><CopyButton text={answer.result} label="Copy the answer" /></div>
      {answer.repairs.length === 0 ? null : <ul aria-label="Repaired before it ran" className="list-disc pl-4 text-xs text-muted">{answer.repairs.map((repair) => <li key={repair}>{repair}</li>)}</ul>}
      <CodeBlock code={text} language={language} label="Answer" wrap maxHeight="max-h-80" />
    </section>
  );
}

function Control({ field, control, value, onChange }: { readonly field: TryField; readonly control: FieldControl; readonly value: string; readonly onChange: (value: string) => void }) {
  const shared = { ...control, value, onChange: (event: { readonly target: { readonly value: string } }) => { onChange(event.target.value); }, 'aria-required': field.required };
  if (field.kind === 'number') return <Input {...shared} inputMode="decimal" className="w-full font-mono text-xs" />;
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const options = field.kind === 'boolean' ? ['true', 'false'] : field.options;
    return (
      <Select {...shared} className="w-full">
        <option value="">not given</option>
        {options.map((option) => <option key={option} value={option}>{option.replace(/^"(.*)"$/, '$1')}</option>)}
      </Select>
    );
  }
  const lines = value.split('\n').length;
  return <Textarea {...shared} spellCheck={false} rows={Math.min(8, Math.max(field.kind === 'text' ? 1 : 2, lines))} placeholder={field.shape === '' ? undefined : field.shape} className="w-full resize-y font-mono text-xs" />;
}
