/** What crosses about approvals: the verdict on a command, the requests waiting for a person, the stored rules. */
import { z } from 'zod';
import { ApprovalId, CallId, SessionId } from './ids.ts';

/** `allow` runs, `ask` waits for a person, `block` never runs. Strictness grows in this order. */
export const Verdict = z.enum(['allow', 'ask', 'block']);
export type Verdict = z.infer<typeof Verdict>;

/** The kind of harm a finding is about; one colour and one word on the card. */
export const FindingClass = z.enum([
  'delete', 'disk', 'permissions', 'sql', 'system-config', 'credentials', 'services', 'processes', 'remote-code',
  'interpreter', 'git-history', 'containers', 'packages', 'metadata', 'persistence', 'exfiltration', 'power',
  'windows', 'agent-self', 'privilege', 'unknown', 'limit', 'user-rule',
]);
export type FindingClass = z.infer<typeof FindingClass>;

/** One thing the detector saw. `start`/`end` are UTF-16 offsets into the command as the model wrote it. */
export const Finding = z.object({
  /** Approval key: Hermes' human description of the pattern (hermes-runtime 4.4), stable across versions. */
  key: z.string(),
  description: z.string(),
  class: FindingClass,
  /** The effect in words: "deletes /srv/data and everything below". */
  effect: z.string(),
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  /** `floor` findings block whatever the mode; `danger` and `unknown` ask. */
  tier: z.enum(['floor', 'danger', 'unknown']),
});
export type Finding = z.infer<typeof Finding>;

/** One simple command of a line, as found in the syntax tree, with the verdict that it got on its own. */
export const CommandPart = z.object({
  text: z.string(),
  argv: z.array(z.string()),
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  /** How many wrappers or nested scripts lie around it (0 = typed at the top). */
  depth: z.int().nonnegative(),
  verdict: Verdict,
  rule: z.string().optional(),
});
export type CommandPart = z.infer<typeof CommandPart>;

export const CommandReview = z.object({
  verdict: Verdict,
  findings: z.array(Finding),
  parts: z.array(CommandPart),
  /** The stored rule or setting that decided, in words, where one did. */
  rule: z.string().optional(),
});
export type CommandReview = z.infer<typeof CommandReview>;

/** What a command reaches, looked at while its card is open. Null = not known in time. */
export const BlastRadius = z.object({
  /** `unknown`: nothing about files could be found out within the time; `why` says what stood against it. */
  state: z.enum(['known', 'unknown']),
  why: z.string().optional(),
  /** The first 20 paths that operands and globs come to. */
  paths: z.array(z.string()),
  /** Files and directories reached, what lies below them included. */
  count: z.int().nonnegative().nullable(),
  bytes: z.number().nonnegative().nullable(),
  /** Of the operands' paths, how many lie outside `workspace`. */
  outside: z.int().nonnegative().nullable(),
  workspace: z.string().nullable(),
  /** Files among them that git does not know, and those with changes that are in no commit. Null outside a repository. */
  untracked: z.int().nonnegative().nullable(),
  dirty: z.int().nonnegative().nullable(),
  /** Mount points at or below what is reached. */
  mounts: z.array(z.string()),
  /** Host names and addresses in the command. */
  hosts: z.array(z.string()),
  /** The user whose rights it asks for, such as `root`. */
  privilege: z.string().nullable(),
});
export type BlastRadius = z.infer<typeof BlastRadius>;

/** `created → delivered → seen → held → approved | denied | expired | cancelled` */
export const ApprovalState = z.enum(['created', 'delivered', 'seen', 'held', 'approved', 'denied', 'expired', 'cancelled']);
export type ApprovalState = z.infer<typeof ApprovalState>;

export const ApprovalChoice = z.enum(['once', 'session', 'always', 'deny']);
export type ApprovalChoice = z.infer<typeof ApprovalChoice>;

export const ApprovalRequest = z.object({
  id: ApprovalId,
  sessionId: SessionId,
  sessionTitle: z.string(),
  /** The chat that a person talks to, where a sub-agent of it asks. */
  chatId: SessionId.optional(),
  callId: CallId.optional(),
  /** Which agent asks when it is not the chat's own: the sub-agent's name. */
  agent: z.string().optional(),
  tool: z.string(),
  /** Exactly what will run, byte for byte. */
  command: z.string(),
  cwd: z.string(),
  backend: z.string(),
  host: z.string(),
  user: z.string(),
  /** What the command may write and reach, when a wall of the operating system stands around it. */
  sandbox: z.string().optional(),
  review: CommandReview,
  /** Why it stopped, in words; one sentence per finding. */
  reason: z.string(),
  /** The model's own words on why it wants this; shown as an untrusted quote. */
  wants: z.string().optional(),
  state: ApprovalState,
  createdAt: z.number(),
  /** Epoch ms at which silence becomes denial; null while held. */
  expiresAt: z.number().nullable(),
  allowSession: z.boolean(),
  allowAlways: z.boolean(),
  /** What "always" would write into `command_allowlist`. What is saved is what was shown. */
  alwaysEntries: z.array(z.string()),
  decidedAt: z.number().optional(),
  choice: z.enum(['once', 'session', 'always', 'deny', 'timeout', 'cancelled']).optional(),
  /** Where the answer came from: `desktop`, `cli`, …; of an automatic one what gave it: `rule`, `smart`, `off`, `yolo`, `unattended`, `floor`, `deny rule`. */
  decidedBy: z.string().optional(),
  /** Decided without asking anybody; `review.rule` says by what. */
  automatic: z.literal(true).optional(),
  /** The person refused the same effect in this chat before: when, and the command of then. */
  deniedBefore: z.string().optional(),
  denyReason: z.string().optional(),
  /** The text that ran when the person edited it before running. */
  editedCommand: z.string().optional(),
  exitCode: z.number().nullable().optional(),
  /** Comes a moment after the request itself, with a `changed` event. */
  blast: BlastRadius.optional(),
  /** The reviewing model advises against it. */
  smartDenied: z.literal(true).optional(),
  /** Nobody waits for its answer: once it is allowed, the same command of this chat runs one time without asking. `used`: it has. */
  leftOpen: z.enum(['waiting', 'used']).optional(),
  /** The rules that "always" saved, in words. */
  savedRules: z.array(z.string()).optional(),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** One line of the permanent allowlist (`command_allowlist` in config.yaml). */
export const AllowlistEntry = z.object({
  entry: z.string(),
  kind: z.enum(['description', 'legacy-key', 'literal', 'glob']),
  createdAt: z.number().optional(),
  createdFrom: z.string().optional(),
  createdBy: z.string().optional(),
  lastUsedAt: z.number().optional(),
  uses: z.number().optional(),
  /** A hygiene remark: duplicate, too wide, unknown key. */
  warning: z.string().optional(),
});
export type AllowlistEntry = z.infer<typeof AllowlistEntry>;
