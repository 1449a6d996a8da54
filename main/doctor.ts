/** What works on this machine, what does not, and how to mend it: one line per thing, all asked at the same time. */
import { statfs } from 'node:fs/promises';
import { AppError } from '../preload/contract/errors.ts';
import type { DoctorLine } from '../preload/contract/settings.ts';
import type { CheckContext } from '../tools/registry.ts';
import type { BackendCheck } from './host/checks.ts';
import { askProgram, which, type ProgramAnswer } from './host/programs.ts';
import type { Connections } from './models/connection.ts';
import { fetchModels } from './models/discover.ts';
import { networkError } from './models/errors.ts';
import type { ConfigStore, Shell } from './ports.ts';

/** Below this, terminals' captures and the database soon fail. */
const LITTLE_DISK_BYTES = 1024 ** 3;
const NO_DISK_BYTES = 100 * 1024 ** 2;
const MODEL_TIMEOUT_MS = 5_000;
/** Oldest Node the app runs under by itself; the launcher brings a newer one along. */
const NODE_MAJOR = 24;

export interface DoctorParts {
  readonly config: ConfigStore;
  readonly connections: Pick<Connections, 'resolve'>;
  readonly shell: Shell;
  /** PATH of the host. */
  readonly path: string;
  readonly checks: CheckContext;
  /** Terminal backends besides this machine. */
  readonly backends: ReadonlyMap<string, BackendCheck>;
}

interface ProgramCheck {
  readonly name: string;
  readonly programs: readonly string[];
  readonly args: readonly string[];
  /** What is lost without it. */
  readonly lost: string;
  readonly fix: string;
  readonly missing: DoctorLine['state'];
}

