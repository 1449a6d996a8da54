/** `talaria …`: reads the command line, opens a host for the command, and turns every end into an exit code. */
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { AppError } from '../../../preload/contract/errors.ts';
import { systemClock } from '../../clock.ts';
import { EXIT, UsageError, type CommandContext, type ExitCode } from './command.ts';
import type { OpenHost } from './host-port.ts';
import { painter } from './paint.ts';
import { createProgram, type Actions } from './program.ts';
import type { Streams } from './streams.ts';
import { visibleLine } from './visible.ts';
import { VERSION } from '../../version.ts';

export interface CliParts {
  readonly serve: Actions['serve'];
  readonly openHost?: OpenHost;
  readonly streams?: Streams;
}

export function processStreams(): Streams {
  const { stdin, stdout, stderr } = process;
  const interactive = stdin.isTTY && stderr.isTTY;
  const colour = stderr.isTTY && process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb';
  return { stdin, stdout, stderr, interactive, colour, clock: systemClock };
}

/** Runs one command. Resolves with the exit code; never rejects. */
export async function runCli(argv: readonly string[], parts: CliParts): Promise<number> {
  const streams = parts.streams ?? processStreams();
  const openHost: OpenHost = parts.openHost ?? (async (choices) => (await import('./open-host.ts')).openHost(choices));
  const interrupt = new AbortController();
  let hold = (): boolean => false;
  const onSignal = (signal: NodeJS.Signals): void => { if (signal !== 'SIGINT' || !hold()) interrupt.abort(); };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let exitCode: number = EXIT.done;

  const program = createProgram(VERSION, streams, {
    serve: parts.serve,
    async run(globals, command) {
      if (globals.home !== undefined) process.env['HERMES_HOME'] = resolve(globals.home);
      const context: CommandContext = {
        streams, paint: painter(streams.colour), json: globals.json ?? false, signal: interrupt.signal, holdInterrupt: (wanted) => { hold = wanted; },
        async withHost(choices, work): Promise<ExitCode> {
          const host = await openHost({ cwd: process.cwd(), ...(globals.yolo === true ? { yolo: true } : {}), ...choices });
          try {
            return await work(host);
          } finally {
            await host.close();
          }
        },
      };
      exitCode = await command(context);
    },
  });

  for (const signal of signals) process.on(signal, onSignal);
  /** A reader that has enough (`talaria tools | head -1`) is no error of ours. */
  const onPipe = (error: NodeJS.ErrnoException): void => { if (error.code === 'EPIPE') process.exit(EXIT.done); else throw error; };
  streams.stdout.on('error', onPipe);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return interrupt.signal.aborted ? EXIT.interrupted : told(error, streams);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    streams.stdout.off('error', onPipe);
  }
}

/** Says what went wrong and what to do next, and gives the exit code for it. */
function told(error: unknown, streams: Streams): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const known = error instanceof AppError || error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  streams.stderr.write(`talaria: ${visibleLine(message)}\n`);
  if (known && error.hint !== undefined) streams.stderr.write(`         ${visibleLine(error.hint)}\n`);
  if (!known && error instanceof Error && error.stack !== undefined) streams.stderr.write(`${error.stack}\n`);
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}
