/** Where the command line reads and writes, passed in so that tests own it. */
import type { Clock } from '../../ports.ts';

export interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

export interface Streams {
  readonly stdin: TerminalInput;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** A person sits there: keys can be read and what is written is seen. */
  readonly interactive: boolean;
  readonly colour: boolean;
  readonly clock: Clock;
}

export function print(stream: NodeJS.WritableStream, text: string): void {
  stream.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** One JSON value on a line of its own. JSON text has no newline in it, so readers split on `\n` alone. */
export function printJson(stream: NodeJS.WritableStream, value: unknown): void {
  stream.write(`${JSON.stringify(value)}\n`);
}
