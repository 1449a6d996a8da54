/**
 * Every request a screen may make: one entry, one handler in `main/bridge/`. Input is checked by its schema in the host
 * whichever transport brought it; output types what the handler must return.
 */
import { z } from 'zod';
import { BackendVerdict, ImportPreview, ListedRule, RuleChoice, RuleDraft, RuleId, RulePreview } from './approval-rules.ts';
import { AllowlistEntry, ApprovalChoice, ApprovalRequest, CommandReview } from './approvals.ts';
import { BrowserInput, BrowserLook } from './browser.ts';
import { CredentialRequest } from './credentials.ts';
import { Checkpoint, CheckpointDiff, CheckpointId, CheckpointRestored } from './checkpoints.ts';
import { ApprovalId, CallId, CredentialId, MessageId, SessionId, TerminalId } from './ids.ts';
import { GatewayHolder, MessengerState, PlatformName } from './gateway.ts';
import { FormReply, McpServerInfo } from './mcp.ts';
import { PluginInfo } from './plugins.ts';
import { Message, Question, SearchHit, SearchRole, Session, TodoItem } from './sessions.ts';
import { SkillFile, SkillInfo, SkillList, SkillPath, SkillText } from './skills.ts';
import { DeliveryTarget, JobId, ScheduleDraft, ScheduleJob, ScheduleRun } from './schedules.ts';
import { ChatSandbox, BackendInfo, DoctorLine, FoundServer, HostInfo, ModelConnection, ModelTestStep, Settings, ToolsetInfo, TriedTool, SandboxMode } from './settings.ts';
import { ProcessInfo, Terminal } from './terminal.ts';

interface RequestSpec<Input extends z.ZodType, Output extends z.ZodType> {
  readonly input: Input;
  readonly output: Output;
  /** Largest accepted request frame, in UTF-16 units of its JSON. */
  readonly maxChars: number;
}

/** Room for a pasted file in a message or a terminal. */
const LARGE_CHARS = 4_000_000;
const SMALL_CHARS = 64_000;

function request<Input extends z.ZodType, Output extends z.ZodType>(
  input: Input, output: Output, maxChars: number = SMALL_CHARS,
): RequestSpec<Input, Output> {
  return { input, output, maxChars };
}

const Nothing = z.object({}).strict();
const Done = z.object({}).strict();
const OfSession = z.object({ sessionId: SessionId }).strict();
const McpName = z.string().min(1).max(200);
const OfPlatform = z.object({ platform: PlatformName }).strict();
const SenderId = z.string().trim().min(1).max(200);
const MediaPiece = z.object({ type: z.string(), total: z.number(), data: z.string() });
/** What the model knows from earlier chats. Sizes and limits in characters. */
const MemoryFile = z.object({ target: z.enum(['memory', 'user']), path: z.string(), text: z.string(), chars: z.number(), limit: z.number(), version: z.string() });
export type MemoryFile = z.infer<typeof MemoryFile>;
const TryId = z.string().min(1).max(60);
const Title = z.string().trim().min(1).max(100);

