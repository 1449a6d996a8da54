/** The user's login environment, resolved once: an app started from a desktop lacks the PATH that a shell has. */
import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { loginScript, quote } from '../shell.ts';
import { endTree } from './tree.ts';
import { MARK_VARIABLE, readProcess } from './proc.ts';

/** A start-up file that hangs must not hang the app: then the next plainer shell is tried (hermes-runtime 6.1 allows 30 s in all). */
const ATTEMPT_MS = 10_000;
/** Shells whose `-l -i -c` are understood; any other login shell is passed over and bash asked instead. */
const KNOWN_SHELLS = new Set(['bash', 'zsh', 'fish', 'dash', 'ksh', 'sh']);

export interface LoginOptions {
  readonly shell: string;
  /** Absolute path of bash. */
  readonly bash: string;
  /** Already filtered. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Private directory for the files. */
  readonly directory: string;
  readonly mark: string;
  /** Sourced first (`terminal.shell_init_files`). */
  readonly initFiles: readonly string[];
  /** Also `~/.profile`, `~/.bash_profile`, `~/.bashrc` (`terminal.auto_source_bashrc`). */
  readonly sourceBashrc: boolean;
}

export interface Login {
  /** File that a shell can source; undefined when even plain bash gave none. */
  readonly snapshot: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** How it was obtained, for the log: `login`, `non-interactive`, `plain`, `inherited`. */
  readonly from: 'login' | 'non-interactive' | 'plain' | 'inherited';
}

async function attempt(program: string, args: readonly string[], env: Readonly<Record<string, string>>, options: LoginOptions): Promise<boolean> {
  const child = spawn(program, args, { cwd: options.cwd, env: { ...env, [MARK_VARIABLE]: options.mark }, detached: true, stdio: 'ignore' });
  const pid = child.pid;
  const exited = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false)); // no such shell: the next attempt follows
    child.once('exit', (code) => resolve(code === 0));
  });
  if (pid === undefined) return exited;
  const root = { pid, started: readProcess(pid)?.started, mark: options.mark };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => { timer = setTimeout(() => resolve(false), ATTEMPT_MS); });
  const done = await Promise.race([exited, late]);
  clearTimeout(timer);
  await endTree(root, { first: 'SIGTERM', graceMs: 500 });
  return done;
}

async function readEnvironment(path: string): Promise<Record<string, string> | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined); // absent when the attempt died early
  if (text === undefined || text === '') return undefined;
  return Object.fromEntries(text.split('\0').flatMap((entry) => {
    const at = entry.indexOf('=');
    const name = entry.slice(0, at);
    return at > 0 && name !== MARK_VARIABLE ? [[name, entry.slice(at + 1)]] : [];
  }));
}

function sourcing(options: LoginOptions): string {
  const home = options.env['HOME'];
  const files = [...options.initFiles, ...(options.sourceBashrc && home !== undefined ? ['.profile', '.bash_profile', '.bashrc'].map((name) => join(home, name)) : [])];
  return files.map((file) => `[ ! -r ${quote(file)} ] || . ${quote(file)} >/dev/null 2>&1; `).join('');
}

/** Never throws: each failure leads to a plainer shell, at last to the inherited environment. */
export async function resolveLogin(options: LoginOptions): Promise<Login> {
  const snapshot = join(options.directory, 'login.sh');
  const environmentFile = join(options.directory, 'login.env');
  const shellName = basename(options.shell);
  let env = options.env;
  if (shellName !== 'bash' && KNOWN_SHELLS.has(shellName)) {
    // Not bash: its environment is taken first, then bash writes it down in its own terms.
    if (await attempt(options.shell, ['-l', '-i', '-c', `env -0 > ${quote(environmentFile)}`], env, options)) {
      env = (await readEnvironment(environmentFile)) ?? env;
    }
  }
  const script = `${sourcing(options)}${loginScript()}`;
  const bash = shellName === 'bash' ? options.shell : options.bash;
  const tries = shellName === 'bash'
    ? [{ from: 'login', flags: ['-l', '-i'] }, { from: 'non-interactive', flags: ['-l'] }, { from: 'plain', flags: ['--noprofile', '--norc'] }] as const
    : [{ from: 'login', flags: ['--noprofile', '--norc'] }] as const;
  for (const { from, flags } of tries) {
    const worked = await attempt(bash, [...flags, '-c', script, 'bash', snapshot, environmentFile], env, options);
    const written = await stat(snapshot).catch(() => undefined); // absent when the attempt died early
    if (worked && written !== undefined && written.size > 0) return { snapshot, env: (await readEnvironment(environmentFile)) ?? env, from };
  }
  return { snapshot: undefined, env, from: 'inherited' };
}
