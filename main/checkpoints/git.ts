/** git on a directory of ours: no configuration of the user's or of the repository takes part, and nothing that a repository names is run. */
import { spawn } from 'node:child_process';
import { EnvironmentError } from '../../environments/base.ts';

const MOST_OUTPUT_BYTES = 256 * 1024 * 1024;
const COMPLAINT_CHARS = 500;

export interface GitRun {
  readonly input?: string | Uint8Array;
  readonly timeoutMs: number;
  /** Directory whose files are looked at; absent for what concerns the store alone. */
  readonly workTree?: string;
  /** Exit code 1 is an answer, not a failure. */
  readonly mayDiffer?: boolean;
}

/** Output of `git ARGS` on the repository in `gitDirectory`. Throws `EnvironmentError` (`timeout`, `failed`, `missing`). */
export function runGit(program: string, gitDirectory: string, args: readonly string[], how: GitRun): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const child = spawn(program, [`--git-dir=${gitDirectory}`, ...(how.workTree === undefined ? [] : [`--work-tree=${how.workTree}`]), ...args], {
    cwd: how.workTree ?? gitDirectory,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', HOME: gitDirectory },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  let late = false;
  const timer = setTimeout(() => { late = true; child.kill('SIGKILL'); }, how.timeoutMs);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_OUTPUT_BYTES) child.kill('SIGKILL');
    else output.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => { complaint = (complaint + chunk.toString()).slice(-COMPLAINT_CHARS); });
  child.stdin.on('error', () => child.stdin.destroy()); // it ended before it had read everything; its exit code says why
  child.stdin.end(how.input ?? '');
  child.once('error', (cause) => {
    clearTimeout(timer);
    reject(new EnvironmentError('missing', `git could not be started: ${cause.message}`, { cause }));
  });
  child.once('close', (code) => {
    clearTimeout(timer);
    if (code === 0 || (code === 1 && how.mayDiffer === true)) resolve(Buffer.concat(output));
    else if (late) reject(new EnvironmentError('timeout', `git ${args[0] ?? ''} did not end within ${how.timeoutMs / 1_000} s`));
    else reject(new EnvironmentError('failed', `git ${args[0] ?? ''} failed: ${complaint.trim() === '' ? `code ${String(code)}` : complaint.trim()}`));
  });
  return promise;
}
