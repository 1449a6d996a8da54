/** Rules as the command line writes and changes them. What may be stored is checked by the host. */
import { resolve } from 'node:path';
import type { ApprovalRule, RuleDraft } from '../../../../preload/contract/index.ts';
import { UsageError } from '../command.ts';

const DAY_MS = 86_400_000;

export interface RuleChoices {
  readonly anyArgs?: boolean;
  readonly exact?: boolean;
  readonly project?: string;
  readonly everywhere?: boolean;
  /** `any` = wherever. */
  readonly backend?: string;
  readonly days?: number;
  readonly uses?: number;
  readonly forGood?: boolean;
  readonly example?: readonly string[];
  readonly not?: readonly string[];
}

type Limits = Pick<RuleDraft, 'scope' | 'backend' | 'expiresAt' | 'maxUses' | 'examples'>;

const ANYWHERE: Limits = { scope: { kind: 'everywhere' }, backend: null, expiresAt: null, maxUses: null, examples: { matches: [], not: [] } };

/** What is not named stays as it is. */
function limited(before: Limits, choices: RuleChoices, now: number): Limits {
  const { project, everywhere = false, backend, days, uses, forGood = false, example = [], not = [] } = choices;
  if (everywhere && project !== undefined) throw new UsageError('--everywhere and --project exclude each other');
  if (forGood && (days !== undefined || uses !== undefined)) throw new UsageError('--for-good goes with neither --days nor --uses');
  return {
    scope: everywhere ? { kind: 'everywhere' } : project === undefined ? before.scope : { kind: 'project', root: resolve(project) },
    backend: backend === undefined ? before.backend : backend === 'any' ? null : backend,
    expiresAt: forGood ? null : days === undefined ? before.expiresAt : now + days * DAY_MS, maxUses: forGood ? null : uses ?? before.maxUses,
    examples: { matches: [...new Set([...before.examples.matches, ...example])], not: [...new Set([...before.examples.not, ...not])] },
  };
}

/** A glob over whole commands; `now` is epoch ms. */
export function newRule(kind: 'ask' | 'deny', pattern: string, choices: RuleChoices, now: number = Date.now()): RuleDraft {
  if (choices.anyArgs === true || choices.exact === true) throw new UsageError('--any-args and --exact go with rules that allow', 'In a pattern, * stands for any further words.');
  return { kind, pattern, ...limited(ANYWHERE, choices, now) };
}

export function editedRule(rule: ApprovalRule, choices: RuleChoices, now: number = Date.now()): RuleDraft {
  const { anyArgs = false, exact = false } = choices;
  if (anyArgs && exact) throw new UsageError('--any-args and --exact exclude each other');
  const limits = limited(rule, choices, now);
  if (rule.kind === 'allow') return { kind: 'allow', tokens: rule.tokens, path: rule.path, anyArgs: anyArgs || (rule.anyArgs && !exact), ...limits };
  if (anyArgs || exact) throw new UsageError('--any-args and --exact go with rules that allow');
  return { kind: rule.kind, pattern: rule.pattern, ...limits };
}
