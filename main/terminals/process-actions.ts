/** The actions of the `process` tool, answered in Hermes' result fields (hermes-runtime 5.6). */
import type { JsonObject, ProcessAction } from '../../tools/context.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { Clock } from '../ports.ts';
import { plainText } from '../../tools/shared/plain-text.ts';
import { signalNumber } from './reasons.ts';
import { endDetached, isRunning, ROLLING_CHARS, type LiveTracked, type Tracked, type TrackedProcesses } from './tracked.ts';

const COMMAND_CHARS = 200;
const LIST_PREVIEW_CHARS = 200;
const POLL_PREVIEW_CHARS = 1_000;
const WAIT_CHARS = 2_000;
/** Grace between SIGTERM and SIGKILL (hermes-runtime 5.6). */
const KILL_GRACE_MS = 2_000;
/** After the tree is gone, the reader needs a moment to see the end. */
const SETTLE_MS = 1_000;
const KILLED_EXIT_CODE = -15;

export interface ActionParts {
  readonly tracked: TrackedProcesses;
  readonly clock: Clock;
  redact(text: string): string;
  /** TERMINAL_TIMEOUT in ms: longest wait. */
  maxWaitMs(): number;
  /** The model has seen the end of this one. */
  delivered(tracked: Tracked): void;
  /** The set of running processes may differ now. */
  changed(): void;
}

function uptimeSeconds(tracked: Tracked, clock: Clock): number {
  const until = isRunning(tracked) ? clock.now() : tracked.endedAt ?? clock.now();
  return Math.max(0, Math.round((until - tracked.startedAt) / 1_000));
}

function output(tracked: Tracked, chars: number, parts: ActionParts): string {
  if (tracked.killed !== undefined) return tracked.killed.output.slice(-chars);
  const text = tracked.kind === 'live' ? tracked.live.capture.tail(Math.min(chars * 2, ROLLING_CHARS)) : tracked.output();
  return parts.redact(plainText(text)).slice(-chars);
}

/** What a program that took the whole screen shows: without it the model would drive vim blindly. */
async function screenField(tracked: Tracked, { redact }: ActionParts): Promise<JsonObject> {
  return tracked.kind === 'live' ? { ...await tracked.live.screenField(redact) } : {};
}

function pidOf(tracked: Tracked): number | null {
  return tracked.kind === 'live' ? tracked.live.row.pid : tracked.pid;
}

/** Exit code in the model's terms: a death by signal N is -N; unknown is null. */
export function exitCodeOf(tracked: Tracked): number | null {
  if (tracked.killed !== undefined) return KILLED_EXIT_CODE;
  if (tracked.kind === 'detached') return null;
  const { exitCode = null, signal = null } = tracked.live.result ?? {};
  return exitCode ?? (signal === null ? null : -signalNumber(signal));
}

function reasonOf(tracked: Tracked): string {
  if (tracked.killed !== undefined) return 'killed';
  if (tracked.kind === 'detached') return 'unknown: it ended while no host followed it';
  return tracked.live.row.ended ?? 'ended';
}

function ending(tracked: Tracked): JsonObject {
  return isRunning(tracked) ? {} : { exit_code: exitCodeOf(tracked), completion_reason: reasonOf(tracked) };
}

/** Said of one that runs on while nothing is heard of it. */
function awayNote(tracked: Tracked, parts: ActionParts): string | undefined {
  const words = tracked.kind === 'live' && tracked.live.running ? tracked.live.process.away?.() : undefined;
  return words === undefined ? undefined : `${parts.redact(words)}. It is being looked for again; what it prints meanwhile comes then.`;
}

const CUT_NOTE = 'Lines are counted from the oldest that is kept here; the whole output, from its beginning, is in the file at full_output_path: page through it with read_file.';
const DETACHED_NOTE = 'Adopted after a restart of the app: status and kill work; output is what it has written since, and nothing can be typed.';

export async function answerProcessAction(action: ProcessAction, signal: AbortSignal, parts: ActionParts): Promise<JsonObject> {
  if (action.action === 'list') return list(action, parts);
  // A process of another chat is answered like one that never was: its output may hold what that chat's person shared with it alone.
  const tracked = parts.tracked.find(action.processId, (candidate) => candidate.sessionId === action.sessionId);
  if (tracked === undefined) return { status: 'not_found', error: `No process with ID ${action.processId}` };
  switch (action.action) {
    case 'poll': return { ...poll(tracked, parts), ...await screenField(tracked, parts) };
    case 'log': return { ...log(tracked, action, parts), ...await screenField(tracked, parts) };
    case 'wait': return { ...await wait(tracked, action.timeoutMs, signal, parts), ...await screenField(tracked, parts) };
    case 'kill': return kill(tracked, parts);
    case 'write': return write(tracked, action.data, parts);
    case 'submit': return write(tracked, `${action.data}${tracked.kind === 'live' && tracked.live.process.mode === 'pty' ? '\r' : '\n'}`, parts);
    case 'close': return closeInput(tracked, parts);
  }
}

