/** Where a path of the model points, and which paths tools never touch (hermes-runtime 7.1). */
import { posix } from 'node:path';
import type { EnvironmentForTools } from '../../environments/base.ts';
import type { ToolContext } from '../context.ts';

/** An absolute, normalised path inside the backend. `~` expands to the backend's home, relative paths start at the terminal's directory. */
export function resolvePath(path: string, cwd: string, home: string): string {
  if (path === '~') return home;
  if (path.startsWith('~/')) return posix.normalize(posix.join(home, path.slice(2)));
  return posix.normalize(posix.isAbsolute(path) ? path : posix.join(cwd, path));
}

const HOME_FILES_NEVER_WRITTEN = ['.netrc', '.pgpass', '.npmrc', '.pypirc', '.git-credentials'];
const HOME_FOLDERS_NEVER_WRITTEN = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure', '.config/gh', '.config/gcloud'];
const SYSTEM_FILES_NEVER_WRITTEN = ['/etc/sudoers', '/etc/passwd', '/etc/shadow'];
const SYSTEM_FOLDERS_NEVER_WRITTEN = ['/etc/sudoers.d', '/etc/systemd'];
const APP_FILES_NEVER_WRITTEN = ['.env', '.anthropic_oauth.json', 'auth.json', 'auth.lock', 'state.db', 'desktop/talaria.db', 'desktop/secrets.json'];
const APP_FOLDERS_NEVER_WRITTEN = ['sessions', 'mcp-tokens', 'pairing'];

const APP_FILES_NEVER_READ = ['auth.json', 'auth.lock', '.env', '.anthropic_oauth.json', 'webhook_subscriptions.json', 'desktop/secrets.json'];
const APP_FOLDERS_NEVER_READ = ['mcp-tokens', 'skills/.hub'];
const PROJECT_SECRET_FILE = /^\.env(\.(local|development|production|test|staging))?$|^\.envrc$/;

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Each form a folder may be reached by: as written and with its links resolved. */
async function bothForms(environment: EnvironmentForTools, folder: string): Promise<string[]> {
  const real = await environment.realpath(folder);
  return real === folder ? [folder] : [folder, real];
}

export interface Places { readonly homes: readonly string[]; readonly appHomes: readonly string[] }

async function placesOf(environment: EnvironmentForTools, context: ToolContext): Promise<Places> {
  const { backend, homeDirectory } = environment.describe();
  const homes = await bothForms(environment, homeDirectory);
  // The app's own home is only reachable where the backend shares the host's files.
  const appHome = backend === 'local' ? context.services.paths.home : posix.join(homeDirectory, '.hermes');
  return { homes, appHomes: await bothForms(environment, appHome) };
}

function deniedForWriting(path: string, { homes, appHomes }: Places): boolean {
  return SYSTEM_FILES_NEVER_WRITTEN.includes(path)
    || SYSTEM_FOLDERS_NEVER_WRITTEN.some((folder) => isInside(path, folder))
    || homes.some((home) => HOME_FILES_NEVER_WRITTEN.some((name) => path === posix.join(home, name))
      || HOME_FOLDERS_NEVER_WRITTEN.some((name) => isInside(path, posix.join(home, name))))
    || appHomes.some((home) => APP_FILES_NEVER_WRITTEN.some((name) => path === posix.join(home, name) || path.startsWith(`${posix.join(home, name)}-`))
      || APP_FOLDERS_NEVER_WRITTEN.some((name) => isInside(path, posix.join(home, name))));
}

/** Name of the profile that owns the path when it is not the one in use: profiles live side by side in `<root>/profiles/`. */
function foreignProfile(path: string, appHome: string): string | undefined {
  const own = /^(.*)\/profiles\/([^/]+)$/.exec(appHome);
  const folder = `${own?.[1] ?? appHome}/profiles/`;
  if (!path.startsWith(folder)) return undefined;
  const name = path.slice(folder.length).split('/')[0];
  return name === '' || name === own?.[2] ? undefined : name;
}

/**
 * The real path a write would reach, or why it is refused. Real paths are compared, so a link cannot lead round the list.
 * `HERMES_WRITE_SAFE_ROOT` holds folders (separated by `:`) outside which nothing is written.
 */
