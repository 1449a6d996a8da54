/** How checkpoints are spoken of. */
import type { Checkpoint, CheckpointChange, CheckpointRestored, ToolCall } from '../../../preload/contract/index.ts';
import { plural } from '../../ui/format.ts';

const CHANGING_TOOLS: ReadonlySet<string> = new Set(['write_file', 'patch', 'terminal']);

/** Whether it is worth asking: only a call that has begun to change something can have been preceded by a checkpoint. */
export function canHaveCheckpoints(call: Pick<ToolCall, 'name' | 'state'>): boolean {
  return CHANGING_TOOLS.has(call.name) && (call.state === 'done' || call.state === 'error' || call.state === 'cancelled' || call.state === 'unknown');
}

export function changeWord(state: CheckpointChange['state']): string {
  return { changed: 'changed', created: 'new', deleted: 'gone' }[state];
}

export function restoredWords({ restored, removed, left, failed }: CheckpointRestored): string {
  const parts = [
    ...(restored.length === 0 ? [] : [`${plural(restored.length, 'file')} put back`]),
    ...(removed.length === 0 ? [] : [`${plural(removed.length, 'new file')} removed`]),
    ...(left.length === 0 ? [] : [`${plural(left.length, 'later file')} left alone`]),
    ...failed.slice(0, 2).map(({ path, why }) => `${path} could not be put back: ${why}`),
    ...(failed.length > 2 ? [`${failed.length - 2} more could not be put back`] : []),
  ];
  return parts.length === 0 ? 'Everything is as it was then.' : `${parts.join('; ')}.`;
}

/** The oldest checkpoint of every directory on every backend: putting it and all later ones back undoes everything since. */
export function firstOfEachRoot(kept: readonly Checkpoint[]): readonly Checkpoint[] {
  const first = new Map<string, Checkpoint>();
  for (const checkpoint of kept) {
    const place = `${checkpoint.backend} ${checkpoint.root}`;
    const known = first.get(place);
    if (known === undefined || checkpoint.createdAt < known.createdAt) first.set(place, checkpoint);
  }
  return [...first.values()];
}
