/**
 * The verdict on a command, from everything that has a say in it, in Hermes' order (hermes-runtime 4.1). Pure: the caller gathers the facts,
 * this decides, the caller acts.
 */
import type { RuleId } from '../../preload/contract/approval-rules.ts';
import type { CommandReview, Finding } from '../../preload/contract/approvals.ts';
import type { Settings } from '../../preload/contract/settings.ts';

export interface ReviewFacts {
  /** What the detector saw, or the one finding of a hook that wants a person. */
  readonly detected: CommandReview;
  /** The person's deny rule that matches, if one does, and where it stands. */
  readonly deniedBy: { readonly rule: string; readonly where: string } | undefined;
  /** The person's stored ask rule that matches: only yolo and mode off lift it. */
  readonly askedBy: Finding | undefined;
  /** A sandbox that cannot reach the host. */
  readonly isolated: boolean;
  /** Frozen at start (`--yolo`, `HERMES_YOLO_MODE`) or set for the chat. */
  readonly yolo: boolean;
  readonly mode: Settings['approvals']['mode'];
  /** A hook asked for a person: no mode, sandbox or textual rule stands in for one. */
  readonly requirePerson: boolean;
  /** The allowlist entry that matches the whole text, if one does. */
  readonly matchingEntry: string | undefined;
  /** The stored rule, entry or grant that covers a finding, if one does. */
  readonly coveredBy: (finding: Finding) => Cover | undefined;
}

export type Cover = { readonly kind: 'entry'; readonly entry: string } | { readonly kind: 'rule'; readonly id: RuleId; readonly text: string } | { readonly kind: 'session' };

export type Evaluation =
  /** `settled`: nothing else that looks at commands has a say in it. `entries` and `rules` are what let it through; `way` is the kind of it. */
  | { readonly kind: 'allow'; readonly way: AllowWay; readonly rule: string; readonly entries: readonly string[]; readonly rules: readonly RuleId[]; readonly settled: boolean }
  /** `where`: the list that the rule stands in, for people. */
  | { readonly kind: 'block'; readonly why: 'deny-rule'; readonly rule: string; readonly where: string }
  | { readonly kind: 'block'; readonly why: 'floor'; readonly findings: readonly Finding[] }
  /** Findings that nobody has allowed yet; at least one. */
  | { readonly kind: 'ask'; readonly findings: readonly Finding[] };

export type AllowWay = 'nothing found' | 'rule' | 'sandbox' | 'yolo' | 'off';

const allow = (way: AllowWay, rule: string, entries: readonly string[] = [], rules: readonly RuleId[] = [], settled = false): Evaluation => ({ kind: 'allow', way, rule, entries, rules, settled });
const settle = (way: AllowWay, rule: string, entries: readonly string[] = []): Evaluation => allow(way, rule, entries, [], true);

export function evaluate(facts: ReviewFacts): Evaluation {
  const { detected, requirePerson, askedBy } = facts;
  // Everywhere, in a sandbox too: what the person forbade stays forbidden.
  if (facts.deniedBy !== undefined) return { kind: 'block', why: 'deny-rule', ...facts.deniedBy };
  if (facts.isolated && !requirePerson && askedBy === undefined) return settle('sandbox', 'It runs in a sandbox that cannot reach this machine.');
  const floors = facts.isolated ? [] : detected.findings.filter((finding) => finding.tier === 'floor');
  if (!facts.isolated && (floors.length > 0 || detected.verdict === 'block')) return { kind: 'block', why: 'floor', findings: floors.length > 0 ? floors : detected.findings };
  if (!requirePerson) {
    if (facts.yolo) return settle('yolo', 'Approvals are switched off for this run or this chat (yolo).');
    if (facts.mode === 'off') return settle('off', 'approvals.mode is off.');
    if (facts.matchingEntry !== undefined && askedBy === undefined) return settle('rule', `Allowed by the rule ${facts.matchingEntry}`, [facts.matchingEntry]);
  }
  const findings = [...(askedBy === undefined ? [] : [askedBy]), ...(facts.isolated && !requirePerson ? [] : detected.findings)];
  const covers = findings.map((finding) => (finding.tier === 'unknown' ? undefined : facts.coveredBy(finding)));
  const left = findings.filter((_finding, index) => covers[index] === undefined);
  if (left.length > 0) return { kind: 'ask', findings: left };
  // A verdict without a finding is a detector that could not say why: it is asked about, not let through.
  if (detected.verdict !== 'allow' && detected.findings.length === 0) return { kind: 'ask', findings: [UNEXPLAINED] };
  const entries = [...new Set(covers.flatMap((cover) => (cover?.kind === 'entry' ? [cover.entry] : [])))];
  const rules = new Map(covers.flatMap((cover) => (cover?.kind === 'rule' ? [[cover.id, cover.text] as const] : [])));
  const names = [...entries, ...rules.values()];
  if (names.length > 0) return allow('rule', `Allowed by the rule ${names.join(', ')}`, entries, [...rules.keys()]);
  return covers.length > 0 ? allow('rule', 'Allowed for this chat.') : allow('nothing found', 'Nothing in it needs to be asked about.');
}

const UNEXPLAINED: Finding = { key: 'unexplained verdict', description: 'unexplained verdict', class: 'unknown', effect: 'cannot be judged', start: 0, end: 0, tier: 'unknown' };

/** What a screen or `talaria check` shows for a command without asking anybody. */
export function shownReview(detected: CommandReview, evaluation: Evaluation): CommandReview {
  const { findings, parts } = detected;
  switch (evaluation.kind) {
    case 'allow':
      return { verdict: 'allow', findings, parts, rule: evaluation.rule };
    case 'ask':
      return { verdict: 'ask', findings, parts };
    case 'block':
      return { verdict: 'block', findings, parts, ...(evaluation.why === 'deny-rule' ? { rule: `Forbidden by your rule ${evaluation.rule} (${evaluation.where}).` } : {}) };
  }
}
