import { ArrowLeft, FilePlus2, FolderOpen, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ErrorShape, SkillInfo, SkillText } from '../../../preload/contract/index.ts';
import { bridge, toErrorShape } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Disclosure } from '../../ui/disclosure.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Switch } from '../../ui/switch.tsx';
import { skills, useSkills } from './live.ts';
import { platformWords } from './model.ts';
import { NewFile } from './new-file.tsx';
import { SkillContent } from './skill-content.tsx';
import { SkillMarks } from './skill-marks.tsx';

const MANUAL = 'SKILL.md';

type Loaded = { readonly kind: 'loading' } | { readonly kind: 'ready'; readonly read: SkillText } | { readonly kind: 'failed'; readonly problem: ErrorShape };

export interface SkillPageProps {
  readonly path: string;
  readonly file: string;
  readonly onFile: (file: string) => void;
}

/** One skill: what it says, what it needs, its files and its switches. */
export function SkillPage({ path, file, onFile }: SkillPageProps) {
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' });
  const [turn, setTurn] = useState(0);
  const list = useSkills((model) => model.list);
  useEffect(() => {
    let current = true;
    bridge.request('skills.read', { path, file }).then(
      (read) => { if (current) setLoaded({ kind: 'ready', read }); },
      (error: unknown) => { if (current) setLoaded({ kind: 'failed', problem: toErrorShape(error) }); },
    );
    return () => { current = false; };
  }, [path, file, list, turn]);
  const reload = (): void => { setTurn((now) => now + 1); };
  const back = (): void => { skills.go({ kind: 'list' }); };
  return (
    <article className="flex flex-col gap-3" onKeyDown={(event) => { if (event.key === 'Escape' && !event.defaultPrevented) { event.stopPropagation(); back(); } }}>
      <span><Button size="small" tone="ghost" icon={<ArrowLeft size={13} aria-hidden />} onClick={back} className="-ml-2">All skills</Button></span>
      {loaded.kind === 'loading' ? <p role="status" aria-label="Reading the skill"><Spinner /></p> : null}
      {loaded.kind === 'failed' ? (
        <InlinePanel tone="danger" role="alert" title={loaded.problem.message} actions={file === MANUAL ? undefined : <Button size="small" onClick={() => { onFile(MANUAL); }}>Show SKILL.md</Button>}>{loaded.problem.hint}</InlinePanel>
      ) : null}
      {loaded.kind === 'ready' ? <Ready read={loaded.read} onFile={onFile} onRead={(read) => { setLoaded({ kind: 'ready', read }); }} onReload={reload} /> : null}
    </article>
  );
}

interface ReadyProps {
  readonly read: SkillText;
  readonly onFile: (file: string) => void;
  readonly onRead: (read: SkillText) => void;
  readonly onReload: () => void;
}

function Ready({ read, onFile, onRead, onReload }: ReadyProps) {
  const { tags, related } = read;
  const skill = useSkills((model) => model.list?.skills.find(({ path }) => path === read.skill.path)) ?? read.skill;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => { heading.current?.focus(); }, []);
  return (
    <>
      <header className="flex flex-col gap-1.5">
        <div className="flex flex-wrap items-center gap-2">
          <h3 ref={heading} tabIndex={-1} className="text-lg font-semibold wrap-anywhere outline-none">{skill.name}</h3>
          <SkillMarks skill={skill} />
          <span className="flex-1" />
          <label className="flex items-center gap-2 text-xs"><span aria-hidden>{skill.enabled ? 'In use' : 'Off'}</span><Switch checked={skill.enabled} label={`Use the skill ${skill.name}`} onChange={(next) => { void skills.set(skill.path, next); }} /></label>
        </div>
        <p className="text-sm wrap-anywhere">{skill.description === '' ? 'No description.' : skill.description}</p>
        {tags.length === 0 && related.length === 0 ? null : (
          <p className="text-xs text-muted wrap-anywhere">{[...(tags.length === 0 ? [] : [`Tags: ${tags.join(', ')}`]), ...(related.length === 0 ? [] : [`See also: ${related.join(', ')}`])].join(' · ')}</p>
        )}
        <p className="font-mono text-2xs text-faint wrap-anywhere">{skill.folder}</p>
      </header>
      {skill.problem === null ? null : <InlinePanel tone="danger" title="The model is not told of it">{skill.problem}</InlinePanel>}
      {skill.suits ? null : <InlinePanel title="Not for this system">Its fields name other systems under platforms, so chats here do not see it.</InlinePanel>}
      <Needs read={read} />
      <Files read={read} onFile={onFile} onRead={onRead} />
      <SkillContent key={read.file} read={read} onRead={onRead} onReload={onReload} />
      <Places skill={skill} />
      <footer className="flex flex-wrap gap-2 border-t border-line pt-3">
        <Button icon={<FolderOpen size={14} aria-hidden />} onClick={() => { void skills.openFolder(skill.path); }}>Open folder</Button>
        <Button icon={<Trash2 size={14} aria-hidden />} disabled={skill.pinned} title={skill.pinned ? 'It is pinned in .usage.json of the skills folder' : undefined} onClick={() => { void skills.delete(skill); }}>Delete</Button>
      </footer>
    </>
  );
}

