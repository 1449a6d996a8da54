/** The parts of a line as a person sees them: each with the verdict it gets once lists, rules and modes have had their say, and what gave it. Pure. */
import type { CommandPart, Finding } from '../../preload/contract/approvals.ts';
import { deniedBy, denyForms } from './deny-globs.ts';
import type { Unit } from './detect.ts';
import type { Cover, Evaluation } from './review.ts';
import { RULE_MARK } from './standing/verdict.ts';

export interface ColourFacts {
  /** As the detector and the stored rules leave them. */
  readonly parts: readonly CommandPart[];
  readonly evaluation: Evaluation;
  readonly coveredBy: (finding: Finding) => Cover | undefined;
  /** `approvals.deny`. */
  readonly deny: readonly string[];
  /** One for each part, in the same order; looked up only where they matter. */
  readonly units: () => readonly Unit[];
}

const coverText = (cover: Cover): string => (cover.kind === 'entry' ? `command_allowlist: ${cover.entry}` : cover.kind === 'rule' ? `${RULE_MARK}${cover.text}` : 'allowed for this chat');

export function colouredParts({ parts, evaluation, coveredBy, deny, units }: ColourFacts): CommandPart[] {
  if (deny.length > 0) {
    const forbidden = parts.map((part): CommandPart => {
      const rule = deniedBy(denyForms(part.text, [part], { lines: false }), deny);
      return rule === undefined ? part : { ...part, verdict: 'block', rule: `approvals.deny: ${rule}` };
    });
    if (evaluation.kind === 'block') return forbidden;
  }
  if (evaluation.kind === 'block' || !parts.some(({ verdict }) => verdict !== 'allow')) return [...parts];
  const found = evaluation.kind === 'ask' || !evaluation.settled ? units() : [];
  return parts.map((part, index): CommandPart => {
    if (part.verdict === 'allow') return part;
    const covers = part.verdict === 'ask' && found.length === parts.length ? (found[index]?.findings ?? []).map((finding) => (finding.tier === 'danger' ? coveredBy(finding) : undefined)) : [];
    const [first] = covers;
    if (first !== undefined && covers.every((cover) => cover !== undefined)) return { ...part, verdict: 'allow', rule: coverText(first) };
    // What lets the whole line through lets each of its parts through.
    return evaluation.kind === 'allow' ? { ...part, verdict: 'allow', rule: evaluation.rule } : part;
  });
}
