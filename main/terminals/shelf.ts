/** All terminals that screens can see: live ones and ended ones, kept in the database so that both outlive the host. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isLookedAfter, startIdentity } from '../../environments/local.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { TerminalId } from '../../preload/contract/ids.ts';
import type { Terminal } from '../../preload/contract/terminal.ts';
import type { HomePaths } from '../../tools/context.ts';
import type { Clock, EventBus, Log, Storage } from '../ports.ts';
import { capturedTail } from './captured-tail.ts';
import { cleanScreen } from './clean-screen.ts';
import { withDivider } from './divider.ts';
import type { LiveTerminal } from './live-terminal.ts';
import type { UsageRoot } from './usage.ts';

/** Screens are saved this long after they changed (anchors B4), and cut to this many characters, oldest lines first. */
const SAVE_EVERY_MS = 5_000;
export const MAX_SCREEN_CHARS = 1_000_000;
/** Ended foreground commands that stay in the list of one chat; a background process or a user's shell stays until dismissed. */
const MAX_ENDED_FOREGROUND = 40;

export interface ShelfOptions {
  readonly storage: Pick<Storage, 'terminals'>;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly log: Log;
  readonly paths: Pick<HomePaths, 'outputs'>;
  redact(text: string): string;
}

interface Kept { row: Terminal; readonly taskId: string; readonly capturePath: string | null; readonly startIdentity: string | null; /** Its screen is that of an earlier host. */ readonly earlier: boolean }

export class Shelf {
  readonly #options: ShelfOptions;
  readonly #live = new Map<TerminalId, LiveTerminal>();
  readonly #ended = new Map<TerminalId, Kept>();
  readonly #retiring = new WeakMap<LiveTerminal, Promise<void>>();
  #cancelSave: (() => void) | undefined;
  #closed = false;

  constructor(options: ShelfOptions) {
    this.#options = options;
    for (const { terminal, ...kept } of options.storage.terminals.list()) this.#ended.set(terminal.id, { row: terminal, ...kept, earlier: true });
  }

  /** Rows that an earlier host left as running; those of another host that is alive are its own business. */
  leftRunning(): Terminal[] {
    return [...this.#ended.values()].filter(({ row, startIdentity: identity }) =>
      row.state === 'running' && (row.pid === null || identity === null || !isLookedAfter(row.pid, identity))).map((kept) => kept.row);
  }

  /** Replaces the record of a terminal without a live process. */
  amend(id: TerminalId, change: Partial<Terminal>): Terminal {
    const kept = this.#ended.get(id);
    if (kept === undefined) throw new AppError('not-found', 'there is no such terminal');
    kept.row = { ...kept.row, ...change };
    this.#options.storage.terminals.upsert(kept.row, { taskId: kept.taskId, capturePath: kept.capturePath, startIdentity: kept.startIdentity });
    this.#options.events.publish('terminals', { type: 'changed', terminal: kept.row });
    return kept.row;
  }

  add(live: LiveTerminal): void {
    this.#live.set(live.row.id, live);
    this.#ended.delete(live.row.id); // one that is followed again
    this.#write(live);
    live.onOutput(() => this.#saveLater());
    void live.done.then(() => this.#retire(live)).catch((error: unknown) => this.#options.log.error('an ended terminal could not be kept', { id: live.row.id, error }));
  }

  changed(live: LiveTerminal): void {
    if (this.#live.get(live.row.id) === live) this.#write(live);
  }

  #write(live: LiveTerminal): void {
    const { pid, backend, command, title } = live.row;
    const { redact } = this.#options;
    this.#options.storage.terminals.upsert({ ...live.snapshotRow(), command: redact(command), title: redact(title) }, {
      taskId: live.taskId, capturePath: live.capture.path ?? null, startIdentity: pid === null || backend !== 'local' ? null : startIdentity(pid) ?? null,
    });
    this.#options.events.publish('terminals', { type: 'changed', terminal: live.snapshotRow() });
  }

