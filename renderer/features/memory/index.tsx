/** The public door of the memory files: a section of the settings. */
import { useEffect, useState } from 'react';
import type { ErrorShape, MemoryFile } from '../../../preload/contract/index.ts';
import { bridge, toErrorShape } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { failureWords } from '../../ui/failure.ts';
import { Field } from '../../ui/field.tsx';
import { formatNumber } from '../../ui/format.ts';
import type { SettingsSection } from '../../ui/frame.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Textarea } from '../../ui/input.tsx';
import { toasts } from '../../ui/toasts.tsx';

const TITLES: Record<MemoryFile['target'], string> = { user: 'About you (USER.md)', memory: 'Its own notes (MEMORY.md)' };

function Memory() {
  const [files, setFiles] = useState<readonly MemoryFile[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => { bridge.request('memory.list', {}).then(setFiles, (error: unknown) => { setFailure(failureWords(error)); }); }, []);
  return (
    <div className="flex flex-col gap-5">
      <p className="text-xs text-muted">What the model knows from earlier chats. Both go into each new chat, so they are small. Entries are separated by a line with only <code>§</code>.</p>
      {failure === undefined ? null : <InlinePanel tone="danger" role="alert" title="The memory could not be read">{failure}</InlinePanel>}
      {files?.map((file) => <Editor key={file.target} initial={file} />)}
    </div>
  );
}

/** Typed and not saved, with the version it was made from: kept while the page is not shown. */
const drafts = new Map<MemoryFile['target'], { readonly text: string; readonly version: string }>();

/** What was typed stays when it cannot be saved. */
function Editor({ initial }: { readonly initial: MemoryFile }) {
  const [file, setFile] = useState(() => ({ ...initial, version: drafts.get(initial.target)?.version ?? initial.version }));
  const [text, showText] = useState(() => drafts.get(initial.target)?.text ?? initial.text);
  const setText = (next: string, { text: saved, version }: MemoryFile = file): void => {
    showText(next);
    if (next === saved) drafts.delete(file.target);
    else drafts.set(file.target, { text: next, version });
  };
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<ErrorShape>();
  const chars = text.trim().length;
  const over = chars > file.limit;
  const run = async (work: () => Promise<void>): Promise<void> => {
    setSaving(true);
    setRefused(undefined);
    try {
      await work();
    } catch (error) {
      setRefused(toErrorShape(error));
    } finally {
      setSaving(false);
    }
  };
  const take = (saved: MemoryFile): void => {
    setFile(saved);
    setText(saved.text, saved);
  };
  const save = (): void => {
    void run(async () => {
      take(await bridge.request('memory.save', { target: file.target, text, version: file.version }));
      toasts.getState().show({ text: 'Saved: the next chat reads it' });
    });
  };
  const load = (): void => {
    void run(async () => {
      const now = (await bridge.request('memory.list', {})).find(({ target }) => target === file.target);
      if (now === undefined) return;
      const typed = text;
      take(now);
      if (typed !== file.text) toasts.getState().show({ text: 'Loaded again', undo: { label: 'Bring back what I typed', run: () => { setText(typed, now); } } });
    });
  };
  return (
    <div className="flex flex-col gap-2">
      <Field label={TITLES[file.target]} error={over ? `${formatNumber(chars)} of ${formatNumber(file.limit)} characters: shorten or merge entries.` : undefined} hint={`${formatNumber(chars)} of ${formatNumber(file.limit)} characters, ${Math.floor((chars / file.limit) * 100)} %`}>
        {(control) => <Textarea {...control} rows={9} value={text} spellCheck={false} placeholder="Nothing yet. The model writes here what stays true; you may as well." onChange={(event) => { setText(event.target.value); }} className="w-full resize-y font-mono text-xs" />}
      </Field>
      <div aria-hidden className="h-1 overflow-hidden rounded-full bg-hover"><div className={classNames('h-full rounded-full', over ? 'bg-danger' : 'bg-accent')} style={{ width: `${Math.min(100, (chars / file.limit) * 100)}%` }} /></div>
      {refused === undefined ? null : <InlinePanel role="alert" tone="danger" title={refused.message}>{refused.hint}</InlinePanel>}
      <div className="flex gap-2">
        <Button tone="primary" busy={saving} disabled={text === file.text || over} onClick={save}>Save</Button>
        <Button tone="ghost" disabled={saving} onClick={load}>Load again</Button>
      </div>
    </div>
  );
}

export const MemorySection: SettingsSection = { id: 'memory', title: 'Memory', Component: Memory };
