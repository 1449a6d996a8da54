/** One terminal: its process, its screen, what was captured, who watches and who drives. */
import type { RunningProcess, ProcessEnd } from '../../environments/base.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { Terminal } from '../../preload/contract/terminal.ts';
import { plainText } from '../../tools/shared/plain-text.ts';
import type { Clock } from '../ports.ts';
import { LineFeeds, unfinishedTail } from './bytes.ts';
import type { Capture } from './capture.ts';
import { endInWords } from './reasons.ts';
import { Screen } from './screen.ts';
import { View } from './view.ts';

/** Looked back over for a sequence that is not complete yet; longer ones (pictures, clipboard) start anew on the next screen. */
const RECENT_BYTES = 4_096;

const TELL_INPUT_MS = 1_000;
/** Exit code of a shell whose command ended by Ctrl-C. */
const INTERRUPT_EXIT = 130;

function isInterrupt(end: ProcessEnd): boolean {
  return end.signal === 'SIGINT' || end.exitCode === INTERRUPT_EXIT;
}

/** The contract's record, before it leaves this module as a copy. */
export type Row = { -readonly [Key in keyof Terminal]: Terminal[Key] };

export interface LiveOptions {
  readonly row: Terminal;
  readonly taskId: string;
  readonly process: RunningProcess;
  readonly capture: Capture;
  readonly clock: Clock;
  /** The record differs from what was told last. */
  onChange(terminal: LiveTerminal): void;
}

export type OutputListener = (text: string, bytes: Uint8Array) => void;

export class LiveTerminal {
  readonly row: Row;
  readonly taskId: string;
  readonly process: RunningProcess;
  readonly capture: Capture;
  /** Settles with the process's end, after its last byte was captured. The screen may still be drawing. */
  readonly done: Promise<ProcessEnd>;
  /** Output since the screen was saved last. */
  dirty = false;
  lastOutputAt: number;
  readonly #options: LiveOptions;
  readonly #views = new Set<View>();
  readonly #pauses = new Set<object | string>();
  readonly #listeners = new Set<OutputListener>();
  readonly #alternateListeners = new Set<(alternate: boolean) => void>();
  readonly #feeds: LineFeeds | undefined;
  #recent: Uint8Array[] = [];
  #recentBytes = 0;
  #screen: Screen | undefined;
  /** Output before there is a screen: making one costs more than many commands take, so it waits until they had their turn. */
  #undrawn: Uint8Array[] = [];
  #disposed = false;
  #stoppedByUs = false;
  #inputToldAt = 0;
  #result: ProcessEnd | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.row = { ...options.row };
    this.taskId = options.taskId;
    this.process = options.process;
    this.capture = options.capture;
    this.lastOutputAt = options.clock.monotonic();
    this.#feeds = options.process.mode === 'pipe' ? new LineFeeds() : undefined;
    options.process.onOutput((bytes) => this.#output(bytes));
    this.done = this.#follow();
  }

