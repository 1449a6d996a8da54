/** The built `talaria` command as a person or a script runs it: in a process of its own, with a home of its own. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn as spawnPty, type IPty } from 'node-pty';
import { describe } from 'vitest';
import { isBuilt, talariaProgram } from './app.ts';

/** Suites that need the build say so when it is missing. */
export function describeBuilt(name: string, suite: () => void): void {
  describe.skipIf(!isBuilt)(isBuilt ? name : `${name} (the app is not built: npm run build)`, suite);
}

export interface CliResult { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export interface CliRun extends PromiseLike<CliResult> {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** What stands on stdout and stderr so far, in the order in which it came. */
  text(): string;
  /** Resolves when stdout or stderr contains the text. */
  shows(text: string): Promise<void>;
}

export interface CliHome {
  readonly home: string;
  readonly workFolder: string;
  run(args: readonly string[], options?: { readonly input?: string; readonly env?: Readonly<Record<string, string>> }): CliRun;
  /** The same on a terminal of its own. */
  onTerminal(args: readonly string[]): CliTerminal;
  close(): Promise<void>;
}

export interface CliTerminal {
  readonly pty: IPty;
  /** Everything it wrote so far. */
  text(): string;
  shows(text: string): Promise<void>;
  /** Resolves when the text stands there so many times. */
  showsTimes(text: string, times: number): Promise<void>;
  readonly ended: Promise<number>;
}

export async function makeCliHome(): Promise<CliHome> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-cli-'));
  const home = join(folder, 'home');
  const workFolder = join(folder, 'work');
  await mkdir(workFolder);
  const environment = (extra: Readonly<Record<string, string>> = {}): Record<string, string> => ({ ...process.env as Record<string, string>, HOME: folder, HERMES_HOME: home, ...extra }); // process.env has no undefined values here
  /** Ends what a test that failed half-way has left running. */
  const endings = new Set<() => void>();
  return {
    home, workFolder,
    run(args, options = {}) {
      const child = spawn(process.execPath, [talariaProgram, ...args], { cwd: workFolder, env: environment(options.env), stdio: 'pipe' });
      let stdout = '';
      let stderr = '';
      let all = '';
      const watch = watcher(() => all);
      child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; all += text; watch.changed(); });
      child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; all += text; watch.changed(); });
      child.stdin.end(options.input ?? '');
      const end = (): void => { child.kill('SIGKILL'); };
      endings.add(end);
      const result = new Promise<CliResult>((resolve) => { child.on('close', (code) => { endings.delete(end); resolve({ code, stdout, stderr }); }); });
      return { pid: child.pid ?? -1, kill: (signal) => { child.kill(signal); }, text: () => all, shows: (wanted) => watch.shows(wanted, 1), then: (...handlers) => result.then(...handlers) };
    },
    onTerminal(args) {
      const pty = spawnPty(process.execPath, [talariaProgram, ...args], { cwd: workFolder, env: environment({ TERM: 'xterm-256color' }), cols: 120, rows: 40 });
      let text = '';
      const watch = watcher(() => text);
      pty.onData((data) => { text += data; watch.changed(); });
      const end = (): void => { pty.kill('SIGKILL'); };
      endings.add(end);
      return { pty, text: () => text, shows: (wanted) => watch.shows(wanted, 1), showsTimes: watch.shows, ended: new Promise((resolve) => { pty.onExit(({ exitCode }) => { endings.delete(end); resolve(exitCode); }); }) };
    },
    close: () => {
      for (const end of endings) end();
      return rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function watcher(text: () => string): { changed(): void; shows(wanted: string, times: number): Promise<void> } {
  let waiting: { wanted: string; times: number; resolve: () => void }[] = [];
  const changed = (): void => {
    const seen = waiting.filter(({ wanted, times }) => text().split(wanted).length > times);
    waiting = waiting.filter((entry) => !seen.includes(entry));
    for (const { resolve } of seen) resolve();
  };
  return {
    changed,
    shows: (wanted, times) => new Promise((resolve) => {
      waiting.push({ wanted, times, resolve });
      changed();
    }),
  };
}
