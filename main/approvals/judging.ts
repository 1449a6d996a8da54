/** Gathers the facts that have a say in a verdict, and has them judged. */
import { createHash } from 'node:crypto';
import { SessionId, type CommandPart, type CommandReview, type Finding } from '../../preload/contract/index.ts';
import type { ReviewRequest } from '../../tools/context.ts';
import { chainOf } from '../lineage.ts';
import type { ConfigStore, Log, Storage } from '../ports.ts';
import type { Allowlist } from './allowlist.ts';
import { deniedBy, denyForms } from './deny-globs.ts';
import { DANGEROUS_PATTERNS, LIMIT_KEY, MALFORMED_KEY, strictest, SYNTAX_KEY, type DetectPolicy, type ReviewPlace } from './detect.ts';
import { colouredParts } from './coloured-parts.ts';
import { evaluate, type Cover, type Evaluation } from './review.ts';
import type { Inspect } from './standing/check.ts';
import type { RuleContext } from './standing/coverage.ts';
import { contextFor } from './standing/desk.ts';
import type { Rules } from './standing/rules.ts';
import { applyRules } from './standing/verdict.ts';
import { userPatterns } from './user-patterns.ts';

/** Every approval key of the detector, with its tier. */
export const DETECTOR_KEYS: ReadonlyMap<string, Finding['tier']> = new Map([
  ...DANGEROUS_PATTERNS.map(({ description, tier }) => [description, tier] as const),
  [LIMIT_KEY, 'floor'], [MALFORMED_KEY, 'floor'], [SYNTAX_KEY, 'unknown'],
]);

export interface Asked {
  readonly tool: string;
  readonly command: string;
  readonly sessionId?: string;
  readonly requirePerson?: ReviewRequest['requirePerson'];
  /** What another scanner saw. */
  readonly also?: readonly Finding[];
}
export interface Judged {
  /** Its parts coloured by what decides each: rules, lists and modes included. */
  readonly detected: CommandReview;
  readonly evaluation: Evaluation;
}
export type JudgeCommand = (asked: Asked, where: ReviewPlace) => Judged;

export interface JudgingParts {
  readonly config: Pick<ConfigStore, 'get' | 'settings'> & { refresh?(): void };
  readonly storage: Pick<Storage, 'approvals' | 'values'>;
  readonly log: Log;
  /** What would end this very program, as a floor. */
  readonly selfHarm: (parts: readonly CommandPart[]) => Finding | undefined;
  readonly allowlist: Allowlist;
  readonly detect: (command: string, place: ReviewPlace, policy?: DetectPolicy) => CommandReview;
  readonly rules: Pick<Rules, 'holding'>;
  readonly inspect: Inspect;
  readonly resolve: RuleContext['resolve'];
  /** Whether approvals are off in one of these chats, or in all. */
  readonly isYolo: (chats: readonly SessionId[]) => boolean;
}

/** The key of what a hook put to a person; such requests are no commands. */
const RULE_KEY = 'plugin_rule:';
export const isHookKey = (key: string): boolean => key.startsWith(RULE_KEY);

function oneFinding(key: string, description: string, kind: Finding['class'], command: string, effect = description): CommandReview {
  return { verdict: 'ask', findings: [{ key, description, class: kind, effect, start: 0, end: command.length, tier: 'danger' }], parts: [] };
}

/** Hermes: the hook's own key, else one made of the tool and the reason (hermes-runtime 4.5). */
const ruleKeyOf = (tool: string, wanted: NonNullable<ReviewRequest['requirePerson']>): string =>
  RULE_KEY + (wanted.ruleKey ?? `${tool}:${createHash('sha256').update(wanted.description).digest('hex').slice(0, 12)}`);

export function createJudging({ config, storage, log, allowlist, rules, inspect, resolve, detect, isYolo, selfHarm }: JudgingParts): JudgeCommand {
  const warned = new Set<string>();
  const warnOnce = (message: string): void => {
    if (!warned.has(message)) log.warn(message);
    warned.add(message);
  };
  const policyNow = (): DetectPolicy => {
    const patterns = userPatterns(config.get('approvals.patterns'), warnOnce);
    return patterns.length === 0 ? {} : { patterns };
  };
  const detectFor = (asked: Asked, where: ReviewPlace): CommandReview => {
    if (asked.requirePerson !== undefined) return oneFinding(ruleKeyOf(asked.tool, asked.requirePerson), asked.requirePerson.description, 'user-rule', asked.command);
    if (asked.tool === 'execute_code') return oneFinding('execute_code', 'execute_code', 'interpreter', asked.command, 'runs a script with the tools of this chat');
    const found = detect(asked.command, where, policyNow());
    const harm = where.backend === 'local' ? selfHarm(found.parts) : undefined;
    return harm === undefined ? found : { ...found, verdict: 'block', findings: [harm, ...found.findings] };
  };
  const withAlso = (detected: CommandReview, { also = [] }: Asked): CommandReview =>
    (also.length === 0 ? detected : { ...detected, verdict: strictest(detected.verdict, 'ask'), findings: [...detected.findings, ...also] });
  return (asked, where) => {
    config.refresh?.();
    const detected = withAlso(detectFor(asked, where), asked);
    const { approvals } = config.settings();
    const entries = allowlist.entries();
    const chats = asked.sessionId === undefined ? [] : chainOf(storage.values, SessionId.parse(asked.sessionId));
    const grants = new Set(chats.flatMap((chat) => storage.approvals.sessionGrants(chat)));
    const isCommand = asked.requirePerson === undefined && asked.tool !== 'execute_code';
    const lines = asked.tool === 'execute_code';
    const stored = applyRules({ command: asked.command, detected, isCommand, lines, context: contextFor(where, resolve, chats), holding: rules.holding(), inspect: () => inspect(asked.command, where) });
    const denied = approvals.deny.length === 0 ? undefined : deniedBy(denyForms(asked.command, detected.parts, { lines }), approvals.deny);
    const coveredBy = (finding: Finding): Cover | undefined => {
      const rule = stored.coveredBy(finding);
      if (rule !== undefined) return rule;
      const entry = allowlist.covering(finding.key, entries);
      if (entry !== undefined) return { kind: 'entry', entry };
      return grants.has(finding.key) ? { kind: 'session' } : undefined;
    };
    const evaluation = evaluate({
      detected, isolated: where.isolated, mode: approvals.mode, yolo: isYolo(chats), requirePerson: asked.requirePerson !== undefined,
      deniedBy: denied === undefined ? stored.deniedBy : { rule: denied, where: 'approvals.deny' },
      askedBy: stored.askedBy,
      matchingEntry: isCommand ? allowlist.matching(asked.command, entries) : undefined,
      coveredBy,
    });
    return { detected: { ...detected, parts: colouredParts({ parts: stored.parts, evaluation, coveredBy, deny: approvals.deny, units: () => inspect(asked.command, where).units }) }, evaluation };
  };
}
