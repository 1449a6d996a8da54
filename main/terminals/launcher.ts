/** Makes a terminal of a started process: its record, its capture, its place on the shelf. */
import { join } from 'node:path';
import type { Environment, RunningProcess } from '../../environments/base.ts';
import { CallId, SessionId, type TerminalId } from '../../preload/contract/ids.ts';
import type { Terminal } from '../../preload/contract/terminal.ts';
import type { HomePaths } from '../../tools/context.ts';
import type { Clock, ConfigStore, Log } from '../ports.ts';
import { Capture } from './capture.ts';
import { cleanFile } from './clean-file.ts';
import { LiveTerminal } from './live-terminal.ts';
import { SCROLLBACK_LINES } from './screen.ts';
import type { Shelf } from './shelf.ts';
import { ROLLING_CHARS } from './tracked.ts';

/** `tool_output.max_bytes` (hermes-runtime 5.4), counted in characters. */
const DEFAULT_OUTPUT_CHARS = 50_000;

export interface LauncherOptions {
  readonly config: Pick<ConfigStore, 'get'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly paths: HomePaths;
  readonly shelf: Shelf;
  redact(text: string): string;
}

export interface Launch {
  readonly process: RunningProcess;
  readonly environment: Environment;
  readonly id: TerminalId;
  readonly kind: Terminal['kind'];
  readonly taskId: string;
  readonly sessionId: string | undefined;
  readonly callId: string | undefined;
  readonly command: string;
  readonly title: string;
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
  readonly takesInput: boolean;
  readonly startedBy: 'agent' | 'user';
}

export class Launcher {
  readonly #options: LauncherOptions;
  /** Environments by the live terminals in them. */
  readonly #inside = new Map<TerminalId, Environment>();
  #cleaning: Promise<void> = Promise.resolve();

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  runsIn(environment: Environment): boolean {
    return [...this.#inside.values()].includes(environment);
  }

  #outputChars(): number {
    const configured = this.#options.config.get('tool_output.max_bytes');
    return typeof configured === 'number' && configured > 0 ? configured : DEFAULT_OUTPUT_CHARS;
  }

  launch(launch: Launch): LiveTerminal {
    const { clock, log, paths, shelf } = this.#options;
    const { id, kind, command, title, cwd, cols, rows } = launch;
    // Scripts and tests may name chats and calls as they like; only ids of ours are told to screens.
    const session = SessionId.safeParse(launch.sessionId);
    const call = CallId.safeParse(launch.callId);
    const { sandbox } = launch.environment.describe();
    const row: Terminal = {
      id, kind, command, title, cwd, cols, rows, mode: launch.process.mode, sessionId: session.success ? session.data : null, callId: call.success ? call.data : null,
      backend: launch.environment.backend, ...(sandbox === undefined ? {} : { sandbox }), state: 'running', pid: launch.process.pid, exitCode: null, signal: null, ended: null, startedAt: clock.now(), endedAt: null,
      driver: kind === 'user' ? 'user' : 'agent', readOnly: !launch.takesInput, secretInput: false, fullScreen: false, bytes: 0, startedBy: launch.startedBy,
    };
    const capture = new Capture({
      path: join(paths.outputs, `${id}.log`), maxChars: kind === 'background' ? ROLLING_CHARS : this.#outputChars(), maxLines: SCROLLBACK_LINES, eager: kind === 'background', clock,
      onDiskBusy: (busy) => live.hold('disk', busy),
      onDiskError: (error) => log.warn('output could not be written to disk; the command goes on', { id, error }),
    });
    const live: LiveTerminal = new LiveTerminal({ row, taskId: launch.taskId, process: launch.process, capture, clock, onChange: (changed) => shelf.changed(changed) });
    this.#inside.set(id, launch.environment);
    void live.done.then(() => {
      this.#inside.delete(id);
      this.#cleanLater(live);
    });
    shelf.add(live);
    return live;
  }

  /** Complete output on disk loses its secrets, one file after the other. */
  #cleanLater(live: LiveTerminal): void {
    const { path } = live.capture;
    if (path === undefined) return;
    this.#cleaning = this.#cleaning.then(() => cleanFile(path, (text) => this.#options.redact(text)))
      .catch((error: unknown) => this.#options.log.warn('captured output could not be looked through for secrets', { path, error }));
  }

  /** Resolves when the last ended command's output is clean. */
  cleaned(): Promise<void> {
    return this.#cleaning;
  }
}
