/** The arguments of the terminal tool, checked by hand: each mistake has an answer of its own (hermes-runtime 5.1). */
export interface TerminalArguments {
  readonly command: string;
  readonly background: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly workdir: string | undefined;
  readonly pty: boolean;
  readonly notifyOnComplete: boolean;
  readonly watchPatterns: readonly string[];
}

export interface Refusal { readonly error: string; readonly status: 'error' | 'blocked' }

const WORKDIR_CHARACTER = /[A-Za-z0-9/\\:_\-.~ +@=,]/u;

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

export function readArguments(args: Record<string, unknown>): TerminalArguments | Refusal {
  const command = args['command'];
  if (typeof command !== 'string') return { status: 'error', error: `Invalid command: expected string, got ${command === undefined ? 'undefined' : typeName(command)}` };
  if (command.trim() === '') return { status: 'error', error: 'Invalid command: it is empty' };
  if (command.includes('\0')) return { status: 'error', error: 'Invalid command: it contains a NUL character, which no shell can take' };
  const workdir = args['workdir'];
  if (typeof workdir === 'string') {
    const odd = [...workdir].find((character) => !WORKDIR_CHARACTER.test(character));
    if (odd !== undefined) return { status: 'blocked', error: `Blocked: workdir contains disallowed character '${odd}'. Use a plain path.` };
  } else if (workdir !== undefined && workdir !== null) return { status: 'error', error: `Invalid workdir: expected string, got ${typeName(workdir)}` };
  const timeout = args['timeout'];
  if (timeout !== undefined && timeout !== null && (typeof timeout !== 'number' || !Number.isFinite(timeout) || timeout < 1)) {
    return { status: 'error', error: `Invalid timeout: expected a number of seconds of at least 1, got ${JSON.stringify(timeout)}` };
  }
  const patterns = args['watch_patterns'];
  return {
    command, background: args['background'] === true, timeoutSeconds: typeof timeout === 'number' ? timeout : undefined,
    workdir: typeof workdir === 'string' && workdir !== '' ? workdir : undefined, pty: args['pty'] === true, notifyOnComplete: args['notify_on_complete'] === true,
    watchPatterns: Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === 'string' && pattern !== '') : [],
  };
}
