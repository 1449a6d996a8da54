/** Scripts of scheduled work: files of the person's own in `<home>/scripts`, run on this computer before the model is asked. */
import { spawn } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

const LIMIT_MS = 120_000;
const MAX_OUTPUT_CHARS = 100_000;
/** Variables a script gets; keys of the app are not among them. */
const VARIABLES = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SHELL', 'HERMES_HOME'];
const INTERPRETERS: ReadonlyMap<string, readonly string[]> = new Map([['.py', ['python3']], ['.sh', ['sh']], ['.bash', ['bash']], ['.js', ['node']], ['.mjs', ['node']]]);

export interface ScriptResult { readonly output: string; readonly error: string | undefined }

/** The real path of a script below `<home>/scripts`. Throws an Error that names what is wrong. */
export async function findScript(home: string, name: string): Promise<string> {
  const folder = join(home, 'scripts');
  const wanted = join(folder, name);
  const real = await realpath(wanted).catch(() => undefined); // missing: told below
  if (real === undefined) throw new Error(`There is no script '${name}' in ${folder}. Put the file there first.`);
  const root = await realpath(folder);
  if (!real.startsWith(root + sep)) throw new Error(`'${name}' leads out of ${folder}. Scripts of scheduled work must live there.`);
  if (!(await stat(real)).isFile()) throw new Error(`'${name}' in ${folder} is not a file.`);
  return real;
}

/** Runs it to its end, at most two minutes. Never rejects for what the script does. */
export function runScript(path: string, cwd: string, env: Readonly<Record<string, string | undefined>>, signal: AbortSignal): Promise<ScriptResult> {
  const [program = path, ...before] = INTERPRETERS.get(extname(path)) ?? [];
  const args = program === path ? [] : [...before, path];
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd, env: Object.fromEntries(VARIABLES.map((name) => [name, env[name]])), stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32',
    });
    let output = '';
    let stderr = '';
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
      } catch {
        return; // it has ended by itself meanwhile
      }
    };
    const timer = setTimeout(end, LIMIT_MS);
    signal.addEventListener('abort', end, { once: true });
    child.stdout.on('data', (chunk: Buffer) => { output = (output + chunk.toString()).slice(0, MAX_OUTPUT_CHARS); });
    child.stderr.on('data', (chunk: Buffer) => { stderr = (stderr + chunk.toString()).slice(-2_000); });
    const finish = (error: string | undefined): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve({ output, error });
    };
    child.on('error', (error) => { finish(`The script could not be started: ${error.message}.`); });
    child.on('close', (code, killedBy) => {
      if (code === 0) finish(undefined);
      else if (killedBy !== null) finish(signal.aborted ? 'The script was stopped.' : `The script was ended after ${String(LIMIT_MS / 1_000)} s.`);
      else finish(`The script failed with exit code ${String(code)}${stderr.trim() === '' ? '' : `: ${stderr.trim()}`}`);
    });
  });
}
