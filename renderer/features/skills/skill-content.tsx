import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ErrorShape, SkillText } from '../../../preload/contract/index.ts';
import { bridge, toErrorShape } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatNumber } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Textarea } from '../../ui/input.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { skills, useDraft, type Draft } from './live.ts';
import { isMarkdown, languageOf, withoutFields } from './model.ts';

const MANUAL = 'SKILL.md';

export interface SkillContentProps {
  readonly read: SkillText;
  readonly onRead: (read: SkillText) => void;
  readonly onReload: () => void;
}

/** The text of one file: read, or edited. */
export function SkillContent({ read, onRead, onReload }: SkillContentProps) {
  const draft = useDraft(read.skill.path, read.file);
  if (draft !== undefined) return <Editor read={read} draft={draft} onRead={onRead} onReload={onReload} />;
  return <Reader read={read} onRead={onRead} />;
}

function Reader({ read, onRead }: Pick<SkillContentProps, 'read' | 'onRead'>) {
  const { skill, file, text, version } = read;
  const edit = (): void => { if (text !== null) skills.draft(skill.path, file, { text, version }); };
  const remove = (): void => { bridge.request('skills.removeFile', { path: skill.path, file }).then((next) => { onRead(next); skills.go({ kind: 'skill', path: skill.path, file: MANUAL }); }, showFailure); };
  return (
    <section aria-label={file} className="flex flex-col gap-2 rounded-lg border border-line p-4">
      {text === null
        ? <p className="text-xs text-muted">{formatNumber(read.bytes)} bytes that are no text. Open the folder to look at it.</p>
        : text.trim() === '' ? <p className="text-xs text-muted">The file is empty.</p>
          : isMarkdown(file) ? <div className="min-w-0"><Markdown text={file === MANUAL ? withoutFields(text) : text} streaming={false} /></div>
            : <CodeBlock code={text} language={languageOf(file)} label={file} wrap maxHeight="max-h-[60vh]" />}
      <div className="flex gap-2">
        {text === null ? null : <Button size="small" icon={<Pencil size={12} aria-hidden />} onClick={edit}>Edit {file}</Button>}
        {file === MANUAL ? null : <Button size="small" tone="ghost" icon={<Trash2 size={12} aria-hidden />} onClick={remove}>Remove {file}</Button>}
      </div>
    </section>
  );
}

/** What was typed stays until it is saved or thrown away, also while the page is not shown. */
function Editor({ read, draft, onRead, onReload }: SkillContentProps & { readonly draft: Draft }) {
  const { skill, file } = read;
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<ErrorShape>();
  const changed = draft.text !== read.text;
  const save = async (version: string | null): Promise<void> => {
    setSaving(true);
    setRefused(undefined);
    try {
      const saved = await bridge.request('skills.save', { path: skill.path, file, text: draft.text, version });
      skills.draft(skill.path, file, undefined);
      onRead(saved);
      await skills.reload();
    } catch (error) {
      setRefused(toErrorShape(error));
    } finally {
      setSaving(false);
    }
  };
  /** What stands in the file now is what this text is meant to replace. */
  const replace = async (): Promise<void> => { await save((await bridge.request('skills.read', { path: skill.path, file })).version); };
  const discard = (): void => {
    skills.draft(skill.path, file, undefined);
    onReload();
  };
  return (
    <section
      aria-label={`Edit ${file}`} className="flex flex-col gap-2"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !changed) { event.preventDefault(); event.stopPropagation(); discard(); } else if (event.key === 'Escape') event.stopPropagation();
        if ((event.ctrlKey || event.metaKey) && event.key === 's') { event.preventDefault(); void save(draft.version); }
      }}
    >
      <Textarea aria-label={file} autoFocus rows={18} spellCheck={false} value={draft.text} onChange={(event) => { skills.draft(skill.path, file, { ...draft, text: event.target.value }); }} className="w-full resize-y font-mono text-xs" />
      {refused === undefined ? null : (
        <InlinePanel role="alert" tone="danger" title={refused.message} actions={refused.code === 'conflict' ? <Button size="small" onClick={() => { replace().catch(showFailure); }}>Replace what is there</Button> : undefined}>{refused.hint}</InlinePanel>
      )}
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" busy={saving} disabled={!changed} onClick={() => { void save(draft.version); }}>Save</Button>
        <Button tone="ghost" onClick={discard}>{changed ? 'Throw my change away' : 'Cancel'}</Button>
      </div>
    </section>
  );
}