function Needs({ read: { environment } }: { readonly read: SkillText }) {
  if (environment.length === 0) return null;
  const ready = environment.every(({ set }) => set);
  return (
    <InlinePanel tone={ready ? 'ok' : 'warn'} title={ready ? 'All it needs is set' : 'It needs values that are not set'}>
      <ul aria-label="Needed values" className="flex flex-col gap-0.5">
        {environment.map(({ name, prompt, help, set }) => (
          <li key={name} className="wrap-anywhere"><code>{name}</code> {set ? 'is set' : 'is missing'}{prompt === undefined ? '' : `: ${prompt}`}{help === undefined ? '' : ` (${help})`}</li>
        ))}
      </ul>
      {ready ? null : <p className="pt-1">Put a line <code>NAME=value</code> into the file <code>.env</code> of the home folder. A model never sees it.</p>}
    </InlinePanel>
  );
}

function Files({ read, onFile, onRead }: Pick<ReadyProps, 'read' | 'onFile' | 'onRead'>) {
  const [adding, setAdding] = useState(false);
  return (
    <div className="flex flex-col gap-2">
      <ul aria-label="Files of the skill" className="flex flex-wrap gap-1">
        {[MANUAL, ...read.files].map((name) => (
          <li key={name} className="max-w-full">
            <button
              type="button" aria-current={name === read.file ? 'true' : undefined} onClick={() => { onFile(name); }}
              className={classNames('h-6 max-w-full truncate rounded-md px-2 font-mono text-2xs', name === read.file ? 'bg-selected text-ink' : 'text-muted hover:bg-hover hover:text-ink')}
            >
              {name}
            </button>
          </li>
        ))}
        <li><Button size="small" tone="ghost" icon={<FilePlus2 size={12} aria-hidden />} aria-expanded={adding} onClick={() => { setAdding(!adding); }}>Add a file</Button></li>
      </ul>
      {adding ? <NewFile path={read.skill.path} onMade={(made) => { setAdding(false); onRead(made); onFile(made.file); }} onClose={() => { setAdding(false); }} /> : null}
    </div>
  );
}

/** `skills.platform_disabled`: chats of one messenger may be kept from a skill. */
function Places({ skill }: { readonly skill: SkillInfo }) {
  const platforms = useSkills((model) => model.list?.platforms) ?? [];
  return (
    <Disclosure title="Where it is offered">
      <fieldset disabled={!skill.enabled} className="flex flex-wrap gap-x-4 gap-y-1 pt-2 disabled:opacity-60">
        <legend className="sr-only">Where it is offered</legend>
        {platforms.map((platform) => (
          <label key={platform} className="flex min-h-6 items-center gap-1.5">
            <input type="checkbox" checked={!skill.offIn.includes(platform)} onChange={(event) => { void skills.set(skill.path, event.target.checked, platform); }} className="size-3.5 accent-accent" />
            {platformWords(platform)}
          </label>
        ))}
      </fieldset>
    </Disclosure>
  );
}
