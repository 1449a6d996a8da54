/** The rule that "always" will save, while a person puts it together. Pure. */
import type { RuleChoice, RuleLevel, RulePreview } from '../../../preload/contract/approval-rules.ts';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import type { Answer } from './actions.ts';

export type RuleScopeName = RuleChoice['scope'];
export type Lasting = 'for-good' | 'hour' | 'day' | 'month' | 'uses';

/** What the host offers for one scope and backend. `loading` keeps no older offer: what is saved is what is shown. */
export type Offer =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly why: string }
  | { readonly state: 'ready'; readonly preview: RulePreview };

export interface AlwaysForm {
  /** A rule about this command, or the lines of `command_allowlist`; undefined = the person has not chosen, and the narrower one counts. */
  readonly way: 'rule' | 'config' | undefined;
  /** Id of the chosen level; undefined = the narrowest. */
  readonly level: string | undefined;
  readonly scope: RuleScopeName;
  readonly anyBackend: boolean;
  readonly lasting: Lasting;
  /** As typed; counts with `lasting: 'uses'`. */
  readonly uses: string;
  readonly offer: Offer;
}

export const emptyAlwaysForm: AlwaysForm = { way: undefined, level: undefined, scope: 'project', anyBackend: false, lasting: 'for-good', uses: '10', offer: { state: 'loading' } };

/** The contract's limit. */
export const MOST_USES = 1_000_000;

export const LASTING: readonly { readonly lasting: Lasting; readonly words: string; readonly milliseconds?: number }[] = [
  { lasting: 'for-good', words: 'For good' },
  { lasting: 'hour', words: '1 hour', milliseconds: 3_600_000 },
  { lasting: 'day', words: '1 day', milliseconds: 86_400_000 },
  { lasting: 'month', words: '30 days', milliseconds: 2_592_000_000 },
  { lasting: 'uses', words: 'A number of times' },
];

/** A changed scope or backend makes what was offered for the old one worthless. */
export function withReach(form: AlwaysForm, reach: Partial<Pick<AlwaysForm, 'scope' | 'anyBackend'>>): AlwaysForm {
  return { ...form, ...reach, offer: { state: 'loading' } };
}

export function levelsOf({ offer }: AlwaysForm): readonly RuleLevel[] {
  return offer.state === 'ready' ? offer.preview.levels : [];
}

export function chosenLevel(form: AlwaysForm): RuleLevel | undefined {
  const levels = levelsOf(form);
  return levels.find(({ id }) => id === form.level) ?? levels[0];
}

/** The form that would be saved now: config.yaml by itself only where no rule can be made. */
export function wayOf(form: AlwaysForm): 'rule' | 'config' {
  if (form.way !== undefined) return form.way;
  return form.offer.state === 'ready' && form.offer.preview.levels.length === 0 ? 'config' : 'rule';
}

/** Undefined when the field does not hold a whole number that counts. */
export function usesOf(form: Pick<AlwaysForm, 'uses'>): number | undefined {
  const text = form.uses.trim();
  const uses = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return uses >= 1 && uses <= MOST_USES ? uses : undefined;
}

/** The answer that this form stands for; undefined while there is nothing that could be saved as shown. */
export function alwaysAnswer(form: AlwaysForm): Answer | undefined {
  if (wayOf(form) === 'config') return { choice: 'always' };
  const level = chosenLevel(form);
  if (level === undefined) return undefined;
  const maxUses = form.lasting === 'uses' ? usesOf(form) : null;
  if (maxUses === undefined) return undefined;
  const expiresInMs = LASTING.find(({ lasting }) => lasting === form.lasting)?.milliseconds ?? null;
  return { choice: 'always', rule: { level: level.id, scope: form.scope, anyBackend: form.anyBackend, expiresInMs, maxUses } };
}

/** Where, on which backend and for how long, as one clause: "everywhere, only on local, for good". */
export function reachWords(form: AlwaysForm, request: Pick<ApprovalRequest, 'backend' | 'cwd'>): string {
  const scope = chosenLevel(form)?.drafts[0]?.scope;
  const where = form.scope === 'chat' ? 'in this chat' : form.scope === 'everywhere' ? 'in every chat and directory' : `below ${scope?.kind === 'project' ? scope.root : request.cwd}`;
  const backend = form.anyBackend ? 'on every backend' : `only on ${request.backend}`;
  const uses = usesOf(form);
  const long = form.lasting === 'uses' ? `${uses === undefined ? 'a number of' : uses} ${uses === 1 ? 'time' : 'times'}` : form.lasting === 'for-good' ? 'for good' : `for ${LASTING.find(({ lasting }) => lasting === form.lasting)?.words ?? ''}`;
  return `${where}, ${backend}, ${long}`;
}

/** "Lets through exactly this", "… and whatever stands behind it". */
export function levelWords(level: Pick<RuleLevel, 'drafts'>): string {
  return level.drafts.some(({ anyArgs }) => anyArgs) ? 'with any further words behind it' : 'exactly these words';
}

/** What the host found in the last 30 days. */
export function alsoAllowedWords({ alsoAllowed: { count, searched } }: Pick<RuleLevel, 'alsoAllowed'>): string {
  if (searched === 0) return 'No other command was asked about in the last 30 days.';
  if (count === 0) return `Would have let through none of the ${searched} other ${searched === 1 ? 'command' : 'commands'} asked about in the last 30 days.`;
  return `Would also have let through ${count} of the ${searched} other ${searched === 1 ? 'command' : 'commands'} asked about in the last 30 days:`;
}
