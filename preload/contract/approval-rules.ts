/** Stored rules about commands: what they match, where they hold and for how long, and what a person sees before one is saved. */
import { z } from 'zod';
import { Verdict } from './approvals.ts';
import { SessionId } from './ids.ts';

export const RuleId = z.string().regex(/^rule_[0-9a-z]{12,20}$/).brand<'RuleId'>();
export type RuleId = z.infer<typeof RuleId>;

const Path = z.string().min(1).max(4_000);
const Command = z.string().min(1).max(8_000);

/** One chat, everything below one directory, or every chat. */
export const RuleScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('chat'), sessionId: SessionId }).strict(),
  z.object({ kind: z.literal('project'), root: Path }).strict(),
  z.object({ kind: z.literal('everywhere') }).strict(),
]);
export type RuleScope = z.infer<typeof RuleScope>;

const Limits = {
  scope: RuleScope,
  /** Where commands must run for the rule to hold; null = wherever. */
  backend: z.string().min(1).max(40).nullable(),
  /** Epoch ms from which it does not hold any more. */
  expiresAt: z.number().nullable(),
  /** How often it may decide. */
  maxUses: z.int().min(1).max(1_000_000).nullable(),
  /** Checked whenever rules are read: an allow rule whose examples fail does not hold. */
  examples: z.object({ matches: z.array(Command).max(20), not: z.array(Command).max(20) }).strict(),
} as const;

/** Lets one simple command through: these words, and nothing else unless `anyArgs`. */
export const AllowDraft = z.object({
  kind: z.literal('allow'),
  /** Program first, as the shell passes them. */
  tokens: z.array(z.string().max(8_000)).min(1).max(200),
  /** More words may follow. */
  anyArgs: z.boolean(),
  /** Where the program lies; null where that cannot be known (other machines, shell builtins). */
  path: Path.nullable(),
  ...Limits,
}).strict();
export type AllowDraft = z.infer<typeof AllowDraft>;

/** Asks about, or forbids, every command that the glob matches as a whole; case does not count. */
export const PatternDraft = z.object({ kind: z.enum(['ask', 'deny']), pattern: z.string().trim().min(1).max(1_000), ...Limits }).strict();
export type PatternDraft = z.infer<typeof PatternDraft>;

export const RuleDraft = z.discriminatedUnion('kind', [AllowDraft, PatternDraft]);
export type RuleDraft = z.infer<typeof RuleDraft>;

/** A remark of the housekeeping; `other` names the rule it is about. */
export const RuleRemark = z.object({
  kind: z.enum(['duplicate', 'shadowed', 'unused', 'too-wide', 'missing-path', 'expired', 'used-up', 'examples', 'no-effect']),
  text: z.string(),
  other: RuleId.optional(),
});
export type RuleRemark = z.infer<typeof RuleRemark>;

const Stored = {
  id: RuleId,
  createdAt: z.number(),
  createdBy: z.string(),
  /** The command it was made from, without secrets. */
  createdFrom: z.string().nullable(),
  createdIn: SessionId.nullable(),
  uses: z.int().nonnegative(),
  lastUsedAt: z.number().nullable(),
} as const;
export const AllowRule = AllowDraft.extend(Stored);
export type AllowRule = z.infer<typeof AllowRule>;
export const PatternRule = PatternDraft.extend(Stored);
export type PatternRule = z.infer<typeof PatternRule>;
/** As it is kept. */
export const ApprovalRule = z.discriminatedUnion('kind', [AllowRule, PatternRule]);
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** As a screen lists it: the rule, its words on one line, whether it holds now, and what housekeeping has to say. */
export const ListedRule = z.object({ rule: ApprovalRule, text: z.string(), holds: z.boolean(), remarks: z.array(RuleRemark) });
export type ListedRule = z.infer<typeof ListedRule>;

/** What "always" may save for an open request, at one level of generality. */
export const RuleLevel = z.object({
  /** Says what is in `drafts`: an answer that names another text than the host would save is refused. */
  id: z.string(),
  /** One rule for each stopped part. */
  drafts: z.array(AllowDraft),
  /** The drafts on one line each; `…` at the end = any further words. */
  texts: z.array(z.string()),
  warnings: z.array(z.string()),
  /** Commands that were asked about in the last 30 days and would have run without asking; the first few of them. */
  alsoAllowed: z.object({ count: z.int().nonnegative(), searched: z.int().nonnegative(), commands: z.array(z.string()) }),
  /** Parts of this very line that would still be asked about. */
  stillAsks: z.array(z.object({ text: z.string(), why: z.string() })),
});
export type RuleLevel = z.infer<typeof RuleLevel>;

/** From the narrowest to the widest. Empty with `refused` where no rule can be made, in words. */
export const RulePreview = z.object({ levels: z.array(RuleLevel), refused: z.string().optional() });
export type RulePreview = z.infer<typeof RulePreview>;

/** Which rule "always" saves: a level of the preview, and how far and how long it holds. */
export const RuleChoice = z.object({
  level: z.string().min(1).max(100),
  scope: z.enum(['chat', 'project', 'everywhere']),
  anyBackend: z.boolean().optional(),
  expiresInMs: z.number().min(60_000).max(31_536_000_000).nullable().optional(),
  maxUses: z.int().min(1).max(1_000_000).nullable().optional(),
}).strict();
export type RuleChoice = z.infer<typeof RuleChoice>;

/** One line of an import, and what accepting it would do. `same` is there already, `refused` may not be stored. */
export const ImportItem = z.object({
  id: z.string(),
  what: z.enum(['entry', 'rule']),
  kind: z.enum(['allow', 'ask', 'deny']),
  text: z.string(),
  state: z.enum(['new', 'same', 'refused']),
  why: z.string().optional(),
});
export type ImportItem = z.infer<typeof ImportItem>;

/** `removed`: what is here and not in the file; an import never takes it away. */
export const ImportPreview = z.object({ items: z.array(ImportItem), removed: z.array(z.string()) });
export type ImportPreview = z.infer<typeof ImportPreview>;

/** The verdict that the same command gets on one backend. */
export const BackendVerdict = z.object({ backend: z.string(), verdict: Verdict, rule: z.string().optional() });
export type BackendVerdict = z.infer<typeof BackendVerdict>;
