/**
 * Every request a screen may make: one entry, one handler in `main/bridge/`. Input is checked by its schema in the host
 * whichever transport brought it; output types what the handler must return.
 */
import { z } from 'zod';
import { BackendVerdict, ImportPreview, ListedRule, RuleChoice, RuleDraft, RuleId, RulePreview } from './approval-rules.ts';
import { AllowlistEntry, ApprovalChoice, ApprovalRequest, CommandReview } from './approvals.ts';
import { MOST_ATTACHMENTS } from './attachments.ts';
import { CredentialRequest } from './credentials.ts';
import { Checkpoint, CheckpointDiff, CheckpointId, CheckpointRestored } from './checkpoints.ts';
import { ApprovalId, AttachmentId, CallId, CredentialId, MessageId, SessionId, TerminalId } from './ids.ts';
import { FormReply } from './mcp.ts';
import { Done, LARGE_CHARS, Nothing, OfSession, request } from './request.ts';
import { serviceRequests } from './requests-services.ts';
import { toolRequests } from './requests-tools.ts';
import { FoundInChat, Message, Question, SearchHit, SearchRole, Session, TodoItem } from './sessions.ts';
import { ChatSandbox, BackendInfo, DoctorLine, FoundServer, HostInfo, ModelConnection, ModelTestStep, Settings, SandboxMode } from './settings.ts';
import { ProcessInfo, Terminal } from './terminal.ts';

const Title = z.string().trim().min(1).max(100);

/** A chat opened: everything needed to draw it, and the number of the last chat event that is already in it. */
const OpenedSession = z.object({
  session: Session,
  messages: z.array(Message),
  /** True when older messages exist: ask `sessions.messages` with `before`. */
  more: z.boolean(),
  questions: z.array(Question),
  todos: z.array(TodoItem),
  /** A turn of this chat runs here. Its status alone does not say so: a question from outside of any turn waits as well. */
  running: z.boolean(),
  /** Apply only chat events of this session with a larger `seq`. */
  seq: z.number(),
});
export type OpenedSession = z.infer<typeof OpenedSession>;

/** `process`: switched off for the whole run (`--yolo`, HERMES_YOLO_MODE at start). `sessions`: chats in which it is switched off. */
const YoloState = z.object({ process: z.boolean(), sessions: z.array(SessionId) });
export type YoloState = z.infer<typeof YoloState>;

const ConnectionInput = z.object({
  baseUrl: z.url({ protocol: /^https?$/ }).max(2_000),
  model: z.string().trim().min(1).max(200),
  /** Absent = keep the stored key. Empty = no key. */
  key: z.string().max(4_000).optional(),
}).strict();

