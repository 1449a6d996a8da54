/** The seam of the database: what the parts of the host may keep in it. Implemented in `main/storage/`. */
import type { ApprovalRequest, ApprovalRule, Attachment, FoundInChat, Message, SearchHit, Session, Terminal, ToolCall } from '../preload/contract/index.ts';
import type { RuleId } from '../preload/contract/approval-rules.ts';
import type { ApprovalId, CallId, MessageId, SessionId, TerminalId } from '../preload/contract/ids.ts';
import type { JobId, ScheduleJob, ScheduleRun } from '../preload/contract/schedules.ts';
import type { HistoryService } from '../tools/context.ts';
import type { GatewayStore } from './storage/gateway.ts';
import type { SearchFilter } from './storage/search-filter.ts';

/** A tool call as it is stored: the screen's fields plus the whole result. */
export interface StoredCall extends ToolCall { readonly fullResult: string | null }

/** A message in the order and form the model request needs. */
export interface Storage {
  readonly sessions: {
    insert(session: Session): void;
    /** Whole-row update; counts (`messageCount`, `waiting`) are computed on read. */
    update(id: SessionId, change: Partial<Omit<Session, 'id' | 'messageCount' | 'waiting' | 'forkedFrom'>>): Session;
    get(id: SessionId): Session | undefined;
    /** Newest first; deleted ones only when asked for. */
    list(options?: { readonly deleted?: boolean; readonly origins?: readonly Session['origin'][] }): Session[];
    /** Really removes chats deleted before this time. */
    purge(deletedBefore: number): number;
  };
  readonly messages: {
    /** Durable when it returns. `seq` is given by the store. */
    insert(message: Omit<Message, 'seq' | 'calls'>): Message;
    update(id: MessageId, change: Partial<Pick<Message, 'text' | 'reasoning' | 'state' | 'error' | 'endedAt' | 'model' | 'turn'>>): Message;
    remove(id: MessageId): void;
    get(id: MessageId): Message | undefined;
    /** Ascending by seq: the last `limit` before `before`. */
    page(sessionId: SessionId, options: { readonly before?: number; readonly limit: number }): { messages: Message[]; more: boolean };
    /** All of a chat with whole results, ascending: what a model request is made from. */
    transcript(sessionId: SessionId): (Omit<Message, 'calls'> & { calls: StoredCall[] })[];
    /** Files that were given along with the messages of a chat, or of all chats. */
    attached(sessionId?: SessionId): Attachment[];
    lastTurn(sessionId: SessionId): number;
    /** Newest first. With `filter`, only texts that pass it, out of the 20,000 newest with those words. */
    search(query: string, limit: number, filter?: SearchFilter): SearchHit[];
    /** Where words stand in what was sent and answered in a chat, oldest first. */
    find(sessionId: SessionId, query: string): FoundInChat;
  };
  readonly calls: {
    /** All calls of one message in one transaction, before any of them runs. */
    insert(calls: readonly ToolCall[]): void;
    update(id: CallId, change: Partial<Omit<StoredCall, 'id' | 'messageId' | 'sessionId'>>): ToolCall;
    get(id: CallId): StoredCall | undefined;
    usesSince(since: number): Map<string, number>;
  };
  /** Forks: the history of one chat in another. */
  readonly copies: {
    /** What was sent in `from` up to `through` (a message's `seq`), into the empty chat `to`, in one transaction. Answers how many messages that were. */
    make(wanted: { readonly from: SessionId; readonly to: SessionId; readonly through: number }): number;
    /** What has not come to its end in that part of a chat: a reply, or the call of that name. */
    unfinished(from: SessionId, through: number): { readonly state: 'streaming' | 'pending' | 'waiting' | 'running'; readonly tool: string | null } | undefined;
    /** The last answer of a tool in that part of a chat. */
    lastAnswer(from: SessionId, tool: string, through: number): { readonly callId: CallId; readonly text: string } | undefined;
    /** Makes some of the copies searchable; false when all are. */
    index(): boolean;
  };
  readonly approvals: {
    insert(request: ApprovalRequest): void;
    /** Applies only when the stored state is one of `from`; false otherwise (somebody else was first). */
    transition(id: ApprovalId, from: readonly ApprovalRequest['state'][], change: Partial<ApprovalRequest>): boolean;
    get(id: ApprovalId): ApprovalRequest | undefined;
    open(): ApprovalRequest[];
    /** Settled ones, newest first; of one chat when it is named. */
    history(options: { readonly query?: string; readonly sessionId?: SessionId; readonly limit: number }): ApprovalRequest[];
    /** Where an allowlist entry came from and how often it was used. */
    entryMeta(): Map<string, { createdAt?: number; createdFrom?: string; createdBy?: string; lastUsedAt?: number; uses: number }>;
    noteEntry(entry: string, meta: { createdAt?: number; createdFrom?: string; createdBy?: string; usedAt?: number }): void;
    sessionGrants(sessionId: SessionId): string[];
    grantSession(sessionId: SessionId, keys: readonly string[]): void;
    clearSession(sessionId: SessionId): void;
  };
  /** Rules of our own about commands, oldest first. */
  readonly approvalRules: {
    insert(rule: ApprovalRule): void;
    list(): ApprovalRule[];
    /** False when it was not there. */
    remove(id: RuleId): boolean;
    /** Replaces what the rule says; its use is counted on. False when it was not there. */
    update(rule: ApprovalRule): boolean;
    /** Counts one use of each, all or none: false when one is gone, expired or used up. */
    use(ids: readonly RuleId[], now: number): boolean;
  };
  readonly terminals: {
    upsert(terminal: Terminal, extra: { readonly taskId: string; readonly capturePath: string | null; readonly startIdentity: string | null }): void;
    saveScreen(id: TerminalId, serialized: string): void;
    screen(id: TerminalId): string | undefined;
    list(): { terminal: Terminal; taskId: string; capturePath: string | null; startIdentity: string | null }[];
    remove(id: TerminalId): void;
  };
  /** Jobs that run by the clock, and their runs. */
  readonly schedules: {
    put(job: ScheduleJob): void;
    /** Oldest first. */
    list(): ScheduleJob[];
    get(id: JobId): ScheduleJob | undefined;
    /** Its runs stay. False when it was not there. */
    remove(id: JobId): boolean;
    /** When the next job is due. */
    nextAt(): number | undefined;
    due(now: number): ScheduleJob[];
    /** Stores the moved-on job and its run in one transaction; the run's id, or undefined when another process was first or the job changed meanwhile. */
    claim(job: ScheduleJob, run: { readonly dueAt: number; readonly startedAt: number; readonly endedAt: number | null; readonly state: ScheduleRun['state']; readonly trigger: ScheduleRun['trigger']; readonly error: string | null; readonly host: string }): number | undefined;
    run(id: number): ScheduleRun | undefined;
    /** Newest first. */
    runs(wanted: { readonly jobId?: JobId | undefined; readonly limit: number; readonly before?: number | undefined }): ScheduleRun[];
    running(): { run: ScheduleRun; host: string }[];
    updateRun(id: number, change: Partial<Pick<ScheduleRun, 'state' | 'endedAt' | 'sessionId' | 'output' | 'error' | 'deliveryError'>>): void;
    markSeen(jobId?: JobId): void;
    unseen(): number;
  };
  /** Chats of messengers, and what came in and has to go out through them. */
  readonly gateway: GatewayStore;
  /** Small values that survive: `todos:<session>`, UI hints. */
  readonly values: { get(key: string): string | undefined; set(key: string, value: string | undefined): void };
  readonly usage: { add(entry: { readonly sessionId: SessionId; readonly model: string; readonly promptTokens: number; readonly completionTokens: number; readonly at: number }): void; /** What a chat has used so far, by the names under which models answered. */ byModel(sessionId: SessionId): { model: string; promptTokens: number; completionTokens: number }[] };
  readonly history: HistoryService;
  /** Runs `work` in one immediate transaction. */
  transaction<T>(work: () => T): T;
  close(): void;
}
