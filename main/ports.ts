/**
 * The seams inside `main/`: small interfaces that its folders hand to each other. `host.ts` builds the parts and joins them.
 * Folders depend on these, not on each other's insides.
 */
import type {
  AllowlistEntry, ApprovalChoice, ApprovalRequest, BackendVerdict, CommandReview, ConfigProblem, ProcessInfo, Settings, Terminal, TodoItem, ToolsetInfo, TopicEvent, TopicName,
} from '../preload/contract/index.ts';
import type { FormReply, QuestionForm } from '../preload/contract/mcp.ts';
import type { ImportPreview, ListedRule, RuleChoice, RuleDraft, RuleId, RulePreview } from '../preload/contract/approval-rules.ts';
import type { Checkpoint, CheckpointDiff, CheckpointId, CheckpointRestored } from '../preload/contract/checkpoints.ts';
import type { ApprovalId, CallId, CredentialId, MessageId, SessionId, TerminalId } from '../preload/contract/ids.ts';
import type { ApprovalService, CheckpointService, JsonObject, JsonValue, ToolContext, TodoService } from '../tools/context.ts';
import type { MultimodalResult } from '../tools/registry.ts';
export type { Storage, StoredCall } from './storage-port.ts';

/** Time, passed in so that tests own it. `now` is epoch milliseconds, `monotonic` milliseconds since an arbitrary start. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Returns the cancel function. */
  after(ms: number, run: () => void): () => void;
}

/** Randomness, passed in. Every id of ours is minted here. */
export interface Ids {
  session(): SessionId;
  message(): MessageId;
  call(): CallId;
  approval(): ApprovalId;
  credential(): CredentialId;
  terminal(): TerminalId;
  /** `proc_<12 hex>` */
  process(): TerminalId;
  /** Lower-case hexadecimal of `bytes` random bytes. */
  hex(bytes: number): string;
}

