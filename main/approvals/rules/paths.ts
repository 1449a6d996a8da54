/** Reading of path operands: folding of the home directory, `.`/`..`, repeated slashes and globs. */
import type { Invocation } from '../parse/model.ts';
import { globMatches, hasGlob } from '../parse/glob.ts';
import { HOME, UNKNOWN } from '../parse/text.ts';
import type { ReviewPlace } from './rule.ts';

/** System directories of hermes-runtime 4.3, and those without which a machine does not start. */
const SYSTEM_DIRECTORIES = ['home', 'root', 'etc', 'usr', 'var', 'bin', 'sbin', 'boot', 'lib', 'lib64', 'lib32', 'dev', 'proc', 'sys', 'users', 'system', 'library'];

/** A path with its pieces worked out. `base` is `/` for absolute, `~` for below the home directory, '' for relative. */
export interface ReadPath {
  readonly base: '/' | '~' | '';
  /** Pieces below the base; globs as typed; {@link UNKNOWN} where only the shell knows. */
  readonly pieces: readonly string[];
}

/** Reads a path; relative ones against where `cd` in the line has led, when `command` says so and `resolve` is set. */
export function readPath(text: string, place: ReviewPlace, directory?: string): ReadPath {
  const folded = foldHome(text.replaceAll('\\', '/'), place);
  if (folded.startsWith(HOME)) return settle('~', folded.slice(HOME.length), place);
  if (folded.startsWith('/')) return settle('/', folded, place);
  const drive = /^([A-Za-z]):(?:\/|$)/.exec(folded);
  if (drive !== null) return settle('/', `/${drive[1]?.toLowerCase() ?? ''}:/${folded.slice(2)}`, place);
  if (directory !== undefined) return readPath(`${directory}/${text}`, place);
  return settle('', folded, place);
}

function settle(base: '/' | '~' | '', rest: string, place: ReviewPlace): ReadPath {
  const pieces: string[] = [];
  let root = base;
  for (const piece of rest.split('/')) {
    if (piece === '' || piece === '.') continue;
    if (piece !== '..' || (root === '' && (pieces.length === 0 || pieces.at(-1) === '..'))) {
      pieces.push(piece);
      continue;
    }
    if (pieces.length > 0) pieces.pop();
    else if (root === '~') {
      // Above the home directory lies the folder of all home directories.
      root = '/';
      pieces.push(...(place.home ?? '/home/user').split('/').filter((part) => part !== '').slice(0, -1));
    }
  }
  const home = root === '/' ? foldHome(`/${pieces.join('/')}`, place) : '';
  return home.startsWith(HOME) ? { base: '~', pieces: home.slice(HOME.length).split('/').filter((piece) => piece !== '') } : { base: root, pieces };
}

/** `%USERPROFILE%` of cmd, and `$env:USERPROFILE` of PowerShell as the shell reader leaves it. */
const WINDOWS_VARIABLE = new RegExp(`^(?:%(\\w+)%|${UNKNOWN}:(\\w+))(?=/|$)`);
const WINDOWS_VALUES: ReadonlyMap<string, string> = new Map([['userprofile', HOME], ['homepath', HOME], ['home', HOME], ['systemroot', 'c:/windows'], ['windir', 'c:/windows'], ['systemdrive', 'c:'], ['programfiles', 'c:/program files'], ['programdata', 'c:/programdata'], ['appdata', `${HOME}/AppData/Roaming`], ['localappdata', `${HOME}/AppData/Local`]]);

/** Writes {@link HOME} for the home directory spelled in full, in either slash direction. */
function foldHome(text: string, place: ReviewPlace): string {
  const variable = WINDOWS_VARIABLE.exec(text);
  const value = variable === null ? undefined : WINDOWS_VALUES.get((variable[1] ?? variable[2] ?? '').toLowerCase());
  if (variable !== null && value !== undefined) return value + text.slice(variable[0].length);
  const homes = [place.home, ...(place.homeAliases ?? [])];
  if (place.hermesHome !== undefined) {
    const hermes = afterPrefix(text, place.hermesHome);
    if (hermes !== undefined) return `${HOME}/.hermes${hermes}`;
  }
  for (const home of homes) {
    const rest = home === undefined ? undefined : afterPrefix(text, home);
    if (rest !== undefined) return HOME + rest;
  }
  return text;
}