const PROGRAMS: readonly ProgramCheck[] = [
  { name: 'git', programs: ['git'], args: ['--version'], lost: 'the agent cannot work with repositories', fix: 'Install git (Debian: apt install git).', missing: 'warn' },
  { name: 'bash', programs: ['bash'], args: ['--version'], lost: 'no command can run on this machine', fix: 'Install bash (Debian: apt install bash).', missing: 'fail' },
  { name: 'chromium', programs: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge'], args: ['--version'], lost: 'browser tools and the browser window are not available', fix: 'Install Chromium (Debian: apt install chromium).', missing: 'warn' },
  { name: 'bubblewrap', programs: ['bwrap'], args: ['--version'], lost: 'local commands cannot be run in a sandbox', fix: 'Install bubblewrap (Debian: apt install bubblewrap).', missing: 'warn' },
];

async function programLine(check: ProgramCheck, path: string): Promise<DoctorLine> {
  const found = check.programs.map((program) => which(program, path)).find((file) => file !== undefined);
  if (found === undefined) return { name: check.name, state: check.missing, message: `Not found on PATH: ${check.lost}.`, fix: check.fix };
  return answered(check, found, await askProgram(found, check.args));
}

function answered(check: ProgramCheck, file: string, answer: ProgramAnswer): DoctorLine {
  if (answer.ok) return { name: check.name, state: 'ok', message: `${answer.text || 'answers'} (${file})` };
  return { name: check.name, state: check.missing, message: `${file} does not answer (${answer.text}): ${check.lost}.`, fix: check.fix };
}

/** A backend that is not chosen is no failure. */
async function backendLine(name: string, check: BackendCheck, checks: CheckContext): Promise<DoctorLine> {
  const found = await check(checks);
  const chosen = checks.backend === name;
  if (found === true || found === undefined) return { name, state: 'ok', message: `The ${name} backend can be used${chosen ? '; commands run there' : ''}.` };
  const { message, fix, step }: { message: string; fix?: string; step?: string } = typeof found === 'object' ? found : { message: found === false ? 'It cannot be used.' : found };
  if (!chosen && step === 'missing-variable') return { name, state: 'off', message: `The ${name} backend is not set up.` };
  return { name, state: chosen ? 'fail' : 'warn', message, ...(fix === undefined ? {} : { fix }) };
}

async function ripgrepLine(path: string): Promise<DoctorLine> {
  const { rgPath } = await import('@vscode/ripgrep');
  const own = which(rgPath, path);
  const file = own ?? which('rg', path);
  if (file === undefined) return { name: 'ripgrep', state: 'warn', message: 'Not found: searching files is slower.', fix: 'Install it again with the app (npm install), or apt install ripgrep.' };
  const answer = await askProgram(file, ['--version']);
  return { name: 'ripgrep', state: answer.ok ? 'ok' : 'warn', message: `${answer.text} (${own === undefined ? file : 'bundled'})` };
}

function nodeLine(): DoctorLine {
  const { node } = process.versions;
  const major = Number(node.split('.')[0]);
  return major >= NODE_MAJOR
    ? { name: 'node', state: 'ok', message: `Node ${node}` }
    : { name: 'node', state: 'fail', message: `Node ${node} is too old for the host; ${NODE_MAJOR} is needed.`, fix: 'Start with npm start or npx talaria: both use the Node that comes with the app.' };
}

async function modelLine(connections: Pick<Connections, 'resolve'>): Promise<DoctorLine> {
  try {
    const { endpoint, source } = await connections.resolve();
    const place = `${endpoint.model} at ${endpoint.baseUrl} (${source})`;
    try {
      const { status } = await fetchModels(endpoint.baseUrl, endpoint.key, AbortSignal.timeout(MODEL_TIMEOUT_MS));
      if (status === 401 || status === 403) return { name: 'model', state: 'fail', message: `${place}: the key is refused.`, fix: 'Enter a valid key in the settings.' };
      if (status >= 500) return { name: 'model', state: 'fail', message: `${place}: the server fails (${status}).`, fix: 'Look at the server\'s log.' };
      return { name: 'model', state: 'ok', message: place };
    } catch (error) {
      const { message, hint } = networkError(error, endpoint.baseUrl);
      return { name: 'model', state: 'fail', message: `${place}: ${message}`, ...(hint === undefined ? {} : { fix: hint }) };
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { name: 'model', state: 'warn', message: error.message, ...(error.hint === undefined ? {} : { fix: error.hint }) };
  }
}

function configLine(config: ConfigStore): DoctorLine {
  const { problem } = config;
  if (problem === undefined) return { name: 'config', state: 'ok', message: `config.yaml in ${config.home} can be read` };
  const place = problem.line === null ? problem.path : `${problem.path}, line ${problem.line}${problem.column === null ? '' : `, column ${problem.column}`}`;
  return { name: 'config', state: 'fail', message: `${place}: ${problem.message}. Defaults are used and nothing is saved.`, fix: 'Mend that line in an editor.' };
}

function keychainLine(shell: Shell): DoctorLine {
  const { warning } = shell.secrets;
  return warning === undefined
    ? { name: 'keychain', state: 'ok', message: 'Keys are kept in the system\'s keychain.' }
    : { name: 'keychain', state: 'warn', message: warning, fix: 'Use the Electron window on a system with a keychain, or protect your home folder.' };
}

async function diskLine(home: string): Promise<DoctorLine> {
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GiB free where ${home} lies`;
  if (free >= LITTLE_DISK_BYTES) return { name: 'disk', state: 'ok', message };
  return { name: 'disk', state: free < NO_DISK_BYTES ? 'fail' : 'warn', message, fix: 'Free some space: captures and the database need it.' };
}

/** A check that fails in a way of its own still gives its line. */
async function guarded(name: string, work: () => DoctorLine | Promise<DoctorLine>): Promise<DoctorLine> {
  try {
    return await work();
  } catch (error) {
    return { name, state: 'fail', message: `This could not be checked: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Takes as long as the slowest check (at most some seconds). Never rejects. */
export function runDoctor({ config, connections, shell, path, checks, backends }: DoctorParts): Promise<DoctorLine[]> {
  return Promise.all([
    guarded('node', nodeLine),
    ...PROGRAMS.map((check) => guarded(check.name, () => programLine(check, path))),
    ...[...backends].map(([name, check]) => guarded(name, () => backendLine(name, check, checks))),
    guarded('ripgrep', () => ripgrepLine(path)),
    guarded('model', () => modelLine(connections)),
    guarded('config', () => configLine(config)),
    guarded('keychain', () => keychainLine(shell)),
    guarded('disk', () => diskLine(config.home)),
  ]);
}
