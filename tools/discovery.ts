/**
 * Finds and loads the tool modules of a folder (hermes-runtime 1.6): those whose module body calls `registry.register(…)`.
 * Works on TypeScript source and on a build that keeps one module per file under its own names.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ParserPlugin } from '@babel/parser';
import { describeThrown } from './result.ts';

export interface DiscoveryOptions {
  /** Folder for the verdicts of earlier scans; without it every file is looked at anew. */
  readonly cacheDir?: string;
  readonly log?: (level: 'debug' | 'warn', message: string) => void;
  /** Told of each module that could not be loaded, besides the log. */
  readonly onFailure?: (path: string, error: unknown) => void;
  /** How a module is loaded; `import()` by default. */
  readonly load?: (path: string) => Promise<unknown>;
}

/** Parts of the tools core, which are no tools. */
const CORE: ReadonlySet<string> = new Set(['registry', 'context', 'result', 'discovery', 'toolsets']);
const CACHE_FILE = 'tool_discovery_cache.json';
/** Grows when the meaning of a verdict changes. */
const CACHE_VERSION = 1;

interface Verdict { readonly stamp: string; readonly isTool: boolean }
interface Node { readonly type: string; readonly [field: string]: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

function isIdentifier(value: unknown, name: string): boolean {
  return isNode(value) && value.type === 'Identifier' && value['name'] === name;
}

function isRegistration(statement: unknown): boolean {
  if (!isNode(statement) || statement.type !== 'ExpressionStatement') return false;
  const call = statement['expression'];
  if (!isNode(call) || call.type !== 'CallExpression') return false;
  const callee = call['callee'];
  return isNode(callee) && callee.type === 'MemberExpression' && callee['computed'] !== true
    && isIdentifier(callee['object'], 'registry') && isIdentifier(callee['property'], 'register');
}

/** The statement itself, or the statements right inside a loop. */
function directStatements(statement: unknown): unknown[] {
  if (!isNode(statement) || !['ForStatement', 'ForOfStatement', 'ForInStatement'].includes(statement.type)) return [statement];
  const body = statement['body'];
  return isNode(body) && body.type === 'BlockStatement' && Array.isArray(body['body']) ? body['body'] as unknown[] : [body]; // narrowed by the condition
}

/** Whether a module registers tools when it is loaded. Throws SyntaxError for text that does not parse. */
export async function isToolModule(source: string, plugins: readonly ParserPlugin[] = ['typescript']): Promise<boolean> {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  if (!text.includes('registry') || !text.includes('register')) return false;
  const { parse } = await import('@babel/parser');
  const { program } = parse(text, { sourceType: 'module', plugins: [...plugins], tokens: false, attachComment: false });
  return program.body.some((statement) => directStatements(statement).some(isRegistration));
}

function readCache(folder: string | undefined): Map<string, Verdict> {
  if (folder === undefined) return new Map();
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, CACHE_FILE), 'utf8'));
    if (typeof parsed !== 'object' || parsed === null || !('version' in parsed) || parsed.version !== CACHE_VERSION || !('verdicts' in parsed)) return new Map();
    const entries = Object.entries(parsed.verdicts as Record<string, unknown>); // cast: checked member by member below
    return new Map(entries.filter((entry): entry is [string, Verdict] => {
      const verdict = entry[1];
      return typeof verdict === 'object' && verdict !== null && 'stamp' in verdict && typeof verdict.stamp === 'string' && 'isTool' in verdict && typeof verdict.isTool === 'boolean';
    }));
  } catch {
    // Absent or damaged: the scan makes it anew.
    return new Map();
  }
}

function writeCache(folder: string, verdicts: ReadonlyMap<string, Verdict>): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, CACHE_FILE);
  const temporary = `${path}.${String(process.pid)}`;
  writeFileSync(temporary, JSON.stringify({ version: CACHE_VERSION, verdicts: Object.fromEntries(verdicts) }));
  renameSync(temporary, path);
}

const PACKAGE_FILES = ['tool.ts', 'tool.js', 'tool.mjs'];

/** Names relative to the folder: `<name>.ts`, and `<name>/tool.ts` of a family that keeps its registration with its helpers. */
function candidates(folder: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory()) {
      const inside = PACKAGE_FILES.find((file) => existsSync(join(folder, name, file)));
      if (inside !== undefined) found.push(join(name, inside));
    } else if (/\.(?:ts|js|mjs)$/.test(name) && !name.endsWith('.d.ts') && !CORE.has(name.replace(/\.\w+$/, ''))) found.push(name);
  }
  return found.sort();
}

/** Paths of the tool modules in a folder, sorted. Files that cannot be read or parsed are told to the log and left out. */
export async function findToolModules(folder: string, options: DiscoveryOptions = {}): Promise<string[]> {
  const known = readCache(options.cacheDir);
  const verdicts = new Map(known);
  let changed = false;
  const found: string[] = [];
  for (const name of candidates(folder)) {
    const path = join(folder, name);
    try {
      const { mtimeNs, size, isFile } = stampOf(path);
      if (!isFile) continue;
      const stamp = `${mtimeNs}:${size}`;
      let verdict = verdicts.get(path);
      if (verdict?.stamp !== stamp) {
        verdict = { stamp, isTool: await isToolModule(readFileSync(path, 'utf8'), /ts$/.test(name) ? ['typescript'] : []) };
        verdicts.set(path, verdict);
        changed = true;
      }
      if (verdict.isTool) found.push(path);
    } catch (error) {
      options.log?.('warn', `Could not read tool module ${path}: ${describeThrown(error)}`);
      options.onFailure?.(path, error);
    }
  }
  if (changed && options.cacheDir !== undefined) {
    try {
      writeCache(options.cacheDir, verdicts);
    } catch (error) {
      options.log?.('debug', `The verdicts of the tool scan could not be kept: ${describeThrown(error)}`);
    }
  }
  return found;
}

function stampOf(path: string): { mtimeNs: string; size: string; isFile: boolean } {
  const stats = statSync(path, { bigint: true });
  return { mtimeNs: String(stats.mtimeNs), size: String(stats.size), isFile: stats.isFile() };
}

/** Loads every tool module of a folder in order of name; returns the paths of those that loaded. One that throws stops no other. */
export async function discoverBuiltinTools(folder: string, options: DiscoveryOptions = {}): Promise<string[]> {
  const load = options.load ?? ((path) => import(/* @vite-ignore */ pathToFileURL(path).href) as Promise<unknown>); // cast: import() of a computed path is any
  const loaded: string[] = [];
  for (const path of await findToolModules(folder, options)) {
    try {
      await load(path);
      loaded.push(path);
    } catch (error) {
      options.log?.('warn', `Could not import tool module ${path}: ${describeThrown(error)}`);
      options.onFailure?.(path, error);
    }
  }
  return loaded;
}
