/** Background processes of all chats: tracking, notices, watching, the checkpoint file, and what survives a restart. */
import { join } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';
import type { TerminalId } from '../../preload/contract/ids.ts';
import type { Terminal } from '../../preload/contract/terminal.ts';
import type { HomePaths, JsonObject, ProcessAction } from '../../tools/context.ts';
import { startIdentity } from '../../environments/local.ts';
import type { Clock, Log } from '../ports.ts';
import { capturedTail } from './captured-tail.ts';
import { Checkpoint, type CheckpointEntry } from './checkpoint.ts';
import type { LiveTerminal } from './live-terminal.ts';
import type { Notices } from './notices.ts';
import { plainText } from '../../tools/shared/plain-text.ts';
import { answerProcessAction, exitCodeOf, killTracked, type ActionParts } from './process-actions.ts';
import { recover, type Told } from './recover.ts';
import type { Shelf } from './shelf.ts';
import { TrackedProcesses, type LiveTracked, type Tracked } from './tracked.ts';
import type { UsageRoot } from './usage.ts';
import { WatchBreaker, Watcher, type WatchEvent } from './watch.ts';

/** Output told with a completion (hermes-runtime 5.6). */
const COMPLETION_CHARS = 2_000;
const KILL_GRACE_MS = 2_000;

export interface BackgroundOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly paths: HomePaths;
  readonly shelf: Shelf;
  readonly notices: Notices;
  redact(text: string): string;
  maxWaitMs(): number;
  /** Follows a process that its backend kept running; undefined when it is not there. */
  reattach(entry: CheckpointEntry, row: Terminal): Promise<LiveTerminal | undefined>;
}

export class Background {
  readonly #options: BackgroundOptions;
  readonly #tracked: TrackedProcesses;
  readonly #checkpoint: Checkpoint;
  readonly #breaker = new WatchBreaker();
  readonly #parts: ActionParts;
  #recovering: Promise<void> | undefined;
  #cancelRelease: (() => void) | undefined;
  readonly #closing = new AbortController();
  #closed = false;

