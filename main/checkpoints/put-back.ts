/** Writes kept files over what stands there now. */
import { symlink } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Environment } from '../../environments/base.ts';
import type { CheckpointRestored } from '../../preload/contract/checkpoints.ts';
import { readObjects, type StoredChange } from './compare.ts';
import type { Store } from './store.ts';

const LINK_MODE = '120000';
const EXECUTABLE_MODE = '100755';
const PLAIN = 0o644;
const EXECUTABLE = 0o755;

export interface Target extends StoredChange {
  /** It came into being by the tool's own write: putting back takes it away. */
  readonly createdByTool: boolean;
  /** Unusual permission bits of then. */
  readonly permissions: number | undefined;
}

/**
 * Why a path may not be written any more: a link on the way would lead the write elsewhere, after a person was shown this path.
 * Undefined when it is where it was.
 */
async function leadsElsewhere(environment: Environment, path: string): Promise<string | undefined> {
  const real = await environment.realpath(posix.dirname(path));
  if (real !== posix.dirname(path)) return `a link now leads from its directory to ${real}`;
  const found = await environment.stat(path);
  if (found?.link === true) return 'it is a symbolic link now';
  return found === undefined || found.kind === 'file' ? undefined : 'it is no regular file now';
}

async function restoreOne(environment: Environment, path: string, target: Target, bytes: Buffer | undefined): Promise<{ readonly done: 'restored' | 'removed' } | { readonly why: string }> {
  const elsewhere = await leadsElsewhere(environment, path);
  if (elsewhere !== undefined) return { why: elsewhere };
  if (target.state === 'created') {
    await environment.remove(path);
    return { done: 'removed' };
  }
  if (bytes === undefined) return { why: 'the store does not hold it' };
  if (target.mode === LINK_MODE) {
    if (environment.backend !== 'local' || await environment.stat(path) !== undefined) return { why: 'it was a symbolic link' };
    await symlink(bytes.toString(), path);
    return { done: 'restored' };
  }
  const usual = target.mode === EXECUTABLE_MODE ? EXECUTABLE : PLAIN;
  await environment.writeFile(path, bytes, { mode: target.permissions ?? usual });
  return { done: 'restored' };
}

/** Goes on after a failure, and names it. */
export async function putBack(store: Store, environment: Environment, root: string, targets: readonly Target[]): Promise<Omit<CheckpointRestored, 'undo'>> {
  const objects = await readObjects(store, [...new Set(targets.flatMap(({ object }) => (object === '' ? [] : [object])))]);
  const result = { restored: [] as string[], removed: [] as string[], left: [] as string[], failed: [] as { path: string; why: string }[] };
  for (const target of targets) {
    if (target.state === 'created' && !target.createdByTool) {
      result.left.push(target.path);
      continue;
    }
    try {
      const answer = await restoreOne(environment, posix.join(root, target.path), target, objects.get(target.object));
      if ('done' in answer) result[answer.done].push(target.path);
      else result.failed.push({ path: target.path, why: answer.why });
    } catch (error) {
      result.failed.push({ path: target.path, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return result;
}
