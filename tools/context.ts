/** What a tool's handler is given. Each service is the narrowest thing that works; the host implements them. */
import type { EnvironmentForTools } from '../environments/base.ts';
import type { BrowserService } from './shared/browser.ts';
import type { MessageService } from './shared/message-service.ts';
import type { ModelService } from './shared/model-service.ts';
import type { ScheduleService } from './shared/schedule-service.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

export interface ToolContext {
  readonly sessionId: string;
  /** Groups calls that share one environment; `default` for a chat's own calls (hermes-runtime 5.3). */
  readonly taskId: string;
  readonly toolCallId: string;
  /** Turn of the chat this call belongs to, for the agent-loop tools; absent outside a turn. */
  readonly turnId?: string;
  /** What the person asked for in this turn, for tools that want it. */
  readonly userTask?: string;
  /** Aborts everything below it. */
  readonly signal: AbortSignal;
  /** Directory the task's terminal is in now. */
  readonly cwd: string;
  /** Names of the tools the model sees in this chat (`execute_code` rewrites itself by them). */
  readonly enabledTools?: readonly string[];
  /** Where the chat is held, in the names of Hermes: `telegram`, … Absent = on this computer (`cli`). */
  readonly platform?: string;
  /** The caller is a script, not a model: answers keep one shape however often they are asked for. */
  readonly fromScript?: true;
  readonly services: ToolServices;
  /** Progress for the call's card. Never throws. */
  emit(event: ToolProgress): void;
}

export type ToolProgress =
  | { readonly kind: 'terminal'; readonly terminalId: string }
  | { readonly kind: 'approval'; readonly approvalId: string; readonly state: 'waiting' | 'settled' }
  /** It waits for a person to type something, or does so no longer. */
  | { readonly kind: 'person'; readonly state: 'waiting' | 'settled' }
  | { readonly kind: 'exit-code'; readonly exitCode: number }
  | { readonly kind: 'output'; readonly tail: string }
  | { readonly kind: 'todos'; readonly todos: readonly TodoRecord[] };

export interface ToolServices {
  readonly approvals: ApprovalService;
  readonly terminals: TerminalService;
  readonly files: FileService;
  readonly history: HistoryService;
  readonly todos: TodoService;
  readonly questions: QuestionService;
  /** Absent where no model can be asked. */
  readonly models?: ModelService;
  /** Absent where no browser can be driven. */
  readonly browser?: BrowserService;
  /** Absent where no messages can be sent. */
  readonly messages?: MessageService;
  /** Absent where nothing can be scheduled. */
  readonly schedules?: ScheduleService;
  /** Absent where a tool may not call others. */
  readonly nested?: NestedCallService;
  /** Absent where no agent runs that could hand work on. */
  readonly delegation?: DelegationService;
  /** Absent where nothing is kept. */
  readonly checkpoints?: CheckpointService;
  readonly config: ConfigReader;
  readonly paths: HomePaths;
  /** Hides known secret shapes in text that a model, log or database will see. */
  redact(text: string, mode?: 'output' | 'file' | 'environment'): string;
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, details?: Readonly<Record<string, unknown>>): void;
}

export interface HomePaths {
  /** `HERMES_HOME`, else `~/.hermes`. */
  readonly home: string;
  readonly cache: string;
  readonly outputs: string;
}

export interface ConfigReader {
  /** Value at a dotted path of config.yaml (`terminal.timeout`), undefined when absent. */
  get(path: string): JsonValue | undefined;
  /** Environment variable, with the home's `.env` beneath the process environment. */
  env(name: string): string | undefined;
}

export interface ReviewRequest {
  readonly tool: string;
  readonly command: string;
  readonly cwd: string;
  readonly sessionId: string;
  readonly taskId: string;
  readonly toolCallId: string;
  /** The model's own words on why it wants this. */
  readonly wants?: string;
  readonly signal: AbortSignal;
  /** A hook wants a person to decide, whatever the command looks like: never allowed by rule, mode or grant of other keys. */
  readonly requirePerson?: { readonly description: string; readonly ruleKey?: string };
  /** Told when the request waits for a person and when it no longer does. */
  onWaiting?(approvalId: string, waiting: boolean): void;
}

