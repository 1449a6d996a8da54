/** What is different between two states in a store. */
import type { CheckpointChange } from '../../preload/contract/checkpoints.ts';
import type { Store } from './store.ts';

const COMPARE_MS = 20_000;

export interface StoredChange extends CheckpointChange {
  /** Object and git mode of then; empty when it was not there. */
  readonly object: string;
  readonly mode: string;
}

function specs(paths: readonly string[]): string[] {
  return paths.map((path) => `:(literal)${path === '' ? '.' : path}`);
}

/** From `before` to `now`, restricted to `paths` (files and directories; empty text = all). */
export async function changesBetween(store: Store, before: string, now: string, paths: readonly string[]): Promise<StoredChange[]> {
  const output = await store.git(['diff-tree', '-r', '-z', '--no-renames', '--raw', '--no-abbrev', before, now, '--', ...specs(paths)], { timeoutMs: COMPARE_MS });
  const fields = output.toString().split('\0');
  const changes: StoredChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', , object = '', , status = ''] = (fields[at] ?? '').slice(1).split(' ');
    const path = fields[at + 1] ?? '';
    changes.push({ path, state: status === 'A' ? 'created' : status === 'D' ? 'deleted' : 'changed', object: status === 'A' ? '' : object, mode: status === 'A' ? '' : oldMode });
  }
  return changes;
}

/** Unified diff from `before` to `now`. */
export async function textBetween(store: Store, before: string, now: string, paths: readonly string[]): Promise<string> {
  return (await store.git(['diff-tree', '-r', '-p', '--no-renames', '--no-ext-diff', '--no-textconv', before, now, '--', ...specs(paths)], { timeoutMs: COMPARE_MS })).toString();
}

/** Contents by object name. */
export async function readObjects(store: Store, objects: readonly string[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (objects.length === 0) return found;
  const output = await store.git(['cat-file', '--batch'], { input: `${objects.join('\n')}\n`, timeoutMs: COMPARE_MS });
  let at = 0;
  while (at < output.length) {
    const lineEnd = output.indexOf(0x0a, at);
    const [name = '', , size = ''] = output.toString('latin1', at, lineEnd).split(' ');
    const from = lineEnd + 1;
    const to = from + Number(size);
    if (!Number.isInteger(to)) throw new Error(`the store does not hold ${name}`);
    found.set(name, output.subarray(from, to));
    at = to + 1;
  }
  return found;
}
