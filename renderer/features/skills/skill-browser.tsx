import { BookOpen, FolderOpen, Plus, Search } from 'lucide-react';
import type { SkillInfo, SkillList } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Input } from '../../ui/input.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Switch } from '../../ui/switch.tsx';
import { skills, useSkills } from './live.ts';
import { groupSkills } from './model.ts';
import { SkillMarks } from './skill-marks.tsx';

/** All skills, by category, with their switches. */
export function SkillBrowser() {
  const list = useSkills((model) => model.list);
  const failure = useSkills((model) => model.failure);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-xs text-muted">
        A skill is a folder with a <code>SKILL.md</code>: instructions for one kind of work. The model is told their names and descriptions, and reads one when its work calls for it. It also writes them, when something was worth keeping.
      </p>
      {failure === undefined ? null : (
        <InlinePanel tone="danger" role="alert" title="The skills could not be read" actions={<Button size="small" onClick={() => { void skills.reload(); }}>Try again</Button>}>{failure}</InlinePanel>
      )}
      {list === undefined ? (failure === undefined ? <p role="status" aria-label="Reading the skills"><Spinner /></p> : null) : <Found list={list} />}
    </div>
  );
}

function Found({ list }: { readonly list: SkillList }) {
  const query = useSkills((model) => model.query);
  const make = <Button tone="primary" icon={<Plus size={14} aria-hidden />} onClick={() => { skills.go({ kind: 'new' }); }}>New skill</Button>;
  const show = <Button icon={<FolderOpen size={14} aria-hidden />} onClick={() => { void skills.openFolder(); }}>Open folder</Button>;
  if (list.skills.length === 0) {
    return (
      <EmptyState icon={BookOpen} title="No skills yet" action={<>{make}{show}</>}>
        Make one here, ask for one in a chat (“keep this as a skill”), or put a folder with a SKILL.md into <code className="wrap-anywhere">{list.folder}</code>.
      </EmptyState>
    );
  }
  const groups = groupSkills(list.skills, query);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <div className="relative min-w-40 flex-1">
          <Search size={14} aria-hidden className="absolute top-[7px] left-2 text-faint" />
          <Input
            type="search" aria-label="Search skills" placeholder="Search skills" value={query} onChange={(event) => { skills.find(event.target.value); }} className="w-full pl-7"
            onKeyDown={(event) => { if (event.key === 'Escape' && query !== '') { skills.find(''); event.stopPropagation(); } }}
          />
        </div>
        {show}
        {make}
      </div>
      {groups.length === 0 ? <p role="status" className="text-xs text-muted">No skill has “{query.trim()}” in its name or description.</p> : null}
      {groups.map(({ category, skills: members }) => (
        <section key={category ?? ''} aria-label={category ?? 'Without a category'}>
          <h3 className="pb-1 text-xs font-medium text-muted">{category ?? 'Without a category'}</h3>
          <ul className="overflow-hidden rounded-lg border border-line">{members.map((skill) => <Row key={skill.path} skill={skill} />)}</ul>
        </section>
      ))}
    </>
  );
}

function Row({ skill }: { readonly skill: SkillInfo }) {
  const { path, name, description, enabled, suits, problem } = skill;
  return (
    <li data-skill={path} className="flex items-start gap-3 border-b border-line px-3 py-2 last:border-0 hover:bg-hover">
      <button type="button" onClick={() => { skills.go({ kind: 'skill', path, file: 'SKILL.md' }); }} className="flex min-w-0 flex-1 flex-col gap-0.5 rounded-sm text-left">
        <span className="flex w-full flex-wrap items-center gap-1.5">
          <span className={classNames('font-medium wrap-anywhere', !(enabled && suits) && 'text-muted')}>{name}</span>
          <SkillMarks skill={skill} />
        </span>
        <span className="line-clamp-2 text-xs text-muted wrap-anywhere">{problem ?? (description === '' ? 'No description' : description)}</span>
      </button>
      <span className="flex h-5 items-center"><Switch checked={enabled} label={`Use the skill ${name}`} onChange={(next) => { void skills.set(path, next); }} /></span>
    </li>
  );
}