export const requests = {
  'host.info': request(Nothing, HostInfo),
  'host.doctor': request(Nothing, z.array(DoctorLine)),
  'host.backends': request(Nothing, z.array(BackendInfo)),
  /** Keeps the key of a hosted service in the keychain; an empty one removes it. */
  'host.setBackendKey': request(z.object({ variable: z.string().regex(/^[A-Z][A-Z0-9_]{2,60}$/), value: z.string().max(8_000) }).strict(), z.array(BackendInfo)),
  'host.openLink': request(z.object({ url: z.url({ protocol: /^https?$/ }).max(8_000) }).strict(), Done),

  'sessions.list': request(Nothing, z.array(Session)),
  'sessions.create': request(z.object({ title: Title.optional(), cwd: z.string().max(4_000).optional() }).strict(), Session),
  'sessions.open': request(OfSession.extend({ limit: z.int().min(1).max(1_000).optional() }), OpenedSession),
  'sessions.messages': request(
    OfSession.extend({ before: z.number(), limit: z.int().min(1).max(1_000) }),
    z.object({ messages: z.array(Message), more: z.boolean() }),
  ),
  /**
   * A new chat with the history of this one: up to and including `messageId` (or all of it), or, with `text`, up to that message of the person's,
   * which is then said in these words instead. Nothing changes in this chat. `session/busy` while something in what would be copied still runs.
   */
  'sessions.fork': request(OfSession.extend({ messageId: MessageId.optional(), text: z.string().min(1).max(2_000_000).optional() }), Session, LARGE_CHARS),
  /** Where these words stand in all of the chat, as they read: from the oldest message on, in upper or lower case. */
  'sessions.find': request(OfSession.extend({ query: z.string().max(500) }), FoundInChat),
  'sessions.rename': request(OfSession.extend({ title: Title }), Session),
  'sessions.delete': request(OfSession, Session),
  /** Undo of `sessions.delete`. */
  'sessions.restore': request(OfSession, Session),
  'sessions.setCwd': request(OfSession.extend({ cwd: z.string().min(1).max(4_000) }), Session),
  /** Null: the one set for all chats. The chat goes on in the folder that the backend starts in. */
  'sessions.setBackend': request(OfSession.extend({ backend: z.string().min(1).max(40).nullable() }), Session),
  'sessions.setModel': request(OfSession.extend({ model: z.string().max(200).nullable() }), Session),
  /** All of a chat as one text, without known secrets, and a name for its file. */
  'sessions.export': request(OfSession.extend({ format: z.enum(['markdown', 'json']) }), z.object({ fileName: z.string(), text: z.string() })),
  /** Newest first. What is left out of the filter is not looked at. Times in ms, both included. */
  'sessions.search': request(
    z.object({
      query: z.string().max(1_000), limit: z.int().min(1).max(100).optional(), roles: z.array(SearchRole).max(4).optional(), tool: z.string().trim().min(1).max(200).optional(),
      from: z.number().optional(), to: z.number().optional(), sessionId: SessionId.optional(),
    }).strict(),
    z.array(SearchHit),
  ),

  /**
   * Say something. `!command` runs the terminal tool, `/tool NAME {json}` dispatches a tool, other text goes to the model.
   * While the agent works the message is queued, or with `steer` put before its next model request. `attachments`, put there by `composer.attach`, go with words for the model only.
   */
  'chat.send': request(OfSession.extend({ text: z.string().max(2_000_000), steer: z.boolean().optional(), attachments: z.array(AttachmentId).max(MOST_ATTACHMENTS).optional() }), Message, LARGE_CHARS),
  'chat.unqueue': request(OfSession.extend({ messageId: MessageId }), Done),
  'chat.stop': request(OfSession, Done),
  /** Ends one running call; the turn goes on and the model reads that it was stopped. `request/not-possible` once it has ended. */
  'chat.stopCall': request(OfSession.extend({ callId: CallId }), Done),
  /** Run the last user message again after an error or a stop. */
  'chat.retry': request(OfSession, Done),
  /** A question with a form is answered by `reply`; `answer` then counts for nothing. Throws `request/invalid` when a value does not fit its field: the question stays open. */
  'chat.answer': request(z.object({ callId: CallId, answer: z.string().max(20_000).default(''), reply: FormReply.optional() }).strict(), Done),
  'chat.result': request(z.object({ callId: CallId }).strict(), z.object({ text: z.string() })),
  'tour.start': request(Nothing, Session),

  'approvals.list': request(Nothing, z.array(ApprovalRequest)),
  'approvals.history': request(
    z.object({ query: z.string().max(1_000).optional(), limit: z.int().min(1).max(1_000).optional() }).strict(),
    z.array(ApprovalRequest),
  ),
  /** Exactly once: a second answer is refused with `approval/late`. */
  'approvals.decide': request(
    z.object({
      id: ApprovalId,
      choice: ApprovalChoice,
      reason: z.string().max(4_000).optional(),
      /** Run this text instead: it is classified anew and must not be stricter than what was asked. */
      editedCommand: z.string().min(1).max(128_000).optional(),
      /** With `always`: save this rule of ours instead of `alwaysEntries`. */
      rule: RuleChoice.optional(),
    }).strict(),
    ApprovalRequest, 1_000_000,
  ),
  'approvals.hold': request(z.object({ id: ApprovalId, held: z.boolean() }).strict(), ApprovalRequest),
  'approvals.seen': request(z.object({ id: ApprovalId }).strict(), Done),
  /** Settled requests as one text, newest first: JSON, or a table (RFC 4180) whose cells no spreadsheet takes for formulas. */
  'approvals.export': request(z.object({ format: z.enum(['json', 'csv']), query: z.string().max(1_000).optional() }).strict(), z.object({ text: z.string(), count: z.number() })),
  /** Approve everything but floors and deny rules in one chat until it is switched off or the app ends. */
  'approvals.setYolo': request(OfSession.extend({ on: z.boolean() }), YoloState),
  'approvals.yolo': request(Nothing, YoloState),

  'allowlist.list': request(Nothing, z.array(AllowlistEntry)),
  'allowlist.add': request(z.object({ entry: z.string().trim().min(1).max(8_000) }).strict(), z.array(AllowlistEntry)),
  'allowlist.remove': request(z.object({ entry: z.string().max(8_000) }).strict(), z.array(AllowlistEntry)),
  /** Puts an entry back that was removed, with its origin, age and use. */
  'allowlist.restore': request(z.object({ entry: z.string().trim().min(1).max(8_000) }).strict(), z.array(AllowlistEntry)),
  /** What stops a command, as a list that people can read: the built-in patterns, and those of `approvals.patterns` in config.yaml. */
  'allowlist.patterns': request(Nothing, z.array(z.object({ pattern: z.string(), description: z.string(), tier: z.enum(['floor', 'danger', 'unknown']), own: z.boolean() }))),
  'allowlist.test': request(
    z.object({ command: z.string().max(128_000), backend: z.string().max(40).optional(), sessionId: SessionId.optional() }).strict(),
    CommandReview.extend({ backends: z.array(BackendVerdict).optional() }), 1_000_000,
  ),

  'approvalRules.list': request(Nothing, z.array(ListedRule)),
  'approvalRules.add': request(z.object({ rule: RuleDraft }).strict(), z.array(ListedRule)),
  'approvalRules.remove': request(z.object({ id: RuleId }).strict(), z.array(ListedRule)),
  /** Changes how far a rule goes, how long, or its examples; where it came from and how often it was used stay. */
  'approvalRules.update': request(z.object({ id: RuleId, rule: RuleDraft }).strict(), z.array(ListedRule)),
  /** Puts rules back that were removed, as they were. */
  'approvalRules.restore': request(z.object({ ids: z.array(RuleId).min(1).max(2_000) }).strict(), z.array(ListedRule)),
  /** A decided command becomes an example of a rule: what it must match, or must never match. */
  'approvalRules.addExample': request(z.object({ id: RuleId, command: z.string().min(1).max(8_000), matches: z.boolean() }).strict(), z.array(ListedRule)),
  /** What "always" would save for an open request, level by level. `scope` and `anyBackend` as the answer would name them. */
  'approvalRules.preview': request(
    z.object({ id: ApprovalId, scope: RuleChoice.shape.scope.optional(), anyBackend: z.boolean().optional() }).strict(), RulePreview,
  ),
  /** The permanent list and our own rules as JSON. */
  'approvalRules.export': request(Nothing, z.object({ text: z.string() })),
  /** What a file of that form would change. Nothing is changed. */
  'approvalRules.importPreview': request(z.object({ text: z.string().max(1_000_000) }).strict(), ImportPreview, LARGE_CHARS),
  /** Takes over exactly the items that are named. Answers what is left to accept. */
  'approvalRules.importAccept': request(z.object({ text: z.string().max(1_000_000), ids: z.array(z.string().max(100)).max(10_000) }).strict(), ImportPreview, LARGE_CHARS),

  /** What waits for a person to type or agree. */
  'credentials.list': request(Nothing, z.array(CredentialRequest)),
  /** Exactly once. Null = not given; for `confirm` any text is a yes. It is handed to what asked, and kept nowhere else. */
  'credentials.answer': request(z.object({ id: CredentialId, value: z.string().max(10_000).nullable() }).strict(), Done),

  'terminals.list': request(Nothing, z.array(Terminal)),
  /** A shell of the person's own. */
  'terminals.open': request(
    z.object({ cwd: z.string().max(4_000).optional(), sessionId: SessionId.optional(), cols: z.int().min(2).max(1_000), rows: z.int().min(1).max(1_000) }).strict(),
    Terminal,
  ),
  /** Start receiving output: `snapshot` redraws the screen with its scrollback, output frames follow under `attachment`. */
  'terminals.attach': request(
    z.object({ id: TerminalId }).strict(),
    z.object({ terminal: Terminal, attachment: z.number(), snapshot: z.string() }),
  ),
  'terminals.detach': request(z.object({ attachment: z.number() }).strict(), Done),
  'terminals.ack': request(z.object({ attachment: z.number(), bytes: z.int().nonnegative() }).strict(), Done),
  /** Only the driver's keys arrive: `terminal/read-only` until the person took over. `data` is what the keyboard made. */
  'terminals.write': request(z.object({ id: TerminalId, data: z.string().max(2_000_000) }).strict(), Done, LARGE_CHARS),
  'terminals.resize': request(z.object({ id: TerminalId, cols: z.int().min(2).max(1_000), rows: z.int().min(1).max(1_000) }).strict(), Done),
  'terminals.drive': request(z.object({ id: TerminalId, driver: z.enum(['agent', 'user']) }).strict(), Terminal),
  /** `interrupt` = Ctrl-C, `terminate` = SIGTERM to the tree, `kill` = whole tree with escalation. */
  'terminals.kill': request(z.object({ id: TerminalId, how: z.enum(['interrupt', 'terminate', 'kill']) }).strict(), Terminal),
  'terminals.rename': request(z.object({ id: TerminalId, title: Title }).strict(), Terminal),
  /** Take an ended one off the list; its capture stays on disk with its tool call. */
  'terminals.dismiss': request(z.object({ id: TerminalId }).strict(), Done),
  /** All that it printed, without known secrets: the last 16 MB of it. `path` is the file with every byte. */
  'terminals.text': request(z.object({ id: TerminalId }).strict(), z.object({ text: z.string(), path: z.string().nullable() })),
  /** Escape sequences that draw what it shows and what is kept above, without known secrets. */
  'terminals.screen': request(z.object({ id: TerminalId }).strict(), z.object({ screen: z.string() })),
  'processes.list': request(Nothing, z.array(ProcessInfo)),

  'sandbox.get': request(OfSession, ChatSandbox),
  /** For one chat, from its next command on; null = what is set for all. */
  'sandbox.set': request(OfSession.extend({ sandbox: z.object({ mode: SandboxMode, network: z.boolean() }).strict().nullable() }), ChatSandbox),

  /** What was kept before tools changed files, newest first: of all chats, of one, or of one call. */
  'checkpoints.list': request(
    z.object({ sessionId: SessionId.optional(), callId: CallId.optional(), limit: z.int().min(1).max(1_000).optional() }).strict(), z.array(Checkpoint),
  ),
  /** From then to now, whole or of one path. */
  'checkpoints.diff': request(z.object({ id: CheckpointId, path: z.string().max(4_000).optional() }).strict(), CheckpointDiff),
  /** Puts files back: of this checkpoint, or with `since` of it and of all later ones of its chat. */
  'checkpoints.restore': request(z.object({ id: CheckpointId, path: z.string().max(4_000).optional(), since: z.boolean().optional() }).strict(), CheckpointRestored),

  ...toolRequests,
  ...serviceRequests,

  'models.current': request(Nothing, ModelConnection.nullable()),
  'models.discover': request(Nothing, z.array(FoundServer)),
  'models.list': request(z.object({ baseUrl: z.url({ protocol: /^https?$/ }), key: z.string().max(4_000).optional() }).strict(), z.array(z.string())),
  'models.test': request(ConnectionInput, z.array(ModelTestStep)),
  'models.save': request(ConnectionInput, ModelConnection),

  'settings.get': request(Nothing, Settings),
  'settings.set': request(
    z.object({
      approvalsMode: z.enum(['manual', 'smart', 'off']).optional(),
      approvalsTimeoutSeconds: z.int().min(5).max(31_536_000).optional(),
      terminalBackend: z.string().regex(/^[a-z_]{1,40}$/).optional(),
      terminalSandbox: SandboxMode.optional(),
      terminalSandboxNetwork: z.boolean().optional(),
      terminalTimeoutSeconds: z.int().min(1).max(86_400).optional(),
      terminalFontSize: z.int().min(9).max(28).optional(),
      terminalScreenReader: z.boolean().optional(),
      terminalFollowNewest: z.boolean().optional(),
      maxIterations: z.int().min(1).max(10_000).optional(),
      theme: z.enum(['system', 'light', 'dark']).optional(),
      modelVision: Settings.shape.model.shape.vision.optional(),
    }).strict(),
    Settings,
  ),
} as const;

export type Requests = typeof requests;
export type RequestName = keyof Requests;
/** What a caller hands over. */
export type RequestInput<Name extends RequestName> = z.input<Requests[Name]['input']>;
/** What a handler receives, after the schema. */
export type ParsedInput<Name extends RequestName> = z.output<Requests[Name]['input']>;
export type RequestOutput<Name extends RequestName> = z.output<Requests[Name]['output']>;