/** The answer of the approval pipeline, in Hermes' field names (hermes-runtime 4.1). */
export interface ReviewOutcome {
  readonly approved: boolean;
  /** For the model, when refused: cause and what not to try. */
  readonly message: string | null;
  /** What runs: the same text, or what the person edited it into. */
  readonly command: string;
  readonly approvalId?: string;
  readonly description?: string;
  readonly pattern_key?: string;
  readonly outcome?: 'denied' | 'timeout' | 'notify_failed' | 'blocked' | 'cancelled';
  readonly user_consent?: false;
  readonly deny_reason?: string;
  readonly hardline?: true;
  readonly user_deny?: true;
  readonly smart_approved?: true;
  readonly smart_denied?: true;
  readonly user_approved?: true;
  readonly edited?: true;
  /** Nobody could be asked yet: the request stays open, and runs when somebody allows it. */
  readonly approval_pending?: true;
  /** With `approval_pending`: whether the answer may be "always". */
  readonly allow_permanent?: boolean;
  /** A sentence for the result's `approval` field when a flagged command may run. */
  readonly note?: string;
}

export interface ApprovalService {
  /** Resolves when decided; never rejects for a refusal. Aborting resolves as cancelled. */
  review(request: ReviewRequest): Promise<ReviewOutcome>;
  /** Keeps the exit code of what was approved in the history. */
  recordExit(approvalId: string, exitCode: number | null): void;
}

export interface RunRequest {
  readonly taskId: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly command: string;
  readonly workdir?: string;
  readonly timeoutMs: number;
  readonly stdin?: string;
  readonly pty?: boolean;
  /** The same command, to run instead when sudo needs a password there: it takes it from the helper in SUDO_ASKPASS. */
  readonly sudoCommand?: string;
  readonly signal: AbortSignal;
  /** Told at once, before the first byte. */
  onStarted?(terminalId: string): void;
  onOutput?(tail: string): void;
}

export interface RunResult {
  /** Decoded output, head and tail kept, at most `maxChars` of the service's setting; ANSI still in it. */
  readonly output: string;
  readonly totalChars: number;
  readonly omittedChars: number;
  /** Whole output on disk, when some of it was omitted. */
  readonly fullOutputPath?: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly why: 'exit' | 'timeout' | 'abort' | 'lost' | 'waiting-for-input' | 'full-screen';
  readonly detail?: string;
  /** Plain text of what a program that took the whole screen shows; its output is drawing, not text. */
  readonly screen?: string;
  readonly terminalId: string;
  readonly durationMs: number;
  readonly cwd: string;
  /** Said once when the directory was gone and another was used, or the environment was made anew. */
  readonly notes: readonly string[];
  readonly environmentRecreated?: boolean;
  /** sudo refused the password that was kept for this chat; the next sudo asks for it again. */
  readonly sudoForgotten?: boolean;
}

export interface StartRequest {
  readonly taskId: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly command: string;
  readonly workdir?: string;
  readonly pty?: boolean;
  /** As in `RunRequest`. */
  readonly sudoCommand?: string;
  readonly notifyOnComplete?: boolean;
  readonly watchPatterns?: readonly string[];
}

export interface StartedProcess { readonly processId: string; readonly terminalId: string; readonly pid: number | null; readonly notes: readonly string[] }

/** Terminals as tools see them: run, start, and the `process` actions. The manager behind it can do more. */
export interface TerminalService {
  run(request: RunRequest): Promise<RunResult>;
  start(request: StartRequest): Promise<StartedProcess>;
  /** The action of the `process` tool, answered in the result fields of hermes-runtime 5.6. */
  process(action: ProcessAction, signal: AbortSignal): Promise<JsonObject>;
  cwd(taskId: string): string;
  backend(taskId: string): string;
}

export type ProcessAction =
  | { readonly action: 'list'; readonly taskId: string; readonly sessionId: string }
  | { readonly action: 'poll' | 'kill' | 'close'; readonly processId: string; readonly sessionId: string }
  | { readonly action: 'log'; readonly processId: string; readonly sessionId: string; readonly offset?: number; readonly limit: number }
  | { readonly action: 'wait'; readonly processId: string; readonly sessionId: string; readonly timeoutMs?: number }
  | { readonly action: 'write' | 'submit'; readonly processId: string; readonly sessionId: string; readonly data: string };

export interface FileService {
  /** The environment that the task's terminal acts in, opened. */
  environment(taskId: string): Promise<EnvironmentForTools>;
}