  #saveLater(): void {
    if (!this.#closed) this.#cancelSave ??= this.#options.clock.after(SAVE_EVERY_MS, () => {
      this.#cancelSave = undefined;
      void this.#saveDirty();
    });
  }

  async #saveDirty(): Promise<void> {
    for (const live of [...this.#live.values()]) if (live.dirty && live.running) await this.#save(live);
  }

  /** A secret is never on the screen (echo is off), and known shapes of keys are hidden before it is stored. */
  async #save(live: LiveTerminal): Promise<void> {
    live.dirty = false;
    try {
      const text = await live.screen.settled(() => live.screen.serialized(MAX_SCREEN_CHARS));
      this.#options.storage.terminals.saveScreen(live.row.id, cleanScreen(text, this.#options.redact));
    } catch (error) {
      this.#options.log.error('the screen of a terminal could not be saved', { id: live.row.id, error });
    }
  }

  /** Once per terminal, whoever asks first: its own end, or the close of the shelf. */
  #retire(live: LiveTerminal): Promise<void> {
    const retiring = this.#retiring.get(live) ?? this.#moveToEnded(live);
    this.#retiring.set(live, retiring);
    return retiring;
  }

  async #moveToEnded(live: LiveTerminal): Promise<void> {
    await this.#save(live);
    if (this.#live.get(live.row.id) !== live) return;
    this.#ended.set(live.row.id, { row: live.snapshotRow(), taskId: live.taskId, capturePath: live.capture.path ?? null, startIdentity: null, earlier: false });
    this.#live.delete(live.row.id);
    this.#write(live);
    live.dispose();
    this.#trim(live.row.sessionId);
  }

  #trim(sessionId: Terminal['sessionId']): void {
    const foreground = [...this.#ended.values()].filter(({ row }) => row.kind === 'foreground' && row.sessionId === sessionId && row.state !== 'running');
    foreground.sort((a, b) => a.row.startedAt - b.row.startedAt);
    for (const { row } of foreground.slice(0, Math.max(0, foreground.length - MAX_ENDED_FOREGROUND))) this.dismiss(row.id);
  }

  list(): Terminal[] {
    const rows = [...[...this.#ended.values()].map((kept) => kept.row), ...[...this.#live.values()].map((live) => live.snapshotRow())];
    return rows.sort((a, b) => a.startedAt - b.startedAt);
  }

  get(id: TerminalId): Terminal | undefined {
    return this.#live.get(id)?.snapshotRow() ?? this.#ended.get(id)?.row;
  }

  live(id: TerminalId): LiveTerminal | undefined {
    return this.#live.get(id);
  }

  allLive(): LiveTerminal[] {
    return [...this.#live.values()];
  }

  /** Processes of this machine that run in a terminal now. */
  localRoots(): UsageRoot[] {
    return this.allLive().flatMap((live) => {
      const { id, pid, backend, command } = live.row;
      return pid !== null && backend === 'local' && live.running ? [{ id, pid, mark: live.process.mark, command }] : [];
    });
  }

  capturePath(id: TerminalId): string | null {
    return this.#live.get(id)?.capture.path ?? this.#ended.get(id)?.capturePath ?? null;
  }

  savedScreen(id: TerminalId): string {
    const saved = this.#options.storage.terminals.screen(id) ?? '';
    const kept = this.#ended.get(id);
    if (saved !== '' || kept === undefined) return saved;
    // A host that was killed may not have written down where its output is.
    return cleanScreen(capturedTail(kept.capturePath ?? join(this.#options.paths.outputs, `${id}.log`), kept.row.mode), this.#options.redact);
  }

  /** As a view shows it: under the screen of an earlier host stands a line that says so. */
  history(id: TerminalId): string {
    const kept = this.#ended.get(id);
    return kept?.earlier === true ? withDivider(this.savedScreen(id), kept.row) : this.savedScreen(id);
  }

  /** Throws `not-found` and, while it runs, `request/not-possible`. */
  dismiss(id: TerminalId): void {
    const kept = this.#ended.get(id);
    if (this.#live.has(id) || kept?.row.state === 'running') {
      throw new AppError('request/not-possible', 'this terminal still runs', { hint: 'End it first, then close its tab.' });
    }
    if (kept === undefined) throw new AppError('not-found', 'there is no such terminal');
    this.#ended.delete(id);
    this.#options.storage.terminals.remove(id);
    if (kept.capturePath !== null) rmSync(kept.capturePath, { force: true });
    this.#options.events.publish('terminals', { type: 'removed', id });
  }

  /** Resolves when every ended terminal is kept. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelSave?.();
    for (const live of [...this.#live.values()]) await (live.running ? this.#save(live) : this.#retire(live));
    for (const live of this.#live.values()) live.dispose();
  }
}
