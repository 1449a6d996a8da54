/** What "always" would save for an open request: from exactly this command up to the widest rule that may be made of it. */
import { createHash } from 'node:crypto';
import type { AllowDraft, AllowRule, RuleChoice, RuleLevel, RulePreview } from '../../../preload/contract/approval-rules.ts';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { Inspection } from '../detect.ts';
import { tokenOf, opaque, open, unfit, uncovered, directoryOf, type RuleContext } from './coverage.ts';
import { checkDraft, isTooWide, type Inspect } from './check.ts';
import { commandText } from './words.ts';

const MOST_LEVELS = 6;
/** A program with one word behind it is the widest that is offered; wider ones are written by hand. */
const LEAST_TOKENS = 2;
const SHOWN_COMMANDS = 5;

/** A line with how it was read, and where. */
export interface Line { readonly command: string; readonly inspection: Inspection; readonly context: RuleContext }

export interface PreviewFacts {
  readonly request: ApprovalRequest;
  readonly line: Line;
  readonly rules: readonly AllowRule[];
  /** Asked about in the last 30 days, this command not among them. */
  readonly history: readonly Line[];
  /** Root of the project that the request's directory belongs to. */
  readonly root: string;
  /** The chat that a person talks to: the one that sent the asking sub-agent out. */
  readonly chat: SessionId;
  readonly inspect: Inspect;
}

export type Reach = Pick<RuleChoice, 'scope' | 'anyBackend' | 'expiresInMs' | 'maxUses'>;

interface Target { readonly part: number; readonly tokens: readonly string[]; readonly path: string | null; readonly exactOnly: boolean; readonly deletes: boolean }
interface Stuck { readonly text: string; readonly why: string }

const idOf = (drafts: readonly AllowDraft[]): string =>
  createHash('sha256').update(JSON.stringify(drafts.map(({ tokens, anyArgs, path }) => [tokens, anyArgs, path]))).digest('hex').slice(0, 16);

/** The command a rule would have to name so that this part runs: the part itself, or the outermost one that leads to it. */
function targetOf(part: number, { inspection: { units, review }, context }: Line): Target | Stuck {
  const unit = units[part];
  const text = review.parts[part]?.text ?? '';
  if (unit === undefined) return { text, why: 'it cannot be told apart' };
  if (unit.findings.some(({ tier }) => tier !== 'danger')) return { text, why: 'it cannot be judged before it runs' };
  const itself = open(unit, units);
  let at = part;
  if (!itself) for (let parent = unit.invocation.parent; parent !== undefined; parent = units[parent]?.invocation.parent) at = parent;
  const { invocation, findings } = units[at] ?? unit;
  const why = unfit(invocation) ?? (findings.some(({ tier }) => tier !== 'danger') ? 'it cannot be judged before it runs' : undefined);
  if (why !== undefined) return { text, why };
  const tokens = invocation.argv.map(tokenOf);
  if (!tokens.every((token) => token !== undefined)) return { text, why: 'a word of it is only known while it runs' };
  const path = context.backend === 'local' ? context.resolve(tokens[0] ?? '', directoryOf(invocation, context)) ?? null : null;
  return { part: at, tokens, path, exactOnly: !itself, deletes: findings.some((finding) => finding.class === 'delete') };
}

/** From exactly these words to fewer and fewer of them, with anything behind. */
function widths({ tokens, exactOnly }: Target): { tokens: readonly string[]; anyArgs: boolean }[] {
  const found = [{ tokens, anyArgs: false }];
  if (exactOnly) return found;
  const prefixes = Array.from({ length: Math.max(0, tokens.length - LEAST_TOKENS + 1) }, (_, index) => ({ tokens: tokens.slice(0, tokens.length - index), anyArgs: true }));
  return [...found, ...prefixes.filter((wide) => !isTooWide({ ...wide, tokens: [...wide.tokens] })).slice(-(MOST_LEVELS - 1))];
}

const reachOf = ({ request, root, chat }: PreviewFacts, { scope, anyBackend, expiresInMs, maxUses }: Reach, now: number): Pick<AllowDraft, 'scope' | 'backend' | 'expiresAt' | 'maxUses' | 'examples'> => ({
  scope: scope === 'chat' ? { kind: 'chat', sessionId: chat } : scope === 'project' ? { kind: 'project', root } : { kind: 'everywhere' },
  backend: anyBackend === true ? null : request.backend,
  expiresAt: expiresInMs === undefined || expiresInMs === null ? null : now + expiresInMs,
  maxUses: maxUses ?? null, examples: { matches: [], not: [] },
});

function refusal({ request, line }: PreviewFacts): string | undefined {
  if (request.tool !== 'terminal') return 'Rules are about commands of the terminal.';
  if (!request.allowAlways) return 'No standing rule can be made of this request.';
  const why = opaque(line.command, line.inspection);
  return why === undefined ? undefined : `No rule can be made of this line: ${why}.`;
}