export interface KeepRequest {
  readonly taskId: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly tool: string;
  /** The command, or nothing: file names speak for themselves. */
  readonly command?: string;
  /** Canonical absolute paths that are about to change; a directory stands for all in it, ignore rules observed. */
  readonly paths: readonly string[];
}
/** Copies of files from before a tool changes them, so that a person can put them back. */
export interface CheckpointService {
  /** Resolves when what is there is kept, or when that would hold up the tool for too long. Never rejects. */
  keep(request: KeepRequest): Promise<void>;
}

export interface TodoRecord { readonly id: string; readonly content: string; readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'; readonly parent?: string }
export interface TodoService {
  read(sessionId: string): readonly TodoRecord[];
  write(sessionId: string, todos: readonly TodoRecord[]): void;
}

export interface QuestionService {
  /** False when no person can be asked here. */
  readonly available: boolean;
  /** Undefined when the person did not answer before `signal` aborted. */
  ask(question: { readonly sessionId: string; readonly toolCallId: string; readonly question: string; readonly choices: readonly string[] }, signal: AbortSignal): Promise<string | undefined>;
}

/** One piece of work for a sub-agent (hermes-runtime 7.3). */
export interface DelegatedTask {
  readonly goal: string;
  readonly context?: string;
  /** Toolsets the sub-agent may use, out of those of the chat; absent = all of them. */
  readonly toolsets?: readonly string[];
  /** An `orchestrator` may delegate further while the depth allows it. */
  readonly role: 'leaf' | 'orchestrator';
}
export interface DelegationRequest {
  readonly sessionId: string;
  readonly tasks: readonly DelegatedTask[];
  readonly background: boolean;
  /** Aborting stops every sub-agent of the request. */
  readonly signal: AbortSignal;
  /** Directory the sub-agents start in. */
  readonly cwd: string;
  /** Last lines of what the sub-agents do. */
  onProgress(tail: string): void;
}
export interface DelegationService {
  /** The result of `delegate_task` in the fields of hermes-runtime 7.3; `{error}` when nothing was started. Never rejects for what a sub-agent does. */
  delegate(request: DelegationRequest): Promise<JsonObject>;
}

/** Calls of one tool on behalf of another: checks, hooks and approvals included. */
export interface NestedCallService {
  /** The whole result as text, `{error}` for every failure. `parent` is the calling tool's context. */
  call(name: string, args: JsonObject, parent: ToolContext, options: { readonly signal: AbortSignal; readonly emit: ToolContext['emit'] }): Promise<string>;
}

export interface HistoryMessage { readonly messageId: string; readonly role: string; readonly text: string; readonly createdAt: number; readonly tool?: string }
export interface HistorySession { readonly sessionId: string; readonly title: string; readonly source: string; readonly updatedAt: number; readonly messageCount: number; readonly preview: string }
export interface HistoryHit { readonly sessionId: string; readonly title: string; readonly source: string; readonly messageId: string; readonly role: string; readonly snippet: string; readonly createdAt: number }
export interface HistoryQuery { readonly query: string; readonly roles: readonly string[]; readonly limit: number; readonly sort?: 'newest' | 'oldest'; readonly excludeSession?: string; readonly onlySessions?: readonly string[] }
/** Read-only view of all chats, for `session_search`. */
export interface HistoryService {
  recent(options: { readonly limit: number; readonly excludeSession?: string; readonly onlySessions?: readonly string[] }): readonly HistorySession[];
  /** Ids of the chats that the messenger's conversation of this chat has had, itself included; undefined for a chat on this computer. */
  conversation(sessionId: string): readonly string[] | undefined;
  /** Looks into the chats of another profile of this home. Throws `not-found` in words for one that is none or has no chats. */
  inProfile<Answer>(name: string, look: (history: Omit<HistoryService, 'inProfile'>, isOwn: boolean) => Answer): Answer;
  /** A chat that matches only in other roles than the asked ones is still found, by its first hit. */
  search(options: HistoryQuery): readonly HistoryHit[];
  /** How many matches `search` leaves out with the same options (the current chat's own, errands of delegates, other roles, beyond the limit); at most 500 are looked at. */
  countHidden(options: HistoryQuery): number;
  /** Messages around one, or the first `head` and last `tail` when `around` is absent. */
  messages(options: { readonly sessionId: string; readonly around?: string; readonly window?: number; readonly head?: number; readonly tail?: number }): {
    readonly session: HistorySession | undefined; readonly messages: readonly HistoryMessage[]; readonly before: number; readonly after: number;
  };
}
