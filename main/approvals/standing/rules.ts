/** The stored rules of this home: read anew for every command, so that what another window or process changed counts at once. */
import { RuleId, type AllowRule, type ApprovalRule, type ListedRule, type PatternRule, type RuleDraft } from '../../../preload/contract/approval-rules.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import type { Clock, EventBus, Ids, Log, Storage } from '../../ports.ts';
import { checkDraft, failedExample, type Inspect } from './check.ts';
import { isInside, type RuleContext } from './coverage.ts';
import { identity, lapsed, remarksOn, sameRule } from './hygiene.ts';
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
  /** Takes the draft for the rule of that id; its age, origin and use stay. Throws `not-found` and `request/not-possible`. */
  update(id: RuleId, draft: RuleDraft): void;
  /** Puts removed rules back as they were. Throws `not-found` for one that this process did not remove lately. */
  restore(ids: readonly RuleId[]): void;
  all(): readonly ApprovalRule[];
  list(): ListedRule[];
}

/** Whether a pattern rule holds where a line would run; `directories` are those that the line itself leads to, looked up only when they matter. */
export const holdsFor = ({ scope, backend }: Pick<PatternRule, 'scope' | 'backend'>, where: Pick<RuleContext, 'chats' | 'cwd' | 'backend'>, directories: () => readonly string[]): boolean => {
  if (backend !== null && backend !== where.backend) return false;
  if (scope.kind !== 'project') return scope.kind === 'everywhere' || where.chats?.includes(scope.sessionId) === true;
  return (where.cwd !== undefined && isInside(where.cwd, scope.root)) || directories().some((directory) => isInside(directory, scope.root));
};

export function createRules({ storage, clock, ids, events, log, redact, inspect }: RulesParts): Rules {
  /** What a rule's examples say of it, by what the rule says: an edit in another process is another text. */
  const examples = new Map<RuleId, { readonly says: string; readonly failed: string | undefined }>();
  const mended = (rule: ApprovalRule): boolean => {
    const says = identity(rule) + JSON.stringify(rule.examples);
    let known = examples.get(rule.id);
    if (known?.says !== says) {
      known = { says, failed: failedExample(rule, inspect) };
      if (known.failed !== undefined) log.warn('an example of a stored rule fails', { rule: rule.id, failed: known.failed });
      examples.set(rule.id, known);
    }
    return known.failed === undefined;
  };
  /** Rules removed by this process, oldest first: an undo brings back the same rule, not a new one. */
  const removed = new Map<RuleId, ApprovalRule>();
  const missing = (id: RuleId): AppError => new AppError('not-found', `there is no rule with the id ${id}`, { hint: 'It was removed before: read the list again.' });
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
      const rule = storage.transaction(() => {
        const found = all().find((each) => each.id === id);
        // A rule that is not readable can go all the same.
        return storage.approvalRules.remove(id) ? found ?? 'unreadable' : undefined;
      });
      if (rule === undefined) throw missing(id);
      if (rule !== 'unreadable') removed.set(id, rule);
      for (const oldest of removed.keys()) {
        if (removed.size <= MOST_RULES) break;
        removed.delete(oldest);
      }
      examples.delete(id);
      changed();
    },
    update: (id, draft) => {
      checkDraft(draft, inspect);
      storage.transaction(() => {
        const there = all();
        const old = there.find((rule) => rule.id === id);
        if (old === undefined) throw missing(id);
        if (there.some((rule) => rule.id !== id && sameRule(rule, draft))) throw new AppError('request/not-possible', 'There is the same rule already.', { hint: 'Remove this one instead.' });
        const { createdAt, createdBy, createdFrom, createdIn, uses, lastUsedAt } = old;
        storage.approvalRules.update({ ...draft, id, createdAt, createdBy, createdFrom, createdIn, uses, lastUsedAt });
      });
      changed();
    },
    restore: (ids) => {
      storage.transaction(() => {
        const there = new Set(all().map((rule) => rule.id));
        for (const id of ids) {
          const rule = removed.get(id);
          if (rule === undefined) throw new AppError('not-found', `the rule ${id} cannot be brought back any more`, { hint: 'Make it again with “Always…” on a card, or write it in Settings.' });
          if (!there.has(id)) storage.approvalRules.insert(rule);
        }
      });
      for (const id of ids) removed.delete(id);
      changed();
    },
    list: () => {
      const now = clock.now();
      const rules = all();
      return rules.map((rule) => ({ rule, text: ruleText(rule), holds: holds(rule, now), remarks: remarksOn(rule, rules, now, inspect) }));
    },
  };
}
