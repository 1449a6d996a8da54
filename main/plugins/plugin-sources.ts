/** Where plugins are found (hermes-runtime 3.3, 7.14): folders of the home, of the project, and installed packages. Nothing of them runs here. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Log } from '../ports.ts';
import { parseErrorCode } from './error-code.ts';
import { parseManifest, PLUGIN_ID, type Manifest } from './manifest.ts';
import { sha256 } from './trust-store.ts';

export type PluginOrigin = 'user' | 'project' | 'package';
export interface PluginSource {
  readonly id: string;
  readonly folder: string;
  readonly origin: PluginOrigin;
  /** What is wrong when it cannot be used. */
  readonly read: { readonly manifest: Manifest; readonly entry: string } | { readonly problem: string; readonly manifest?: Manifest };
  /** Differs when any of its files differs. */
  readonly stamp: string;
  /** Its folders, to be watched. */
  readonly folders: readonly string[];
}

const ENTRIES = ['index.ts', 'index.js', 'index.mjs'];
const MANIFEST = 'plugin.yaml';
/** Files looked at for changes; the rest of a larger plugin changes with its manifest. */
const MOST_FILES = 2_000;

const Package = z.object({
  name: z.string(), version: z.string().default('0'), description: z.string().default(''), main: z.string().optional(),
  keywords: z.array(z.string()).default([]),
  /** The group under which Python packages register theirs: id → module. */
  'hermes_agent.plugins': z.record(z.string(), z.string()).optional(),
});

interface Candidate { readonly id: string; readonly folder: string; readonly origin: PluginOrigin; readonly manifest?: Manifest; readonly entry?: string }

async function optionalText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(parseErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function namesIn(folder: string, log: Log): Promise<string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).filter((entry) => !entry.isFile()).map(({ name }) => name).sort();
  } catch (error) {
    if (parseErrorCode(error) !== 'ENOENT') log.warn('a folder of plugins cannot be read', { folder, error });
    return [];
  }
}

/** Own files with size and time, and own folders; packages inside it and hidden files are left out. */
async function treeOf(root: string): Promise<{ stamp: string; folders: string[] }> {
  const folders = [root];
  const files: string[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || files.length >= MOST_FILES) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else {
        const { size, mtimeMs } = await stat(path);
        files.push(`${relative(root, path)}:${String(size)}:${String(mtimeMs)}`);
      }
    }
  }
  return { stamp: sha256(files.sort().join('\n')), folders };
}

async function packageIn(folder: string): Promise<Candidate[]> {
  const text = await optionalText(join(folder, 'package.json'));
  if (text === undefined) return [];
  const read = Package.safeParse(JSON.parse(text));
  if (!read.success) return [];
  const { name, version, description, main, keywords, 'hermes_agent.plugins': group } = read.data;
  const manifest: Manifest = { version, description, requires_env: [], provides_tools: [], provides_hooks: [] };
  if (group !== undefined) return Object.entries(group).filter(([id]) => PLUGIN_ID.test(id)).map(([id, entry]) => ({ id, folder, origin: 'package' as const, manifest, entry }));
  const id = name.replace(/^@[^/]+\//, '');
  if (!keywords.includes('hermes-plugin') || !PLUGIN_ID.test(id)) return [];
  return [{ id, folder, origin: 'package', manifest, ...(main === undefined ? {} : { entry: main }) }];
}

async function packages(folder: string, log: Log): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const name of await namesIn(folder, log)) {
    if (name.startsWith('.')) continue;
    const inside = name.startsWith('@') ? (await namesIn(join(folder, name), log)).map((each) => join(folder, name, each)) : [join(folder, name)];
    for (const each of inside) {
      try {
        found.push(...await packageIn(each));
      } catch (error) {
        log.warn('a package among the plugins cannot be read', { folder: each, error });
      }
    }
  }
  return found;
}

/** Undefined for a folder that is no plugin. */
async function read({ id, folder, origin, manifest: given, entry: named }: Candidate): Promise<PluginSource | undefined> {
  let text: string | undefined;
  let tree = { stamp: '', folders: [folder] };
  try {
    text = await optionalText(join(folder, MANIFEST));
    if (text === undefined && given === undefined) return undefined;
    tree = await treeOf(folder);
    const manifest = text === undefined ? given ?? parseManifest('') : parseManifest(text);
    const inside = await readdir(folder);
    const entry = manifest.main ?? named ?? ENTRIES.find((name) => inside.includes(name));
    if (entry === undefined) return { id, folder, origin, ...tree, read: { manifest, problem: `it has no ${ENTRIES.join(', ')}, and ${MANIFEST} names no main.` } };
    const path = join(folder, entry);
    if (!path.startsWith(`${folder}/`)) return { id, folder, origin, ...tree, read: { manifest, problem: `its module ${entry} lies outside its folder.` } };
    return { id, folder, origin, ...tree, read: { manifest, entry: path } };
  } catch (error) {
    return { id, folder, origin, ...tree, read: { problem: error instanceof Error ? error.message : String(error) } };
  }
}

export interface PluginPlaces {
  readonly user: string;
  /** Undefined unless the person wants plugins of projects. */
  readonly project: string | undefined;
}

/** Sorted by id. Of one id the package counts before the project's plugin, and that before the user's own. */
export async function findPlugins({ user, project }: PluginPlaces, log: Log): Promise<Map<string, PluginSource>> {
  const candidates: Candidate[] = [];
  for (const [folder, origin] of [[user, 'user'], [project, 'project']] as const) {
    if (folder === undefined) continue;
    for (const name of await namesIn(folder, log)) if (PLUGIN_ID.test(name) && name !== 'node_modules') candidates.push({ id: name, folder: join(folder, name), origin });
  }
  candidates.push(...await packages(join(user, 'node_modules'), log));
  const found = new Map<string, PluginSource>();
  for (const candidate of candidates) {
    const source = await read(candidate);
    if (source !== undefined) found.set(source.id, source);
  }
  return new Map([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}
