/** Follows again what a backend kept running while no host was there. */
import type { Terminal } from '../../preload/contract/terminal.ts';
import type { CheckpointEntry } from './checkpoint.ts';
import type { Launcher } from './launcher.ts';
import type { LiveTerminal } from './live-terminal.ts';
import type { Places } from './places.ts';

export interface ReattachParts {
  readonly places: Pick<Places, 'backend' | 'environment'>;
  readonly launcher: Pick<Launcher, 'launch'>;
}

/** Under its old id, with all its output from the first byte. Undefined when it is not there. Throws `EnvironmentError` when that cannot be told. */
export async function reattach(entry: CheckpointEntry, row: Terminal, { places, launcher }: ReattachParts): Promise<LiveTerminal | undefined> {
  if (entry.remote === undefined || places.backend(entry.task_id) !== row.backend) return undefined;
  const environment = await places.environment(entry.task_id);
  const process = await environment.reattach?.(entry.remote);
  if (process === undefined) return undefined;
  const live = launcher.launch({
    process, environment, id: row.id, kind: 'background', taskId: entry.task_id, sessionId: row.sessionId ?? undefined, callId: row.callId ?? undefined, command: row.command, title: row.title,
    cwd: row.cwd, cols: row.cols, rows: row.rows, takesInput: true, startedBy: row.startedBy ?? 'agent',
  });
  live.row.startedAt = row.startedAt;
  live.changed();
  return live;
}