const isStorable = (draft: AllowDraft, inspect: Inspect): boolean => {
  try {
    checkDraft(draft, inspect);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
};

/** The drafts of each level, narrowest first; `stuck` are parts that no rule can be made of. */
function draftLevels(facts: PreviewFacts, reach: Reach, now: number): { levels: AllowDraft[][]; stuck: Stuck[] } {
  const { line, rules, inspect } = facts;
  const found = uncovered(line.command, line.inspection, rules, line.context).map((part) => targetOf(part, line));
  const stuck = found.filter((one): one is Stuck => 'why' in one);
  const targets = found.filter((one): one is Target => 'tokens' in one).filter((one, index, all) => all.findIndex((other) => other.part === one.part) === index);
  const limits = reachOf(facts, reach, now);
  const candidates = targets.map((target) => widths(target)
    .map(({ tokens, anyArgs }): AllowDraft => ({ kind: 'allow', tokens: [...tokens], anyArgs, path: target.path, ...limits }))
    .filter((draft) => isStorable(draft, inspect) && covers(draft, target.part, facts)));
  const usable = candidates.filter((list) => list.length > 0);
  for (const [index, list] of candidates.entries()) if (list.length === 0) stuck.push({ text: line.inspection.review.parts[targets[index]?.part ?? 0]?.text ?? '', why: 'what it does is asked about each time' });
  const count = Math.max(0, ...usable.map((list) => list.length));
  const levels = Array.from({ length: count }, (_, level) => usable.map((list) => list[Math.min(level, list.length - 1)]).filter((draft) => draft !== undefined))
    .map((drafts) => drafts.filter((draft, index) => drafts.findIndex((other) => commandText(other) === commandText(draft)) === index));
  return { levels, stuck };
}

/** A level that would not let the part through is none. */
const covers = (draft: AllowDraft, part: number, { line, rules }: PreviewFacts): boolean => !uncovered(line.command, line.inspection, [...rules, draft], line.context).includes(part);

/** What each level would save, what else it would have allowed, and what would still be asked about. Looks at no disk and stores nothing. */
export function previewRules(facts: PreviewFacts, reach: Reach, now: number): RulePreview {
  const refused = refusal(facts);
  if (refused !== undefined) return { levels: [], refused };
  const { line, rules, history } = facts;
  const { levels, stuck } = draftLevels(facts, reach, now);
  if (levels.length === 0) return { levels: [], refused: stuck[0] === undefined ? 'Nothing in it needs a rule any more.' : `No rule can be made of "${stuck[0].text}": ${stuck[0].why}.` };
  return {
    levels: levels.map((drafts): RuleLevel => {
      const all = [...rules, ...drafts];
      const passes = history.filter(({ command, inspection, context }) => opens(command, inspection, rules, all, context));
      const left = uncovered(line.command, line.inspection, all, line.context);
      return {
        id: idOf(drafts), drafts, texts: drafts.map(commandText), warnings: drafts.flatMap((draft) => warningsFor(draft, line)),
        alsoAllowed: { count: passes.length, searched: history.length, commands: passes.slice(0, SHOWN_COMMANDS).map(({ command }) => command) },
        stillAsks: left.map((part) => {
          const text = line.inspection.review.parts[part]?.text ?? '';
          return { text, why: stuck.find((one) => one.text === text)?.why ?? 'what it does is asked about each time' };
        }),
      };
    }),
  };
}

/** Asked about with today's rules, and not with the new ones. */
const opens = (command: string, inspection: Inspection, before: readonly AllowDraft[], after: readonly AllowDraft[], context: RuleContext): boolean =>
  inspection.review.verdict === 'ask' && opaque(command, inspection) === undefined
  && uncovered(command, inspection, before, context).length > 0 && uncovered(command, inspection, after, context).length === 0;

function warningsFor(draft: AllowDraft, { inspection }: Line): string[] {
  const found: string[] = [];
  const deletes = inspection.units.some(({ findings }) => findings.some((finding) => finding.class === 'delete'));
  if (draft.anyArgs && deletes && draft.tokens.slice(1).every((token) => token.startsWith('-'))) found.push(`"${commandText(draft)}" deletes whatever is named behind it.`);
  if (draft.tokens.some((token) => /[*?[]/.test(token))) found.push(`"${commandText(draft)}" reaches whatever its pattern finds when it runs.`);
  if (draft.backend === 'local' && draft.path === null) found.push(`${draft.tokens[0] ?? ''} was not found as a program: the rule holds only while that is so.`);
  return found;
}

/** The drafts of the level that an answer names. Throws `request/not-possible` when what would be saved is not what was shown. */
export function chosenDrafts(facts: PreviewFacts, choice: RuleChoice, now: number): AllowDraft[] {
  const refused = refusal(facts);
  const chosen = refused === undefined ? draftLevels(facts, choice, now).levels.find((drafts) => idOf(drafts) === choice.level) : undefined;
  if (chosen === undefined) throw new AppError('request/not-possible', refused ?? 'The rule that was shown is not the one that would be saved now.', { hint: 'Look at the rules offered for this request again.' });
  return chosen;
}