/** A chat opened: everything needed to draw it, and the number of the last chat event that is already in it. */
const OpenedSession = z.object({
  session: Session,
  messages: z.array(Message),
  /** True when older messages exist: ask `sessions.messages` with `before`. */
  more: z.boolean(),
  questions: z.array(Question),
  todos: z.array(TodoItem),
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
   * While the agent works the message is queued, or with `steer` put before its next model request.
   */
  'chat.send': request(OfSession.extend({ text: z.string().min(1).max(2_000_000), steer: z.boolean().optional() }), Message, LARGE_CHARS),
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

  'toolsets.list': request(z.object({ sessionId: SessionId.optional() }).strict(), z.array(ToolsetInfo)),
  /** With `sessionId`: this chat's switch (null = inherit again). Without: the default for all chats, kept in config.yaml. */
  'toolsets.set': request(
    z.object({ name: z.string().max(100), sessionId: SessionId.optional(), enabled: z.boolean().nullable() }).strict(),
    z.array(ToolsetInfo),
  ),
  /** Forget cached checks and ask again. */
  'toolsets.check': request(z.object({ sessionId: SessionId.optional() }).strict(), z.array(ToolsetInfo)),
  /** The person trusts a user tool (its file), a plugin, or the tools of an MCP server as they are now; by toolset, file or plain name. */
  'toolsets.trust': request(z.object({ name: z.string().max(200) }).strict(), z.array(ToolsetInfo)),

  /**
   * One call by a person, outside any turn, on the whole path of a call: argument check, approvals, limits. Answers when it is over; a refused or
   * failed call is an answer too. `tryId` is the caller's own, to stop it by.
   */
  'tools.try': request(OfSession.extend({ tryId: TryId, name: z.string().min(1).max(200), args: z.record(z.string(), z.unknown()) }), TriedTool, LARGE_CHARS),
  /** Nothing happens when it is over already. */
  'tools.stop': request(z.object({ tryId: TryId }).strict(), Done),

  /**
   * A piece of a picture, sound or film that tools keep in the cache folder of the home, or that lies in the folder of a chat: bytes from `offset` on,
   * in base64. `total` is the file's size; nothing else (by the first bytes) and nothing above 30 MB is handed out.
   */
  'media.read': request(z.object({ path: z.string().min(1).max(4_000), offset: z.int().nonnegative().default(0), sessionId: SessionId.optional() }).strict(), MediaPiece),

  /** The page of a chat's browser as it is now; null while it has none. */
  'browser.look': request(OfSession, BrowserLook.nullable()),
  /** The person holds the wheel: the agent's browser tools wait until it is given back, or for five minutes without input. */
  'browser.hold': request(OfSession.extend({ held: z.boolean() }), Done),
  /** `request/not-possible` unless the person holds the wheel. Places are in the page's pixels. */
  'browser.input': request(OfSession.extend({ input: BrowserInput }), Done),

  'memory.list': request(Nothing, z.array(MemoryFile)),
  /** `version`: of the text that was edited. Throws `request/not-possible` when the file has changed since, `request/invalid` above the limit. */
  'memory.save': request(z.object({ target: MemoryFile.shape.target, text: z.string().max(50_000), version: z.string().max(100) }).strict(), MemoryFile),

  'skills.list': request(Nothing, SkillList),
  /** A file of a skill, SKILL.md by default. Files of more than 1 MiB are `request/not-possible`. */
  'skills.read': request(z.object({ path: SkillPath, file: SkillFile.default('SKILL.md') }).strict(), SkillText),
  /** Switches a skill for all chats (`skills.disabled` of config.yaml), or for the chats of one platform (`skills.platform_disabled`). */
  'skills.set': request(z.object({ path: SkillPath, enabled: z.boolean(), platform: z.string().regex(/^[a-z]{1,20}$/).optional() }).strict(), SkillList),
  /** The checks of `skill_manage`; `request/invalid` says which one failed. */
  'skills.create': request(z.object({ name: z.string().trim().max(100), category: z.string().trim().max(100).optional(), text: z.string().max(200_000) }).strict(), SkillInfo, LARGE_CHARS),
  /** `version`: of the text that was edited, null for a new file. Throws `conflict` when the file has changed since, `request/invalid` when a check fails. */
  'skills.save': request(z.object({ path: SkillPath, file: SkillFile, text: z.string().max(1_100_000), version: z.string().max(100).nullable() }).strict(), SkillText, LARGE_CHARS),
  'skills.removeFile': request(z.object({ path: SkillPath, file: SkillFile }).strict(), SkillText),
  /** It is moved to the archive beside the skills. */
  'skills.delete': request(z.object({ path: SkillPath }).strict(), z.object({ restoreId: z.string() })),
  /** Undo of `skills.delete`, until the app ends. */
  'skills.restore': request(z.object({ restoreId: z.string().max(400) }).strict(), SkillList),
  /** Shows the folder of a skill, or of all, in the file manager of this computer. `request/not-possible` where there is none. */
  'skills.openFolder': request(z.object({ path: SkillPath.optional() }).strict(), Done),

  /** One row for each messenger. */
  'gateway.state': request(Nothing, z.array(MessengerState)),
  /** Serves the messengers from this process. Throws `request/not-possible` while another one does. */
  'gateway.start': request(Nothing, z.array(MessengerState)),
  /** Who serves them now; null = nobody. */
  'gateway.holder': request(Nothing, GatewayHolder.nullable()),
  /** Keeps a variable of a messenger in the store of keys; an empty value removes it. It is never given back. */
  'gateway.setKey': request(z.object({ variable: z.string().regex(/^[A-Z][A-Z0-9_]{2,60}$/), value: z.string().trim().max(8_000) }).strict(), z.array(MessengerState)),
  /** A new code for one more person; the one before is void. */
  'gateway.pair': request(OfPlatform, z.array(MessengerState)),
  'gateway.allow': request(OfPlatform.extend({ sender: SenderId, name: z.string().trim().max(200).optional() }), z.array(MessengerState)),
  'gateway.revoke': request(OfPlatform.extend({ sender: SenderId }), z.array(MessengerState)),

  /** Jobs, oldest first, and how many results nobody has looked at. */
  'schedules.list': request(Nothing, z.object({ jobs: z.array(ScheduleJob), unseen: z.number() })),
  /** Chats of messengers that results can be sent to; nothing where none is set up. */
  'schedules.targets': request(Nothing, z.array(DeliveryTarget)),
  'schedules.create': request(z.object({ draft: ScheduleDraft, sessionId: SessionId.optional() }).strict(), ScheduleJob),
  'schedules.update': request(z.object({ id: JobId, draft: ScheduleDraft }).strict(), ScheduleJob),
  'schedules.pause': request(z.object({ id: JobId }).strict(), ScheduleJob),
  'schedules.resume': request(z.object({ id: JobId }).strict(), ScheduleJob),
  'schedules.remove': request(z.object({ id: JobId }).strict(), Done),
  /** Undo of `schedules.remove`, until the app ends. */
  'schedules.restore': request(z.object({ id: JobId }).strict(), ScheduleJob),
  /** Begins now; the number of the run. */
  'schedules.run': request(z.object({ id: JobId }).strict(), z.object({ runId: z.number() })),
  'schedules.stop': request(z.object({ runId: z.number() }).strict(), Done),
  /** Runs, newest first. */
  'schedules.history': request(z.object({ jobId: JobId.optional(), limit: z.number().int().min(1).max(500).default(50), before: z.number().optional() }).strict(), z.array(ScheduleRun)),
  'schedules.seen': request(z.object({ jobId: JobId.optional() }).strict(), Done),

  'mcp.list': request(Nothing, z.array(McpServerInfo)),
  /** Opens the sign-in page of a server in the browser; answers when the person is through with it. A second one of the same server ends the first. */
  'mcp.signIn': request(z.object({ server: McpName }).strict(), z.array(McpServerInfo)),
  /** Forgets the tokens of a server. */
  'mcp.signOut': request(z.object({ server: McpName }).strict(), z.array(McpServerInfo)),
  /** Ends the server (its process, its connection) and connects anew. */
  'mcp.restart': request(z.object({ server: McpName }).strict(), z.array(McpServerInfo)),
  /** Switches one tool of a server on or off for all chats; kept under `mcp_servers.<server>.tools` of config.yaml. `tool` is the server's own name. */
  'mcp.setTool': request(z.object({ server: McpName, tool: z.string().min(1).max(500), enabled: z.boolean() }).strict(), z.array(McpServerInfo)),

  'plugins.list': request(Nothing, z.array(PluginInfo)),
  /** Switches a plugin on or off in config.yaml, which loads or unloads it at once. */
  'plugins.set': request(z.object({ id: z.string().max(64), enabled: z.boolean() }).strict(), z.array(PluginInfo)),

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
