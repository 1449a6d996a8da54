/** What every command is given, and how one ends. */
import type { Paint } from './paint.ts';
import type { CliHost, HostChoices } from './host-port.ts';
import type { Streams } from './streams.ts';

/** Exit codes of the command line; scripts depend on them. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** How the command line shows up as the one who asked. */
export const CALLER = { via: 'cli', client: 'cli' } as const;

export interface CommandContext {
  readonly streams: Streams;
  readonly paint: Paint;
  /** One JSON value (or one per line) instead of text for people. */
  readonly json: boolean;
  /** Aborts at Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** `wanted` is asked at each Ctrl-C; true = not this time. SIGTERM and SIGHUP end the command in any case. */
  holdInterrupt(wanted: () => boolean): void;
  /** Opens the host, runs the command on it and closes it again whatever happens. */
  withHost(choices: Partial<HostChoices>, command: (host: CliHost) => Promise<ExitCode>): Promise<ExitCode>;
}

/** The command line is used wrongly: said on stderr, exit code 2. */
export class UsageError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}
