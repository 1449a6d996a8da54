/** `~/.ssh/config`: what it says about one host, as OpenSSH reads it (first value wins). Commands in it (`Match exec`) are not run. */
import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EnvironmentError } from '../base.ts';
import { matchesPattern } from './patterns.ts';

/** OpenSSH stops here, too: a file that includes itself. */
const DEEPEST_INCLUDE = 16;

/** Values of one host: keyword in lower case, in the order of the files; only `identityfile` and its like hold more than one entry. */
export type HostConfig = ReadonlyMap<string, readonly string[]>;

/** Keywords whose later values are added to the earlier ones instead of being left out. */
const ADDED = new Set(['identityfile', 'certificatefile']);

/** Of these the one that comes first counts, and the other not at all. */
const RIVALS = new Map([['proxyjump', 'proxycommand'], ['proxycommand', 'proxyjump']]);
/** Its value is all of the line as it stands, quotes and number signs included: it goes past the parser in a wrapping of letters. */
const COMMAND_LINE = /^([ \t]*proxycommand(?:[ \t]*=[ \t]*|[ \t]+))(\S.*)$/gim;

interface Line { readonly keyword: string; readonly values: readonly string[]; readonly body?: readonly Line[]; readonly matches?: Readonly<Record<string, unknown>> }

interface Scope { readonly alias: string; readonly localUser: string; readonly found: Map<string, string[]> }

/** `files`: the user's, then the system's; those that are not there count as empty. `sshFolder`: what a relative `Include` of the user's starts from. */
export interface ConfigSource { readonly files: readonly string[]; readonly sshFolder: string; readonly userHome: string; readonly localUser: string }

/** Throws `EnvironmentError` when a file cannot be read or understood: a host must not be connected to by guess. */
export async function readHostConfig(alias: string, source: ConfigSource): Promise<HostConfig> {
  const scope: Scope = { alias, localUser: source.localUser, found: new Map() };
  for (const file of source.files) await evaluate(await readLines(file, source, 0), scope, source, 0);
  return scope.found;
}

async function readLines(file: string, source: ConfigSource, depth: number): Promise<readonly Line[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'EISDIR')) return [];
    throw new EnvironmentError('failed', `${file} cannot be read`, { cause, hint: 'Make it readable, or take it away.' });
  }
  if (depth > DEEPEST_INCLUDE) throw new EnvironmentError('failed', `${file}: files include each other more than ${DEEPEST_INCLUDE} deep`, { hint: 'Look for an Include that leads back to itself.' });
  const { default: SSHConfig } = await import('ssh-config');
  let parsed: readonly unknown[];
  try {
    parsed = SSHConfig.parse(text.replaceAll(COMMAND_LINE, (_all, head: string, command: string) => `${head}${Buffer.from(command.trim()).toString('base64url')}`));
  } catch (cause) {
    throw new EnvironmentError('failed', `${file} cannot be understood: ${cause instanceof Error ? cause.message : String(cause)}`, { cause, hint: 'ssh -G HOST shows what OpenSSH makes of it.' });
  }
  return parsed.flatMap((line) => toLine(line));
}

function toLine(line: unknown): Line[] {
  if (typeof line !== 'object' || line === null || !('param' in line) || typeof line.param !== 'string' || !('value' in line)) return []; // comments and blank lines
  const body = 'config' in line && Array.isArray(line.config) ? line.config.flatMap((inner: unknown) => toLine(inner)) : undefined;
  const matches = 'criteria' in line && typeof line.criteria === 'object' && line.criteria !== null ? { ...line.criteria } : undefined;
  const keyword = line.param.toLowerCase();
  const values = textsOf(line.value);
  return [{ keyword, values: keyword === 'proxycommand' ? values.map((value) => Buffer.from(value, 'base64url').toString()) : values, ...(body === undefined ? {} : { body }), ...(matches === undefined ? {} : { matches }) }];
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap((item: unknown) => (typeof item === 'object' && item !== null && 'val' in item && typeof item.val === 'string' ? [item.val] : [])) : [];
}

async function evaluate(lines: readonly Line[], scope: Scope, source: ConfigSource, depth: number): Promise<void> {
  for (const { keyword, values, body, matches } of lines) {
    if (keyword === 'host') {
      if (body !== undefined && matchesList(values, scope.alias)) await evaluate(body, scope, source, depth);
    } else if (keyword === 'match') {
      if (body !== undefined && matches !== undefined && matchesAll(matches, scope)) await evaluate(body, scope, source, depth);
    } else if (keyword === 'include') {
      for (const file of await included(values, source)) await evaluate(await readLines(file, source, depth + 1), scope, source, depth + 1);
    } else if (ADDED.has(keyword)) {
      scope.found.set(keyword, [...scope.found.get(keyword) ?? [], ...values]);
    } else if (!scope.found.has(keyword) && !scope.found.has(RIVALS.get(keyword) ?? '')) {
      scope.found.set(keyword, [...values]);
    }
  }
}

/** Some pattern fits and none that begins with `!` does. */
function matchesList(patterns: readonly string[], name: string): boolean {
  const negated = patterns.some((pattern) => pattern.startsWith('!') && matchesPattern(pattern.slice(1), name));
  return !negated && patterns.some((pattern) => !pattern.startsWith('!') && matchesPattern(pattern, name));
}

/** A criterion that would run a program, or that is not known, counts as not met. */
function matchesAll(criteria: Readonly<Record<string, unknown>>, { alias, localUser, found }: Scope): boolean {
  const host = (found.get('hostname')?.[0] ?? alias).replaceAll('%h', alias);
  const subject = new Map([['host', host], ['originalhost', alias], ['user', found.get('user')?.[0] ?? localUser], ['localuser', localUser]]);
  return Object.entries(criteria).every(([name, value]) => {
    if (name.toLowerCase() === 'all') return true;
    const text = subject.get(name.toLowerCase());
    return text !== undefined && matchesList(textsOf(value).flatMap((part) => part.split(',')), text);
  });
}

async function included(patterns: readonly string[], { sshFolder, userHome }: ConfigSource): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of patterns) {
    const path = resolve(sshFolder, pattern.replace(/^~(?=$|\/)/, userHome));
    const found: string[] = [];
    if (/[*?[]/.test(path)) for await (const file of glob(path)) found.push(file);
    else found.push(path);
    files.push(...found.sort());
  }
  return files;
}

/** `%h`, `%p`, `%r`, `%u`, `%d`, `%n`, `%%`, `~` and `${NAME}` in a path. */
export function fillPath(text: string, tokens: Readonly<Record<string, string>>, userHome: string, env: Readonly<Record<string, string | undefined>>): string {
  const filled = text.replaceAll(/%(.)/g, (all, letter: string) => (letter === '%' ? '%' : tokens[letter] ?? all)).replaceAll(/\$\{(\w+)\}/g, (all, name: string) => env[name] ?? all);
  return filled === '~' || filled.startsWith('~/') ? join(userHome, filled.slice(1)) : resolve(userHome, filled);
}
