/** Plugins from npm, into `<home>/plugins/node_modules`. What is installed is off until it is enabled, and its install scripts do not run. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';
import { parseErrorCode } from './error-code.ts';

/** Name with an optional version, an address, or a folder or archive by path: nothing that npm could take for an option. */
const SPEC = /^(?!-)[^\s\0]{1,500}$/;

export interface NpmRun {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** What npm says. */
  say(text: string): void;
}

/** Throws `request/invalid` for what is no package, `request/not-possible` when npm is missing or fails. */
export function installPackage(spec: string, run: NpmRun): Promise<void> {
  return npm(['install', '--ignore-scripts', '--install-links', '--no-audit', '--no-fund', '--save-exact'], spec, run);
}

export function removePackage(name: string, run: NpmRun): Promise<void> {
  return npm(['uninstall', '--ignore-scripts', '--no-audit', '--no-fund'], name, run);
}

async function npm(args: readonly string[], what: string, { home, env, cwd, signal, say }: NpmRun): Promise<void> {
  if (!SPEC.test(what)) throw new AppError('request/invalid', `'${what}' names no package.`, { hint: 'For example talaria plugins install my-plugin@1.2.0, or the path of a folder.' });
  const folder = join(home, 'plugins');
  await mkdir(folder, { recursive: true });
  const program = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // The directory stays the person's, so that a relative path means what it says.
  const child = spawn(program, [...args, '--prefix', folder, '--', what], { cwd, env: { ...env }, signal, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
  const ended = Promise.withResolvers<number | null>();
  child.on('error', (error) => ended.reject(parseErrorCode(error) === 'ENOENT'
    ? new AppError('request/not-possible', 'npm was not found on PATH.', { hint: `Install Node.js with npm, or put the plugin's folder into ${folder}.` }) : error));
  child.on('close', (code) => ended.resolve(code));
  const code = await ended.promise;
  if (code !== 0) throw new AppError('request/not-possible', `npm ended with code ${String(code)}.`, { hint: 'What it wrote above says why.' });
}