/** What follows `prefix` as a whole path, if `text` begins with it; prefixes of fewer than two pieces do not count. */
function afterPrefix(text: string, prefix: string): string | undefined {
  const clean = prefix.replaceAll('\\', '/').replace(/\/+$/, '');
  if (clean.split('/').filter((piece) => piece !== '').length < 2) return undefined;
  const squeezed = text.replace(/\/{2,}/g, '/').replace(/^\/([a-z])\//i, (piece, letter: string) => (clean[1] === ':' ? `${letter}:/` : piece));
  const same = clean[1] === ':' ? squeezed.toLowerCase().startsWith(clean.toLowerCase()) : squeezed.startsWith(clean);
  if (!same) return undefined;
  const rest = squeezed.slice(clean.length);
  return rest === '' || rest.startsWith('/') ? rest : undefined;
}

/** A piece that stands for every entry of its directory. */
const isEverything = (piece: string): boolean => /^(?:\.?\*+|[*?]*\*[*?]*|\.\[\^?!?\.?\]\*|\{\*,\.\*\})$/.test(piece);

/** What a delete of this path would take with it, when that is a place no one means to delete. */
export function protectedPlace(path: ReadPath): 'root' | 'system' | 'home' | undefined {
  const pieces = [...path.pieces];
  while (pieces.length > 0 && isEverything(pieces.at(-1) ?? '')) pieces.pop();
  if (path.base === '~') return pieces.length === 0 ? 'home' : undefined;
  if (path.base !== '/') return undefined;
  const [first, second, third] = pieces;
  if (first === undefined) return 'root';
  if (/^[a-z]:$/.test(first)) {
    if (second === undefined) return 'root';
    return third === undefined && /^(?:windows|users|program files(?: \(x86\))?|programdata)$/i.test(second) ? 'system' : undefined;
  }
  if (second !== undefined) return undefined;
  const name = first.toLowerCase();
  if (SYSTEM_DIRECTORIES.includes(name)) return 'system';
  return hasGlob(name) && SYSTEM_DIRECTORIES.some((directory) => globMatches(name, directory)) ? 'system' : undefined;
}

const DISK = /^(?:(?:sd|hd|vd|xvd)[a-z*?[\]{},-]+\d*|nvme[\d*?[\]-]+(?:n[\d*?]+(?:p[\d*?]+)?)?|mmcblk[\d*?]+(?:p[\d*?]+|boot\d)?|md[\d*?]+(?:p\d+)?|dm-[\d*?]+|loop[\d*?]+(?:p\d+)?|r?(?:a?da|nda|nvd|vtbd|[sw]d)\d+(?:[a-p]|s\d+[a-h]?|p\d+)?|nbd[\d*?]+(?:p\d+)?|r?disk[\d*?]+(?:s[\d*?]+)*|sd\*|vd\*|nvme\*)$/i;

/** Whether the path is a whole disk, a partition or a mapped volume (the list of hermes-runtime 4.3). */
export function isRawDevice(text: string, place: ReviewPlace, directory?: string): boolean {
  if (/^[\\/]{2}\.[\\/]physicaldrive\d/i.test(text) || /^[\\/]{2}\.[\\/][a-z]:$/i.test(text)) return true;
  const { base, pieces } = readPath(text, place, directory);
  const [first, name, third, fourth] = pieces;
  if (base !== '/' || first !== 'dev' || name === undefined) return false;
  if (name === 'mapper') return third !== undefined && third !== 'control';
  if (name === 'disk') return third?.startsWith('by-') === true && fourth !== undefined;
  if (name === 'md' || name === 'vg') return third !== undefined;
  return pieces.length === 2 && DISK.test(name);
}

export type Sensitive = 'system' | 'credentials' | 'shell' | 'agent' | 'project' | 'persistence' | 'git-hook' | 'start-up';

const HOME_FILES: readonly (readonly [RegExp, Sensitive])[] = [
  [/^\.ssh(?:\/|$)/, 'credentials'],
  [/^\.(?:bashrc|zshrc|profile|bash_profile|bash_login|bash_logout|bash_aliases|zprofile|zshenv|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xprofile|xinitrc|xsession|pam_environment)$/, 'shell'],
  [/^\.config\/(?:fish\/config\.fish|fish\/conf\.d\/.+|zsh\/\.z\w+|nushell\/.+\.nu)$/, 'shell'],
  [/^\.(?:netrc|pgpass|npmrc|pypirc|my\.cnf|git-credentials|vault-token|boto|s3cfg)$/, 'credentials'],
  [/^\.(?:aws|gnupg|kube|docker|azure)(?:\/|$)/, 'credentials'],
  [/^\.config\/(?:gh|gcloud|op|rclone)(?:\/|$)/, 'credentials'],
  [/^(?:\.gitconfig|\.config\/git\/config)$/, 'git-hook'],
  [/^\.(?:g?vimrc|exrc|nanorc|emacs|tmux\.conf|screenrc|gdbinit|lldbinit|curlrc|wgetrc|irbrc|pryrc|pythonrc(?:\.py)?|Rprofile|psqlrc|sqliterc|mongorc\.js|mailcap|muttrc|hgrc|xonshrc|condarc|gemrc|wezterm\.lua|hammerspoon\/.+\.lua)$/, 'start-up'],
  [/^(?:\.vim|\.emacs\.d|\.config\/(?:nvim|emacs))\/.+\.(?:vim|lua|el)$/, 'start-up'],
  [/^\.config\/(?:tmux\/tmux\.conf|wezterm\/wezterm\.lua|kitty\/kitty\.conf|(?:i3|sway)\/config|direnv\/direnvrc|pip\/pip\.conf|environment\.d\/.+|powershell\/.+\.ps1|gdb\/gdbinit)$/, 'start-up'],
  [/^\.(?:cargo\/config(?:\.toml)?|gradle\/(?:init\.gradle(?:\.kts)?|init\.d\/.+)|m2\/settings\.xml|ipython\/profile_\w+\/startup\/.+|julia\/config\/startup\.jl|pip\/pip\.conf|bundle\/config)$/, 'start-up'],
  [/^\.hermes\/(?:\.env|config\.yaml|auth\.json|desktop\/talaria\.db)$/, 'agent'],
  [/^\.config\/(?:systemd\/user|autostart)(?:\/|$)/, 'persistence'],
  [/^Library\/Launch(?:Agents|Daemons)(?:\/|$)/i, 'persistence'],
  [/^Documents\/(?:Windows)?PowerShell\/.*profile\.ps1$/i, 'shell'],
  [/^AppData\/Roaming\/Microsoft\/Windows\/Start Menu\/Programs\/Startup(?:\/|$)/i, 'persistence'],
];

const SYSTEM_FILES = /^(?:etc|private\/(?:etc|var|tmp|home)|boot|bin|sbin|usr\/s?bin|lib|lib64|usr\/lib|proc\/sys|sys|[a-z]:\/windows|%(?:systemroot|windir)%)(?:\/|$)/i;
const PERSISTENT = /^(?:etc\/(?:cron|systemd\/system|init\.d|rc\.local|xdg\/autostart)|var\/spool\/cron|private\/var\/at|Library\/Launch(?:Agents|Daemons)|usr\/lib\/systemd|lib\/systemd)/i;
const PROJECT = /^(?:\.env(?:\.[\w.-]+)?|config\.yaml)$/i;

/** Names that a glob in a path may stand for: `> ~/.bas?rc`. */
const GLOBBED_NAMES = ['etc', 'boot', 'usr', 'lib', 'sbin', '.ssh', 'authorized_keys', '.bashrc', '.zshrc', '.profile', '.bash_profile', '.zprofile', '.zshenv', '.netrc', '.pgpass', '.npmrc', '.pypirc', '.gitconfig', '.hermes', '.env', 'config.yaml'];

/** The path with each globbed piece as the sensitive name that it matches, if any; a piece that matches everything says nothing. */
function spelledOut(text: string): string {
  if (!hasGlob(text)) return text;
  return text.split('/').map((piece) => (hasGlob(piece) && !isEverything(piece) ? (GLOBBED_NAMES.find((name) => globMatches(piece, name)) ?? piece) : piece)).join('/');
}

/** The kind of file that a write to this path would change, if it is one of those that are asked about. */
export function sensitiveTarget(text: string, command: Invocation, place: ReviewPlace): Sensitive | undefined {
  const path = readPath(spelledOut(text), place, command.directory);
  const joined = path.pieces.join('/');
  const below = path.base === '~' ? joined : someHome(path, joined);
  if (below !== undefined) {
    const known = HOME_FILES.find(([pattern]) => pattern.test(below));
    if (known !== undefined) return known[1];
    if (/^AppData\/(?:Local|Roaming)\/hermes\/(?:.*\/)?\.env$/i.test(below)) return 'agent';
  }
  if (path.base === '/') {
    if (PERSISTENT.test(joined)) return 'persistence';
    if (joined === '' || SYSTEM_FILES.test(joined)) return 'system';
  }
  const last = path.pieces.at(-1) ?? '';
  if (/(?:^|\/)\.git\/(?:hooks\/[^/]+|config)$/.test(joined) && !last.endsWith('.sample')) return 'git-hook';
  if (/(?:^|\/)(?:\.hermes|hermes)\/(?:\.env|config\.yaml)$/i.test(joined)) return 'agent';
  if (/(?:^|\/)\.ssh\/(?:authorized_keys2?|id_\w+|config|known_hosts|rc|environment)$/i.test(joined)) return 'credentials';
  return PROJECT.test(last) ? 'project' : undefined;
}

/** The part below some user's home directory, whoever that is. */
function someHome(path: ReadPath, joined: string): string | undefined {
  if (path.base !== '/') return undefined;
  return /^(?:home\/[^/]+|root|users\/[^/]+|var\/root|[a-z]:\/users\/[^/]+|mnt\/[a-z]\/users\/[^/]+|%userprofile%|%\w+%)\/(.+)$/i.exec(joined)?.[1];
}

/** Files whose contents nobody means to send anywhere. */
export function isSecretFile(text: string, command: Invocation, place: ReviewPlace): boolean {
  // Behind an `@` the shell leaves the tilde alone; some programs do not.
  const path = readPath(text.replace(/^@/, '').replace(/^~(?=\/)/, HOME), place, command.directory);
  const joined = path.pieces.join('/');
  const below = path.base === '~' ? joined : (someHome(path, joined) ?? joined);
  if (/^\.ssh(?:\/(?!.*\.pub$|config$|known_hosts$|authorized_keys2?$)|$)/.test(below) || /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)$/.test(below)) return true;
  if (/^\.(?:aws(?:\/credentials|$)|netrc|pgpass|npmrc|pypirc|git-credentials|gnupg(?:\/|$)|kube(?:\/config|$)|docker\/config\.json|vault-token|hermes\/(?:\.env|auth\.json)|bash_history|zsh_history)/.test(below)) return true;
  if (path.base === '/' && /^etc\/(?:shadow|gshadow|sudoers|passwd|ssl\/private\/|ssh\/ssh_host_\w+_key$)/.test(joined)) return true;
  return /(?:^|\/)\.env(?:\.(?!example|sample|template)[\w-]+)?$/.test(joined);
}
