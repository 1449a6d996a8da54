/** The stored rules of this home: read anew for every command, so that what another window or process changed counts at once. */
import { RuleId, type AllowRule, type ApprovalRule, type ListedRule, type PatternRule, type RuleDraft } from '../../../preload/contract/approval-rules.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import type { Clock, EventBus, Ids, Log, Storage } from '../../ports.ts';
import { checkDraft, failedExample, type Inspect } from './check.ts';
import { isInside, type RuleContext } from './coverage.ts';
import { lapsed, remarksOn, sameRule } from './hygiene.ts';
import { ruleText } from './words.ts';

const NOTED_COMMAND_CHARS = 500;
/** More rules than a person can keep in mind; each is looked at for every flagged command. */
const MOST_RULES = 2_000;

export interface RulesParts {
  readonly storage: Pick<Storage, 'approvalRules' | 'transaction'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex'>;
  readonly events: Pick<EventBus, 'publish'>;
  readonly log: Log;
  readonly redact: (text: string) => string;
  readonly inspect: Inspect;
}

export interface Provenance { readonly by: string; readonly command?: string; readonly sessionId?: SessionId }

/** The rules that hold now, by kind. */
export interface HoldingRules { readonly allow: readonly AllowRule[]; readonly ask: readonly PatternRule[]; readonly deny: readonly PatternRule[] }

export interface Rules {
  holding(): HoldingRules;
  /** Counts a use of each, all or none. False when one does not hold any more: judge again. */
  consume(ids: readonly RuleId[]): boolean;
  /** Stores those that are not there yet, all or none, and returns them. Throws `request/not-possible`. */
  add(drafts: readonly RuleDraft[], from: Provenance): readonly ApprovalRule[];
  /** Throws `not-found`. */
  remove(id: RuleId): void;
  all(): readonly ApprovalRule[];
  list(): ListedRule[];
}

/** Whether a pattern rule holds where a line would run; `directories` are those that the line itself leads to, looked up only when they matter. */
export const holdsFor = ({ scope, backend }: Pick<PatternRule, 'scope' | 'backend'>, where: Pick<RuleContext, 'sessionId' | 'cwd' | 'backend'>, directories: () => readonly string[]): boolean => {
  if (backend !== null && backend !== where.backend) return false;
  if (scope.kind !== 'project') return scope.kind === 'everywhere' || scope.sessionId === where.sessionId;
  return (where.cwd !== undefined && isInside(where.cwd, scope.root)) || directories().some((directory) => isInside(directory, scope.root));
};

export function createRules({ storage, clock, ids, events, log, redact, inspect }: RulesParts): Rules {
  /** What a rule's examples say of it; a stored rule never changes. */
  const examples = new Map<RuleId, string | undefined>();
  const mended = (rule: ApprovalRule): boolean => {
    if (!examples.has(rule.id)) {
      const failed = failedExample(rule, inspect);
      if (failed !== undefined) log.warn('an example of a stored rule fails', { rule: rule.id, failed });
      examples.set(rule.id, failed);
    }
    return examples.get(rule.id) === undefined;
  };
  /** A failing example takes an allow rule out; what forbids or asks goes on doing so. */
  const holds = (rule: ApprovalRule, now: number): boolean => lapsed(rule, now) === undefined && (rule.kind !== 'allow' || mended(rule));
  const changed = (): void => { events.publish('allowlist', { type: 'changed' }); };
  const all = (): ApprovalRule[] => storage.approvalRules.list();

  for (const rule of all()) mended(rule);

  return {
    all,
    holding: () => {
      const now = clock.now();
      const rules = all().filter((rule) => holds(rule, now));
      return {
        allow: rules.filter((rule) => rule.kind === 'allow'),
        ask: rules.filter((rule): rule is PatternRule => rule.kind === 'ask'),
        deny: rules.filter((rule): rule is PatternRule => rule.kind === 'deny'),
      };
    },
    consume: (used) => used.length === 0 || storage.approvalRules.use([...new Set(used)], clock.now()),
    add: (drafts, from) => {
      for (const draft of drafts) checkDraft(draft, inspect);
      const now = clock.now();
      const stored = storage.transaction(() => {
        const there = all();
        const fresh = drafts.filter((draft, index) => drafts.findIndex((other) => sameRule(other, draft)) === index && !there.some((rule) => sameRule(rule, draft) && lapsed(rule, now) === undefined));
        if (there.length + fresh.length > MOST_RULES) throw new AppError('request/not-possible', `There are ${MOST_RULES} rules already.`, { hint: 'Remove some that are not used.' });
        return fresh.map((draft) => {
          const rule: ApprovalRule = {
            ...draft, id: RuleId.parse(`rule_${ids.hex(8)}`), createdAt: now, createdBy: from.by, createdIn: from.sessionId ?? null,
            createdFrom: from.command === undefined ? null : redact(from.command).slice(0, NOTED_COMMAND_CHARS), uses: 0, lastUsedAt: null,
          };
          storage.approvalRules.insert(rule);
          return rule;
        });
      });
      if (stored.length > 0) changed();
      return stored;
    },
    remove: (id) => {
      if (!storage.approvalRules.remove(id)) throw new AppError('not-found', `there is no rule with the id ${id}`, { hint: 'It was removed before: read the list again.' });
      examples.delete(id);
      changed();
    },
    list: () => {
      const now = clock.now();
      const rules = all();
      return rules.map((rule) => ({ rule, text: ruleText(rule), holds: holds(rule, now), remarks: remarksOn(rule, rules, now, inspect) }));
    },
  };
}
