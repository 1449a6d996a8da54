/** The files that a tool file consists of: itself and what it imports by path, followed to the end. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sha256 } from './trust-store.ts';

/** A tool of a person's own is small; more files than these are a project that should be a plugin. */
const MOST_FILES = 500;

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string | undefined => (isNode(value) && value['type'] === 'StringLiteral' && typeof value['value'] === 'string' ? value['value'] : undefined);

/** Where a node of the syntax tree names another file. */
function specifierOf(node: Node): string | undefined {
  switch (node['type']) {
    case 'ImportDeclaration': case 'ExportNamedDeclaration': case 'ExportAllDeclaration': case 'ImportExpression': return textOf(node['source']);
    case 'CallExpression': case 'NewExpression': return Array.isArray(node['arguments']) ? textOf(node['arguments'][0]) : undefined;
    default: return undefined;
  }
}

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, found);
    return;
  }
  if (!isNode(value)) return;
  const specifier = specifierOf(value);
  if (specifier !== undefined && /^(?:\.{1,2}\/|\/|file:)/.test(specifier)) found.add(specifier);
  for (const [name, child] of Object.entries(value)) if (name !== 'loc') collect(child, found);
}

async function importsOf(source: string, isTypeScript: boolean): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (!/\b(?:import|require|from|URL)\b/.test(source)) return found;
  const { parse } = await import('@babel/parser');
  try {
    collect(parse(source, { sourceType: 'module', plugins: isTypeScript ? ['typescript'] : [], tokens: false, attachComment: false, errorRecovery: true }).program.body, found);
  } catch {
    // A file that does not parse imports nothing; loading it says what is wrong with it.
    return found;
  }
  return found;
}

export interface LocalFiles {
  /** Absolute path → sha256 of its content. */
  readonly files: Readonly<Record<string, string>>;
  /** One value for all of it: that of the content for a single file. */
  readonly hash: string;
}

/** Throws when `entry` cannot be read. Files that are named and not there are left out: loading says so. */
export async function localFiles(entry: string): Promise<LocalFiles> {
  const files = new Map<string, string>();
  const queue = [entry];
  for (const path of queue) {
    if (files.has(path) || files.size >= MOST_FILES) continue;
    let bytes: Buffer;
    try {
      bytes = await readFile(path);
    } catch (error) {
      if (path === entry) throw error;
      continue;
    }
    files.set(path, sha256(bytes));
    if (!/\.[cm]?[jt]s$/.test(path)) continue;
    for (const specifier of await importsOf(bytes.toString('utf8'), path.endsWith('ts'))) queue.push(fileURLToPath(new URL(specifier, pathToFileURL(path))));
  }
  const [only] = files.values();
  const sorted = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  return { files: Object.fromEntries(sorted), hash: files.size === 1 && only !== undefined ? only : sha256(JSON.stringify(sorted)) };
}