function list(action: Extract<ProcessAction, { action: 'list' }>, parts: ActionParts): JsonObject {
  const own = parts.tracked.all().filter((tracked) => tracked.sessionId === action.sessionId || (tracked.sessionId === null && tracked.taskId === action.taskId));
  return {
    processes: own.map((tracked) => ({
      session_id: tracked.id, command: parts.redact(tracked.command).slice(0, COMMAND_CHARS), cwd: tracked.cwd, pid: pidOf(tracked),
      started_at: new Date(tracked.startedAt).toISOString(), uptime_seconds: uptimeSeconds(tracked, parts.clock), status: isRunning(tracked) ? 'running' : 'exited',
      output_preview: output(tracked, LIST_PREVIEW_CHARS, parts), ...ending(tracked), ...(tracked.kind === 'detached' ? { detached: true } : {}),
      ...(tracked.notify ? { notify_on_complete: true } : {}),
      ...(tracked.kind === 'live' && tracked.watcher.patterns.length > 0 ? { watch_patterns: tracked.watcher.patterns, watch_hit: tracked.watcher.hit } : {}),
    })),
  };
}

function cutFields({ capture }: LiveTracked['live']): JsonObject {
  return { output_cut: true, ...(capture.path === undefined ? {} : { full_output_path: capture.path }) };
}

/** Reads only: a completion that the chat waits for still comes. */
function poll(tracked: Tracked, parts: ActionParts): JsonObject {
  const live = tracked.kind === 'live' ? tracked.live : undefined;
  const waits = live?.running === true && live.row.secretInput ? 'The program waits for a secret that only the user can type.' : live?.running === true && live.row.fullScreen ? 'The program uses the whole screen: see screen.' : undefined;
  const note = tracked.kind === 'detached' ? DETACHED_NOTE : awayNote(tracked, parts) ?? waits;
  return {
    session_id: tracked.id, command: parts.redact(tracked.command), status: isRunning(tracked) ? 'running' : 'exited', pid: pidOf(tracked),
    uptime_seconds: uptimeSeconds(tracked, parts.clock), output_preview: output(tracked, POLL_PREVIEW_CHARS, parts), ...ending(tracked),
    ...(tracked.kind === 'detached' ? { detached: true } : {}), ...(note === undefined ? {} : { note }),
    ...(live !== undefined && live.capture.omittedChars > 0 ? cutFields(live) : {}),
  };
}

function log(tracked: Tracked, action: Extract<ProcessAction, { action: 'log' }>, parts: ActionParts): JsonObject {
  const text = output(tracked, ROLLING_CHARS, parts);
  const all = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const live = tracked.kind === 'live' ? tracked.live : undefined;
  // What is kept may begin in the middle of a line.
  const isCut = live !== undefined && (live.capture.omittedChars > 0 || live.capture.totalChars > ROLLING_CHARS);
  const lines = isCut && all.length > 1 ? all.slice(1) : all;
  const shown = action.offset === undefined ? lines.slice(-action.limit) : lines.slice(action.offset, action.offset + action.limit);
  if (!isRunning(tracked)) parts.delivered(tracked);
  const note = tracked.kind === 'detached' ? DETACHED_NOTE : awayNote(tracked, parts) ?? (isCut ? CUT_NOTE : undefined);
  return {
    session_id: tracked.id, command: parts.redact(tracked.command), status: isRunning(tracked) ? 'running' : 'exited', output: shown.join('\n'),
    total_lines: lines.length, showing: `${shown.length} lines`, ...ending(tracked), ...(note === undefined ? {} : { note }), ...(isCut ? cutFields(live) : {}),
  };
}

async function wait(tracked: Tracked, timeoutMs: number | undefined, signal: AbortSignal, parts: ActionParts): Promise<JsonObject> {
  const maxMs = parts.maxWaitMs();
  const wanted = timeoutMs ?? maxMs;
  if (wanted <= 0) return { status: 'error', error: 'timeout must be at least 1 second' };
  const limit = Math.min(wanted, maxMs);
  const clamped = wanted > maxMs ? { timeout_note: `Requested wait of ${wanted / 1_000}s was limited to ${maxMs / 1_000}s.` } : {};
  const how = isRunning(tracked) ? await waitForEnd(tracked, limit, signal, parts.clock) : 'exited';
  if (how === 'exited') {
    parts.delivered(tracked);
    return { status: 'exited', session_id: tracked.id, command: parts.redact(tracked.command), exit_code: exitCodeOf(tracked), completion_reason: reasonOf(tracked), output: output(tracked, WAIT_CHARS, parts), ...clamped };
  }
  const away = awayNote(tracked, parts);
  const state = { session_id: tracked.id, command: parts.redact(tracked.command), process_running: true, output: output(tracked, WAIT_CHARS, parts), ...(away === undefined ? {} : { note: away }), ...clamped };
  return how === 'interrupted'
    ? { status: 'interrupted', ...state, note: 'The wait was interrupted (the user sent a message or pressed stop); the process is still running.' }
    : { status: 'timeout', ...state, message: `Still running after ${limit / 1_000}s. This is not an error: the process goes on; poll, wait again or kill it.` };
}