  async #follow(): Promise<ProcessEnd> {
    const end = await this.process.ended;
    await this.capture.close();
    this.#result = end;
    Object.assign(this.row, {
      state: end.why === 'lost' ? 'lost' : 'exited', exitCode: end.exitCode, signal: end.signal, ended: endInWords(end, this.#stoppedByUs),
      stopped: end.why !== 'timeout' && end.why !== 'lost' && (this.#stoppedByUs || isInterrupt(end)), endedAt: this.#options.clock.now(), readOnly: true, secretInput: false, fullScreen: false, bytes: this.capture.bytes, driver: 'agent',
    } satisfies Partial<Terminal>);
    this.changed();
    return end;
  }

  #output(bytes: Uint8Array): void {
    this.lastOutputAt = this.#options.clock.monotonic();
    this.dirty = true;
    const text = this.capture.push(bytes);
    this.row.bytes = this.capture.bytes;
    this.#remember(bytes);
    this.#draw(bytes);
    if (this.#views.size === 0) this.#feeds?.pass(bytes);
    else {
      const shown = this.#feeds?.convert(bytes) ?? bytes;
      for (const view of this.#views) view.push(shown);
    }
    for (const listener of this.#listeners) listener(text, bytes);
  }

  #remember(bytes: Uint8Array): void {
    this.#recent.push(bytes);
    this.#recentBytes += bytes.length;
    for (let first = this.#recent[0]; first !== undefined && this.#recentBytes - first.length >= RECENT_BYTES; first = this.#recent[0]) {
      this.#recent.shift();
      this.#recentBytes -= first.length;
    }
  }

  #draw(bytes: Uint8Array): void {
    if (this.#screen !== undefined) {
      this.#screen.write(bytes);
      return;
    }
    if (this.#undrawn.length === 0) setImmediate(() => { if (!this.#disposed) this.screen.resize(this.row.cols, this.row.rows); });
    this.#undrawn.push(bytes);
  }

  /** Made when it is first needed. */
  get screen(): Screen {
    if (this.#screen === undefined) {
      this.#screen = new Screen({
        cols: this.row.cols, rows: this.row.rows, convertLineFeeds: this.#feeds !== undefined, isWatched: () => this.#views.size > 0, clock: this.#options.clock,
        onBusy: (busy) => this.hold('screen', busy),
        onAlternate: (alternate) => this.#alternate(alternate),
        onReply: (data) => this.#reply(data),
      });
      for (const bytes of this.#undrawn) this.#screen.write(bytes);
      this.#undrawn = [];
    }
    return this.#screen;
  }

  #alternate(alternate: boolean): void {
    if (this.row.fullScreen === alternate || !this.running) return;
    this.row.fullScreen = alternate;
    for (const listener of this.#alternateListeners) listener(alternate);
    this.changed();
  }

  /** A program asks the terminal; this screen alone answers, once, however many windows look at it: views never do. */
  #reply(data: string): void {
    if (this.process.mode === 'pty' && this.#result === undefined) this.process.write(data);
  }

  changed(): void {
    this.#options.onChange(this);
  }

  get running(): boolean {
    return this.#result === undefined;
  }

  get result(): ProcessEnd | undefined {
    return this.#result;
  }

  /** Plain text of what a program that took the whole screen shows now, as a field of a result: its output is drawing, not text. */
  async screenField(redact: (text: string) => string = (text) => text): Promise<{ readonly screen?: string }> {
    if (!this.running || !this.row.fullScreen) return {};
    return { screen: redact(plainText(await this.screen.settled(() => this.screen.visibleText()))) };
  }

  /** Copy of the record as screens see it. */
  snapshotRow(): Terminal {
    return { ...this.row };
  }

  onOutput(listener: OutputListener): () => void {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  }

  onAlternate(listener: (alternate: boolean) => void): () => void {
    this.#alternateListeners.add(listener);
    return () => { this.#alternateListeners.delete(listener); };
  }

  /** Pauses the program while anybody holds it. */
  hold(who: object | string, held: boolean): void {
    const before = this.#pauses.size;
    if (held) this.#pauses.add(who);
    else this.#pauses.delete(who);
    if (before === 0 && this.#pauses.size > 0) this.process.pause();
    else if (before > 0 && this.#pauses.size === 0) this.process.resume();
  }

  async attach(send: (bytes: Uint8Array) => void): Promise<{ terminal: Terminal; snapshot: string; ack(bytes: number): void; detach(): void }> {
    /** From here on `view` gets what the copy, taken a little later, does not show. */
    const copy = (begin: () => void): Promise<string> => {
      const recent = Buffer.concat(this.#recent).subarray(-RECENT_BYTES);
      const unfinished = recent.subarray(recent.length - unfinishedTail(recent));
      begin();
      view.push(unfinished);
      return this.screen.settled(() => this.screen.serialized());
    };
    const view: View = new View({ send, onBusy: (busy) => this.hold(view, busy), copy }, this.#options.clock);
    const snapshot = await copy(() => this.#views.add(view));
    const detach = () => {
      this.#views.delete(view);
      view.close();
      this.hold(view, false);
    };
    queueMicrotask(() => view.start());
    return { terminal: this.snapshotRow(), snapshot, ack: (bytes) => view.acknowledge(bytes), detach };
  }

  /** Throws `terminal/gone` and `terminal/read-only`. */
  writeAs(author: 'agent' | 'user', data: string): void {
    if (!this.running) throw new AppError('terminal/gone', 'the program in this terminal has ended');
    if (this.row.readOnly) throw new AppError('terminal/read-only', 'this command takes no input', { hint: 'Only commands with a terminal (pty) and background processes can be typed into.' });
    const mayWrite = this.row.driver === author || (author === 'user' && this.row.secretInput);
    if (!mayWrite) {
      throw author === 'user'
        ? new AppError('terminal/read-only', 'the agent drives this terminal', { hint: 'Take over first, then type.' })
        : new AppError('terminal/read-only', 'the user has taken over this terminal; your input was not sent', { hint: 'Wait until the user hands it back.' });
    }
    if (author === 'agent' && this.row.secretInput) {
      throw new AppError('terminal/read-only', 'the program is waiting for a secret; only the user can type it', { hint: 'Ask the user to type it in the terminal view.' });
    }
    this.process.write(data);
    this.#tagInput(author);
  }

  /** Keys come by the dozen: screens are told when the author changes, and then once a second. */
  #tagInput(by: 'agent' | 'user'): void {
    const at = this.#options.clock.now();
    const before = this.row.lastInput;
    this.row.lastInput = { by, at };
    if (before?.by === by && at - this.#inputToldAt < TELL_INPUT_MS) return;
    this.#inputToldAt = at;
    this.changed();
  }

  resize(cols: number, rows: number): void {
    if (!this.running || (this.row.cols === cols && this.row.rows === rows)) return;
    this.row.cols = cols;
    this.row.rows = rows;
    this.#screen?.resize(cols, rows);
    this.process.resize(cols, rows);
    this.changed();
  }

  setSecret(secret: boolean): void {
    if (this.row.secretInput === secret || !this.running) return;
    this.row.secretInput = secret;
    this.changed();
  }

  /** Ends the whole tree; resolves with the pids that are still alive. */
  end(options: Parameters<RunningProcess['end']>[0]): Promise<readonly number[]> {
    this.#stoppedByUs = true;
    // A held reader would keep the end from being seen.
    this.#pauses.clear();
    this.process.resume();
    return this.process.end(options);
  }

  interrupt(): void {
    this.#stoppedByUs = true;
    this.process.signal('SIGINT');
  }

  dispose(): void {
    for (const view of this.#views) view.finish();
    this.#views.clear();
    this.#disposed = true;
    this.#screen?.dispose();
  }
}
