/** `ProxyCommand` of `~/.ssh/config`: a program of the person's own whose input and output are the connection. */
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../base.ts';

export interface ProxyCommand {
  /** What the server says and is told. It ends with the program. */
  readonly stream: Duplex;
  /** Why it ended, in words, when it did so by itself; waits a moment for that. */
  failure(): Promise<string | undefined>;
  /** Ends it and what it has started. Safe to call twice. */
  end(): void;
}

export interface ProxyTokens { readonly host: string; readonly name: string; readonly port: number; readonly user: string }

/** What a shell could take for more than a name, as OpenSSH 9.6 refuses it (CVE-2023-51385). */
const SAFE_HOST = /^(?!-)[\w.:%[\]-]+$/;
const UNSAFE_USER = /^-|["'`\\;&<>|(){}$\s]/;
/** The program's end is told by its pipes first and by itself a moment later. */
const SETTLE_MS = 300;
const GRACE_MS = 1_000;
const TOLD_CHARS = 300;

/** The command line with `%h`, `%n`, `%p`, `%r` and `%%` filled in. Throws `EnvironmentError` for a name that a shell would act on. */
export function fillProxyCommand(command: string, { host, name, port, user }: ProxyTokens): string {
  const wrong = !SAFE_HOST.test(host) ? host : !SAFE_HOST.test(name) ? name : UNSAFE_USER.test(user) ? user : undefined;
  if (wrong !== undefined) {
    throw new EnvironmentError('denied', `${JSON.stringify(wrong)} may not stand in a ProxyCommand: a shell could take it for a command`, { hint: 'Correct TERMINAL_SSH_HOST, TERMINAL_SSH_USER or ~/.ssh/config.' });
  }
  const tokens: Readonly<Record<string, string>> = { h: host, n: name, p: String(port), r: user, '%': '%' };
  return command.replaceAll(/%(.)/g, (all, letter: string) => tokens[letter] ?? all);
}

/** Started by the person's shell, as OpenSSH does it. Never throws: a program that cannot be started is a stream that breaks. */
export function startProxyCommand(command: string, env: Readonly<Record<string, string>>): ProxyCommand {
  // Node's pipes are sockets, from which bash concludes that it was started by a server, and reads ~/.bashrc: not so below another shell.
  const child = spawn(env['SHELL'] ?? '/bin/sh', ['-c', `exec ${command}`], { env: { SHLVL: '1', ...env }, detached: true, stdio: 'pipe' });
  let said = '';
  let failure: string | undefined;
  let stopped = false;
  const over = Promise.withResolvers<undefined>();
  child.stderr.on('data', (chunk: Buffer) => { said = `${said}${chunk.toString()}`.slice(-TOLD_CHARS); });
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  stream.on('error', () => undefined); // it is closed by that, which whoever uses it sees
  // Half a connection is none.
  stream.once('end', () => { stream.destroy(); });
  child.once('error', (error) => {
    failure ??= `the ProxyCommand could not be started: ${error.message}`;
    stream.destroy(error);
    over.resolve(undefined);
  });
  child.once('exit', (code, signal) => {
    if (!stopped) failure ??= `the ProxyCommand ended with ${signal ?? `code ${String(code)}`}`;
    over.resolve(undefined);
  });
  function end(): void {
    if (stopped) return;
    stopped = true;
    stream.destroy();
    signalGroup('SIGTERM');
    const timer = setTimeout(() => { signalGroup('SIGKILL'); }, GRACE_MS).unref();
    child.once('exit', () => { clearTimeout(timer); });
  }
  function signalGroup(name: 'SIGTERM' | 'SIGKILL'): void {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error; // it has ended already
    }
  }
  return {
    stream, end,
    failure: async () => {
      await Promise.race([over.promise, sleep(SETTLE_MS, undefined, { ref: false })]);
      const words = said.replaceAll(/\s+/g, ' ').trim();
      return failure === undefined || words === '' ? failure : `${failure} (${words})`;
    },
  };
}