export interface Log {
  debug(message: string, details?: Readonly<Record<string, unknown>>): void;
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** Facts broadcast to every screen. Publishing never throws and never waits. */
export interface EventBus {
  publish<Name extends TopicName>(topic: Name, event: TopicEvent<Name>): void;
  subscribe<Name extends TopicName>(topic: Name, listener: (event: TopicEvent<Name>) => void): () => void;
}

/** What differs between Electron, browser and CLI. */
export interface Shell {
  readonly name: 'electron' | 'browser' | 'cli' | 'test';
  openExternal(url: string): Promise<void>;
  /** Shows a folder in the file manager of this computer; false where that cannot be done. Absent = there is none. */
  openFolder?(path: string): Promise<boolean>;
  notify(note: { readonly title: string; readonly body: string; readonly sessionId?: string; readonly approvalId?: string }): void;
  readonly secrets: SecretStore;
  /** Starts a Node module as a process of its own. Absent = as Node does it. */
  fork?(module: string): ForkedProcess;
}

/** A process that speaks in structured copies. It keeps nobody from ending. */
export interface ForkedProcess {
  /** Throws for what cannot be copied. */
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  onOutput(listener: (text: string) => void): void;
  /** Told once, in words, also when it could not be started. */
  onEnd(listener: (how: string) => void): void;
  /** At once, whatever it does. */
  kill(): void;
}

/** Keys by name. Where no OS keychain is there: a file with mode 0600, and `warning` says so. */
export interface SecretStore {
  get(name: string): Promise<string | undefined>;
  /** Undefined removes it. */
  set(name: string, value: string | undefined): Promise<void>;
  readonly warning: string | undefined;
  /** True when no key is kept: then there is nothing to warn of yet. Absent = not known. */
  isEmpty?(): boolean;
}

/** config.yaml and `.env` of the home, live. A malformed file is never overwritten: `problem` is set and `set` throws `config/malformed`. */
export interface ConfigStore {
  readonly home: string;
  readonly problem: ConfigProblem | undefined;
  get(path: string): JsonValue | undefined;
  /** Writes through the parsed document (comments, order and unknown keys survive), atomically, under a lock, three backups kept. Undefined removes. */
  set(path: string, value: JsonValue | undefined): Promise<void>;
  /** Read, change, write in one lock: for lists shared with other processes. Returns what was written. */
  update(path: string, change: (current: JsonValue | undefined) => JsonValue | undefined): Promise<JsonValue | undefined>;
  /** Process environment first, then the home's `.env`, then what a person entered in the app (messengers). */
  env(name: string): string | undefined;
  settings(): Settings;
  /** Called when the file changed, by us or on disk. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** Forms of MCP servers, put to the person where the call that they belong to stands. */
export interface FormAsker {
  /** False when no person can be asked now. */
  readonly available: boolean;
  /** Undefined when the person did not answer before `signal` aborted. Questions of one call are put one after the other. */
  askForm(question: {
    readonly sessionId: string;
    readonly toolCallId: string;
    readonly question: string;
    readonly form: QuestionForm;
    /** What is wrong with an answer; undefined = nothing. */
    check(values: FormReply['values']): string | undefined;
  }, signal: AbortSignal): Promise<FormReply | undefined>;
}

/** Approvals: what tools ask (`review`) and what screens do. Implemented in `main/approvals/`. */
export interface Approvals extends ApprovalService {
  list(): ApprovalRequest[];
  history(options: { readonly query?: string; readonly limit?: number }): ApprovalRequest[];
  /** Exactly once by id. Throws `not-found`, `approval/late`, `request/not-possible`. */
  decide(answer: { readonly id: ApprovalId; readonly choice: ApprovalChoice; readonly reason?: string; readonly editedCommand?: string; readonly rule?: RuleChoice }, by: string): Promise<ApprovalRequest>;
  hold(id: ApprovalId, held: boolean): ApprovalRequest;
  seen(id: ApprovalId): void;
  /** How many screens or prompts can show a question now; with none, review follows the unattended policy (fail closed). */
  addSurface(name: string): () => void;
  /** Verdict without running or asking, for `talaria check` and the test box. */
  test(command: string, options: { readonly backend?: string; readonly sessionId?: SessionId }): CommandReview & { backends?: BackendVerdict[] };
  readonly rules: ApprovalRules;
  /** Settled requests as one text, newest first. */
  exportHistory(options: { readonly format: 'json' | 'csv'; readonly query?: string }): { text: string; count: number };
  /** Approves everything but floors and deny rules in one chat until it is switched off or the app ends. */
  setYolo(sessionId: SessionId, on: boolean): void;
  yolo(): { process: boolean; sessions: SessionId[] };
  allowlist(): AllowlistEntry[];
  allow(entry: string, from: { readonly by: string; readonly command?: string }): Promise<AllowlistEntry[]>;
  disallow(entry: string): Promise<AllowlistEntry[]>;
  /** Puts a removed entry back; what is known about it stays. */
  restoreEntry(entry: string): Promise<AllowlistEntry[]>;
  patterns(): { pattern: string; description: string; tier: 'floor' | 'danger' | 'unknown'; own: boolean }[];
  clearSession(sessionId: SessionId): void;
  /** Settles what a dead host left open: requests whose waiter is gone stay answerable, and the answer is kept for the chat. */
  close(): void;
}

/** Rules of our own: what "always" may save, and what people write. Each takes effect from the next command on, in every process of the home. */
export interface ApprovalRules {
  list(): ListedRule[];
  /** Throws `request/not-possible` for one that may not be stored. */
  add(draft: RuleDraft, by: string): ListedRule[];
  /** Throws `not-found`. */
  remove(id: RuleId): ListedRule[];
  /** Takes the draft for the rule of that id; age, origin and use stay. Throws `not-found` and `request/not-possible`. */
  update(id: RuleId, draft: RuleDraft): ListedRule[];
  /** As they were before `remove`. Throws `not-found` for one that was removed too long ago. */
  restore(ids: readonly RuleId[]): ListedRule[];
  /** Throws `not-found`, and `request/not-possible` for an example that the rule does not keep. */
  addExample(id: RuleId, command: string, matches: boolean): ListedRule[];
  preview(id: ApprovalId, options: { readonly scope?: RuleChoice['scope']; readonly anyBackend?: boolean }): RulePreview;
  exportAll(): string;
  /** Throws `request/invalid` for a text that is no export. */
  importPreview(text: string): ImportPreview;
  importAccept(text: string, ids: readonly string[], by: string): Promise<ImportPreview>;
}

/** Toolsets as the panel shows them, and what the next model request contains. Implemented in `main/calls/`. */
export interface Toolsets {
  list(sessionId?: SessionId, options?: { readonly fresh?: boolean }): Promise<ToolsetInfo[]>;
  set(name: string, enabled: boolean | null, sessionId?: SessionId): Promise<void>;
  /** Names of the enabled toolsets of a chat: default, then the chat's switches. */
  enabledFor(sessionId: SessionId | undefined): { readonly enabled: readonly string[]; readonly disabled: readonly string[] };
}

/** One function as a model request carries it. */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
}

export interface DefinitionsRequest {
  /** Toolset names; an empty list means no tools, absent means all. */
  readonly enabled?: readonly string[];
  /** Always taken away last. */
  readonly disabled?: readonly string[];
  /** Window of the chat's model in tokens: plugin and MCP tools above a tenth of it are deferred behind `tool_search`. Absent = never. */
  readonly contextTokens?: number;
  /** The chat these are for: its calls may then reach the tools that were deferred. */
  readonly sessionId?: string;
  /** Say nothing about unknown names. */
  readonly quiet?: boolean;
}

export interface BatchCall {
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; undefined when they were not a JSON object. */
  readonly args: Readonly<Record<string, unknown>> | undefined;
}
/** Calls of one assistant message that may run together (`parallel`) or must run one after the other. */
export interface BatchSegment<Call extends BatchCall = BatchCall> { readonly kind: 'parallel' | 'sequential'; readonly calls: readonly Call[] }

export interface CallOptions {
  readonly turnId?: string;
  readonly apiRequestId?: string;
  /** The caller has already fired `pre_tool_call` for this execution. */
  readonly skipPreToolCallHook?: boolean;
  /** Window of the chat's model in tokens; smaller windows get smaller results. */
  readonly contextTokens?: number;
}

export interface CallOutcome {
  /** What the model reads: bounded, and saved to a file when it was too large. */
  readonly result: string | MultimodalResult;
  /** The whole result before it was bounded. */
  readonly fullText: string;
  readonly status: 'ok' | 'error' | 'blocked' | 'cancelled';
  readonly errorType: string | null;
  readonly errorMessage: string | null;
  readonly durationMs: number;
  /** What coercion and validation changed, one sentence each. */
  readonly repairs: readonly string[];
  /** Where the whole text was saved, when `result` is only its preview. */
  readonly savedTo: string | null;
}

/** From names to definitions, and from one call to one result. Nothing here rejects. Implemented by `createCalls` in `main/calls/`. */
export interface Calls {
  /** What the next request offers; the list is the caller's own, its members are frozen. */
  getToolDefinitions(request?: DefinitionsRequest): Promise<ToolDefinition[]>;
  /** Whole path of one call. The agent-loop tools (todo, memory, session_search, delegate_task) answer with a stub error here. */
  handleFunctionCall(name: string, args: unknown, context: ToolContext, options?: CallOptions): Promise<string | MultimodalResult>;
  /** The same path with everything a chat wants to keep about it, for callers that are the agent loop: agent-loop tools run too. */
  callTool(name: string, args: unknown, context: ToolContext, options?: CallOptions): Promise<CallOutcome>;
  /** `callTool` for an agent-loop tool; any other name is answered with an error. */
  dispatchAgentTool(name: string, args: unknown, context: ToolContext, options?: CallOptions): Promise<CallOutcome>;
  /** Cuts the calls of one message into ordered segments. Paths are resolved where the context's commands run. */
  planToolBatch<Call extends BatchCall>(calls: readonly Call[], context: ToolContext): Promise<BatchSegment<Call>[]>;
  /**
   * Runs the segments, at most 8 calls at once, and answers in call order. After `signal` aborts nothing more starts:
   * the rest is answered by `skipped`. `execute` must not reject.
   */
  runBatch<Call extends BatchCall, Result>(
    segments: readonly BatchSegment<Call>[], execute: (call: Call) => Promise<Result>, skipped: (call: Call) => Result, signal: AbortSignal,
  ): Promise<Result[]>;
  /** Keeps all results of one turn within its budget: the largest ones are saved to files and replaced by previews. */
  limitTurn(results: readonly TurnResult[], context: ToolContext, options?: CallOptions): Promise<TurnResult[]>;
  /** A part of what the chat's model has read is left out from now on: tools that remember what it has seen forget it. */
  contextTrimmed(sessionId: SessionId): void;
}
export interface TurnResult { readonly callId: string; readonly name: string; readonly text: string; readonly savedTo: string | null }

/** The terminal manager as the host and screens see it. Implemented in `main/terminals/`. */
export interface Terminals {
  list(): Terminal[];
  get(id: TerminalId): Terminal | undefined;
  open(options: { readonly cwd?: string; readonly sessionId?: SessionId; readonly cols: number; readonly rows: number }): Promise<Terminal>;
  /** `send` receives output in order after the snapshot; it is paused by unacknowledged bytes until `ack`. */
  attach(id: TerminalId, send: (bytes: Uint8Array) => void): Promise<{ readonly terminal: Terminal; readonly snapshot: string; ack(bytes: number): void; detach(): void }>;
  write(id: TerminalId, data: string): void;
  resize(id: TerminalId, cols: number, rows: number): void;
  drive(id: TerminalId, driver: 'agent' | 'user'): Terminal;
  kill(id: TerminalId, how: 'interrupt' | 'terminate' | 'kill'): Promise<Terminal>;
  rename(id: TerminalId, title: string): Terminal;
  dismiss(id: TerminalId): void;
  /** What it printed, without known secrets; `path` is the file with every byte. Throws `not-found`. */
  text(id: TerminalId): Promise<{ readonly text: string; readonly path: string | null }>;
  /** Escape sequences that draw its screen and what is kept above it, without known secrets. Throws `not-found`. */
  screen(id: TerminalId): Promise<string>;
  processes(): Promise<ProcessInfo[]>;
  /** Notices for the model that arose since the last drain: completions and watch matches of a chat's background processes. */
  drainNotices(sessionId: SessionId): string[];
  /** Something else that a chat's model is told with its next turn. */
  tell(sessionId: SessionId, text: string): void;
  onNotice(listener: (sessionId: SessionId) => void): () => void;
  /** Ends foreground commands of a chat; background processes go on. */
  stopForeground(sessionId: SessionId): Promise<void>;
  close(): Promise<void>;
}

/** Copies of files from before tools changed them. Implemented in `main/checkpoints/`. */
export interface Checkpoints extends CheckpointService {
  list(wanted: { readonly sessionId?: SessionId; readonly callId?: CallId; readonly limit: number }): Promise<Checkpoint[]>;
  /** Throws `not-found`, `request/not-possible`, `environment/failed`. */
  diff(id: CheckpointId, path?: string): Promise<CheckpointDiff>;
  /** Throws the same. */
  restore(id: CheckpointId, options: { readonly path?: string; readonly since?: boolean }): Promise<CheckpointRestored>;
  close(): Promise<void>;
}

export type TodoStore = TodoService & { list(sessionId: SessionId): TodoItem[] };

/** Builds the context of one call. `host.ts` provides it; `main/agent` and the CLI use it. */
export type MakeToolContext = (call: {
  readonly sessionId: SessionId; readonly callId: CallId; readonly signal: AbortSignal; readonly enabledTools?: readonly string[];
  readonly userTask?: string; readonly emit?: ToolContext['emit'];
  /** Answers this call's reviews instead of the approval pipeline: a decision that was already taken. */
  readonly approvals?: ApprovalService;
  readonly fromScript?: true;
}) => ToolContext;
