import { Pin } from 'lucide-react';
import type { SkillInfo } from '../../../preload/contract/index.ts';
import { Badge } from '../../ui/badge.tsx';
import { sourceWords } from './model.ts';

/** What is to be known of a skill before it is opened. */
export function SkillMarks({ skill }: { readonly skill: SkillInfo }) {
  const from = sourceWords(skill.source);
  return (
    <>
      {skill.problem === null ? null : <Badge tone="danger">cannot be read</Badge>}
      {skill.suits ? null : <Badge>not for this system</Badge>}
      {skill.missing.length === 0 ? null : <Badge tone="warn">needs setup</Badge>}
      {skill.enabled && skill.offIn.length > 0 ? <Badge>off in some places</Badge> : null}
      {skill.pinned ? <Badge icon={<Pin size={10} aria-hidden />}>pinned</Badge> : null}
      {from === undefined ? null : <Badge>{from}</Badge>}
    </>
  );
}