  constructor(options: BackgroundOptions) {
    this.#options = options;
    this.#tracked = new TrackedProcesses(options.clock);
    this.#checkpoint = new Checkpoint(join(options.paths.home, 'processes.json'), options.log);
    this.#parts = {
      tracked: this.#tracked, clock: options.clock, redact: (text) => options.redact(text), maxWaitMs: () => options.maxWaitMs(),
      delivered: (tracked) => this.#delivered(tracked), changed: () => this.#save(),
    };
  }

  recover(): Promise<void> {
    this.#recovering ??= recover({
      checkpoint: this.#checkpoint, tracked: this.#tracked, shelf: this.#options.shelf, home: this.#options.paths.home, outputs: this.#options.paths.outputs,
      clock: this.#options.clock, log: this.#options.log, closing: this.#closing.signal, changed: () => this.#save(), reattach: (entry, row) => this.#reattach(entry, row), tell: (process, words, soon) => this.#tellUnseen(process, words, soon),
    });
    return this.#recovering;
  }

  /** A chat that waits for a completion learns that nobody saw it; what was captured is told, nothing is invented. */
  #tellUnseen({ id, sessionId, command, notify }: Told, words: string, soon: boolean): void {
    if (!notify || this.#closed) return;
    const path = join(this.#options.paths.outputs, `${id}.log`);
    const text = this.#options.redact(plainText(capturedTail(path, 'pty'))).trim();
    const shown = text.slice(-COMPLETION_CHARS);
    const notice = {
      processId: id, kind: 'completion', text: [
        `Background process ${id} is not running any more: ${words} (exit_code unknown). Check what it has done before you start it again.`, `Command: ${this.#options.redact(command)}`,
        `Output that was captured${shown.length < text.length ? ` (last ${shown.length} characters; all of it is in ${path})` : ''}:`, shown === '' ? '(none)' : shown,
      ].join('\n'),
    } as const;
    if (soon) this.#options.notices.add(sessionId, notice);
    else this.#options.notices.addQuietly(sessionId, notice);
  }

  async #reattach(entry: CheckpointEntry, row: Terminal): Promise<boolean> {
    const live = await this.#options.reattach(entry, row);
    if (live === undefined) return false;
    this.track(live, { notify: entry.notify_on_complete, watchPatterns: entry.watch_patterns });
    return true;
  }

  answer(action: ProcessAction, signal: AbortSignal): Promise<JsonObject> {
    return answerProcessAction(action, signal, this.#parts);
  }

  /** Armed at once: the end of a process that is quicker than the caller's turn is told all the same. */
  track(live: LiveTerminal, how: { readonly notify: boolean; readonly watchPatterns: readonly string[] }): void {
    const { id, sessionId, command, cwd, startedAt } = live.row;
    const tracked: LiveTracked = {
      kind: 'live', id, sessionId, taskId: live.taskId, command, cwd, startedAt, notify: how.notify, delivered: false, killed: undefined, endedAt: undefined,
      live, watcher: new Watcher(how.watchPatterns), waiters: 0,
    };
    this.#tracked.add(tracked);
    if (tracked.watcher.active) {
      const told = live.process.replayed ?? 0;
      live.onOutput((text) => { if (live.capture.bytes > told) for (const event of tracked.watcher.push(text, this.#options.clock.monotonic())) this.#tellWatch(tracked, event); });
    }
    void live.done.then(() => this.#ended(tracked));
    this.#save();
  }

  /** A foreground command that waits for somebody goes on as a background process under its own terminal id. */
  promote(live: LiveTerminal): void {
    live.row.kind = 'background';
    live.changed();
    this.track(live, { notify: true, watchPatterns: [] });
  }

  #ended(tracked: LiveTracked): void {
    tracked.endedAt ??= this.#options.clock.now();
    tracked.watcher.stop();
    if (tracked.waiters > 0 || tracked.killed !== undefined) tracked.delivered = true;
    if (tracked.notify && !tracked.delivered && !this.#closed) {
      this.#options.notices.add(tracked.sessionId, { processId: tracked.id, kind: 'completion', text: this.#completion(tracked) });
    }
    this.#save();
  }

  #completion(tracked: LiveTracked): string {
    const { live } = tracked;
    const all = this.#options.redact(plainText(live.capture.tail(COMPLETION_CHARS * 4)));
    const shown = all.slice(-COMPLETION_CHARS);
    const omitted = live.capture.totalChars > shown.length && all.length + live.capture.omittedChars > shown.length ? live.capture.totalChars - shown.length : 0;
    const cut = omitted > 0 ? ` (last ${shown.length} characters; ${omitted} before them are not shown)` : '';
    return [
      `Background process ${tracked.id} has ended: ${live.row.ended ?? 'unknown'} (exit_code ${exitCodeOf(tracked) ?? 'unknown'}).`,
      `Command: ${this.#options.redact(tracked.command)}`, `Output${cut}:`, shown.trim() === '' ? '(none)' : shown.trim(),
    ].join('\n');
  }

  #delivered(tracked: Tracked): void {
    tracked.delivered = true;
    this.#options.notices.withdrawCompletion(tracked.sessionId, tracked.id);
  }

  #tellWatch(tracked: LiveTracked, event: WatchEvent): void {
    if (tracked.killed !== undefined || !tracked.live.running) return;
    const add = (text: string) => this.#options.notices.add(tracked.sessionId, { processId: tracked.id, kind: 'watch', text });
    if (event.kind === 'disabled') {
      tracked.notify = true;
      add(`Watching the output of ${tracked.id} has been switched off: ${event.reason}. Its completion will be told instead.`);
      this.#save();
      return;
    }
    const answer = this.#breaker.ask(this.#options.clock.monotonic());
    if (answer === 'silent') return;
    if (answer === 'tripped') {
      add(`Too many watch matches over all processes: they are not told for the next ${WatchBreaker.silenceMs / 1_000} s.`);
      this.#cancelRelease = this.#options.clock.after(WatchBreaker.silenceMs, () => {
        const dropped = this.#breaker.released(this.#options.clock.monotonic());
        if (dropped !== undefined && !this.#closed) add(`Watch matches are told again; ${dropped} were dropped meanwhile.`);
      });
      return;
    }
    const more = event.suppressed > 0 ? `\n(${event.suppressed} more matching lines are not shown)` : '';
    add(`Background process ${tracked.id} printed a line that matches "${event.pattern}":\n${this.#options.redact(plainText(event.lines.join('\n')))}${more}`);
  }

  /** A person ends it: the model is told by its completion notice, if it asked for one. */
  async killLive(live: LiveTerminal, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const survivors = await live.end({ why: 'abort', signal, graceMs: KILL_GRACE_MS });
    if (survivors.length > 0) {
      throw new AppError('environment/failed', `${survivors.length} process(es) are still alive after SIGKILL: ${survivors.join(', ')}`, { hint: 'They may hang in the kernel (a dead network drive), or belong to another user.' });
    }
    await live.done;
  }

  /** Throws `terminal/gone` when there is nothing to end. */
  async killDetached(id: TerminalId): Promise<void> {
    const tracked = this.#tracked.running().find((candidate) => candidate.id === id && candidate.kind === 'detached');
    if (tracked === undefined) throw new AppError('terminal/gone', 'the program in this terminal has ended');
    const survivors = await killTracked(tracked, 'user', this.#parts);
    if (survivors.length > 0) throw new AppError('environment/failed', `${survivors.length} process(es) are still alive after SIGKILL: ${survivors.join(', ')}`);
    this.#options.shelf.amend(id, { state: 'exited', ended: 'stopped by request', endedAt: this.#options.clock.now() });
  }

  forget(id: TerminalId): void {
    this.#tracked.remove(id);
  }

  detachedRoots(): UsageRoot[] {
    return this.#tracked.running().flatMap((tracked) => (tracked.kind === 'detached' ? [{ id: tracked.id, pid: tracked.pid, mark: tracked.mark, command: tracked.command }] : []));
  }

  #save(): void {
    if (this.#closed) return;
    const { owner } = this.#checkpoint;
    this.#checkpoint.set(this.#tracked.running().map((tracked) => {
      const remote = tracked.kind === 'live' ? tracked.live.process.handle : undefined;
      const pid = tracked.kind === 'live' ? tracked.live.row.pid : tracked.pid;
      const local = tracked.kind === 'detached' || tracked.live.row.backend === 'local';
      const mark = tracked.kind === 'live' ? tracked.live.process.mark : tracked.mark;
      return {
        session_id: tracked.id, command: this.#options.redact(tracked.command), pid, pid_scope: local ? 'host' as const : 'sandbox' as const,
        host_start_time: pid === null || !local ? null : startIdentity(pid) ?? null, ...(mark === undefined ? {} : { mark }), ...(remote === undefined ? {} : { remote }), cwd: tracked.cwd, started_at: tracked.startedAt, task_id: tracked.taskId,
        session_key: tracked.sessionId ?? '', notify_on_complete: tracked.notify, watch_patterns: tracked.kind === 'live' ? [...tracked.watcher.patterns] : [...tracked.watchPatterns],
        owner_pid: owner.pid, owner_started_at: owner.started,
      };
    }));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#recovering?.catch((error: unknown) => this.#options.log.error('recovery of earlier processes failed', { error }));
    this.#cancelRelease?.();
    for (const tracked of this.#tracked.running()) if (tracked.kind === 'detached') await killTracked(tracked, 'close', this.#parts);
    this.#save();
    this.#closed = true;
    await this.#checkpoint.flushed();
  }
}