export async function checkWritePath(
  environment: EnvironmentForTools, context: ToolContext, path: string, options: { readonly crossProfile?: boolean } = {},
): Promise<{ readonly realPath: string; readonly refused?: string }> {
  const realPath = await environment.realpath(path);
  const places = await placesOf(environment, context);
  const foreign = places.appHomes.map((home) => foreignProfile(realPath, home)).find((name) => name !== undefined);
  if (foreign !== undefined && options.crossProfile !== true) {
    return { realPath, refused: `Write denied: '${path}' belongs to another profile ('${foreign}'). Set cross_profile to true only when the user asked for that.` };
  }
  if ([path, realPath].some((form) => deniedForWriting(form, places))) {
    return { realPath, refused: `Write denied: '${path}' is a protected system/credential file.` };
  }
  const safeRoots = (context.services.config.env('HERMES_WRITE_SAFE_ROOT') ?? '').split(':').filter((root) => root.trim() !== '');
  if (safeRoots.length > 0) {
    const realRoots = await Promise.all(safeRoots.map((root) => environment.realpath(resolvePath(root, context.cwd, environment.describe().homeDirectory))));
    if (!realRoots.some((root) => isInside(realPath, root))) {
      return { realPath, refused: `Write denied: '${path}' is outside HERMES_WRITE_SAFE_ROOT (${safeRoots.join(', ')}).` };
    }
  }
  return { realPath };
}

/** The real path of a read, or why it is refused. */
export async function checkReadPath(
  environment: EnvironmentForTools, context: ToolContext, path: string,
): Promise<{ readonly realPath: string; readonly refused?: string }> {
  const realPath = await environment.realpath(path);
  const { appHomes } = await placesOf(environment, context);
  const secret = [path, realPath].some((form) => PROJECT_SECRET_FILE.test(posix.basename(form))
    || appHomes.some((home) => APP_FILES_NEVER_READ.some((name) => form === posix.join(home, name))
      || APP_FOLDERS_NEVER_READ.some((name) => isInside(form, posix.join(home, name)))));
  return secret
    ? { realPath, refused: `Read denied: '${path}' holds credentials. This is defence in depth, not a wall: a shell command could still read it, so do not try to get its content another way; ask the user for what you need.` }
    : { realPath };
}

const DEVICE_PATH = /^\/dev\/(zero|u?random|full|stdin|tty|console|stdout|stderr|fd\/[0-2])$|^\/proc\/(self|\d+)\/fd\/[0-2]$/;

/** Devices that never end or would read the host's own terminal. */
export function isDevicePath(path: string): boolean {
  return DEVICE_PATH.test(path);
}

/** A path as one shell word. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_/.,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Ordinary files of the workspace: nothing hidden on the way, and the workspace is not the system itself. */
function isPlainWorkspaceFile(path: string, cwd: string): boolean {
  if (cwd === '/' || isInside(cwd, '/etc') || !isInside(path, cwd)) return false;
  return !path.slice(cwd.length).split('/').some((segment) => segment.startsWith('.'));
}

/**
 * Puts a write to the same question a shell command with the same effect would meet, so that a file tool is no way round an
 * approval: `tee` for writing, `rm` for deleting. Ordinary files of the workspace are what a file tool is for and are not asked
 * about. Undefined = go on; a text = refused, for the model.
 */
export async function reviewEffect(context: ToolContext, tool: string, effect: 'write' | 'delete', path: string): Promise<string | undefined> {
  if (isPlainWorkspaceFile(path, context.cwd)) return undefined;
  const command = `${effect === 'write' ? 'tee' : 'rm'} -- ${shellQuote(path)}`;
  const outcome = await context.services.approvals.review({
    tool, command, cwd: context.cwd, sessionId: context.sessionId, taskId: context.taskId, toolCallId: context.toolCallId, signal: context.signal,
    onWaiting: (approvalId, waiting) => { context.emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }); },
  });
  if (!outcome.approved) return outcome.message ?? `The user did not allow this ${effect} of '${path}'.`;
  if (outcome.command !== command) return `The user changed this request to: ${outcome.command}. Run that with the terminal tool instead.`;
  return undefined;
}