/** An adopted process cannot be waited for by the kernel: it is looked at this often. */
const DETACHED_LOOK_MS = 500;

function waitForEnd(tracked: Tracked, limitMs: number, signal: AbortSignal, clock: Clock): Promise<'exited' | 'timeout' | 'interrupted'> {
  if (signal.aborted) return Promise.resolve('interrupted');
  const { promise, resolve } = Promise.withResolvers<'exited' | 'timeout' | 'interrupted'>();
  const cancelLimit = clock.after(limitMs, () => resolve('timeout'));
  const onAbort = () => resolve('interrupted');
  signal.addEventListener('abort', onAbort, { once: true });
  let cancelLook: (() => void) | undefined;
  if (tracked.kind === 'live') {
    tracked.waiters += 1;
    void tracked.live.done.then(() => resolve('exited'));
  } else {
    const look = () => { if (isRunning(tracked)) cancelLook = clock.after(DETACHED_LOOK_MS, look); else resolve('exited'); };
    look();
  }
  return promise.finally(() => {
    cancelLimit();
    cancelLook?.();
    signal.removeEventListener('abort', onAbort);
    if (tracked.kind === 'live') tracked.waiters -= 1;
  });
}

async function kill(tracked: Tracked, parts: ActionParts): Promise<JsonObject> {
  if (!isRunning(tracked)) {
    parts.delivered(tracked);
    return { status: 'already_exited', error: 'Process has already finished', session_id: tracked.id, exit_code: exitCodeOf(tracked) };
  }
  parts.delivered(tracked);
  const survivors = await killTracked(tracked, 'process.kill', parts);
  if (survivors.length > 0) return { status: 'error', error: `Kill incomplete: ${survivors.length} process(es) still alive after SIGKILL`, session_id: tracked.id, survivors };
  return {
    status: 'killed', session_id: tracked.id, exit_code: KILLED_EXIT_CODE, completion_reason: 'killed', termination_source: 'process.kill', output: output(tracked, WAIT_CHARS, parts),
  };
}

/** SIGTERM, 2 s, SIGKILL to the whole tree. The record of the kill is written before the reader can see an end. */
export async function killTracked(tracked: Tracked, source: string, parts: Pick<ActionParts, 'redact' | 'clock' | 'changed'>): Promise<readonly number[]> {
  const before = parts.redact(plainText(tracked.kind === 'live' ? tracked.live.capture.tail(ROLLING_CHARS) : tracked.output()));
  const survivors = tracked.kind === 'live'
    ? await tracked.live.end({ why: 'abort', signal: 'SIGTERM', graceMs: KILL_GRACE_MS })
    : await endDetached(tracked, KILL_GRACE_MS);
  if (survivors.length === 0) {
    tracked.killed = { source, output: before };
    tracked.endedAt = parts.clock.now();
    if (tracked.kind === 'live') {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const cancel = parts.clock.after(SETTLE_MS, () => resolve(undefined));
      void tracked.live.done.then(() => resolve(undefined));
      await promise;
      cancel();
    }
  }
  parts.changed();
  return survivors;
}

const NO_STDIN = 'Process stdin not available (non-local backend or stdin closed)';

function write(tracked: Tracked, data: string, parts: ActionParts): JsonObject {
  if (!isRunning(tracked)) return { status: 'already_exited', error: 'Process has already finished' };
  if (tracked.kind === 'detached') return { status: 'error', error: NO_STDIN };
  try {
    tracked.live.writeAs('agent', data);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: 'error', error: tracked.live.row.readOnly ? NO_STDIN : parts.redact(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`) };
  }
  return { status: 'ok', bytes_written: Buffer.byteLength(data) };
}

function closeInput(tracked: Tracked, parts: ActionParts): JsonObject {
  if (!isRunning(tracked)) return { status: 'already_exited', error: 'Process has already finished' };
  if (tracked.kind === 'detached' || tracked.live.row.readOnly) return { status: 'error', error: NO_STDIN };
  if (tracked.live.row.driver === 'user') return { status: 'error', error: 'The user has taken over this terminal; wait until it is handed back.' };
  tracked.live.process.closeStdin();
  if (tracked.live.process.mode === 'pty') return { status: 'ok', message: 'EOF sent' };
  tracked.live.row.readOnly = true;
  tracked.live.changed();
  parts.changed();
  return { status: 'ok', message: 'stdin closed' };
}
