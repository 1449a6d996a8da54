/**
 * Which process works in a chat. Several hosts may share one home (the app and a command line): only chats whose process is
 * dead are taken for interrupted.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Storage } from '../ports.ts';

const Owner = z.object({ pid: z.int().positive(), started: z.string() });
type Owner = z.infer<typeof Owner>;

/** Field 22 of `/proc/PID/stat` (start time in ticks since boot), after the command name, which may contain blanks. */
const START_FIELD_AFTER_NAME = 19;

/** Empty where the system does not tell: then the pid alone has to do. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD_AFTER_NAME] ?? '';
  } catch {
    // No such process, or a system without /proc: both mean "not told".
    return '';
  }
}

function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else, so it is not the host that wrote this.
    return error instanceof Error && 'code' in error && error.code === 'EPERM' && started === startOf(pid);
  }
  return started === startOf(pid);
}

const keyOf = (sessionId: SessionId): string => `owner:${sessionId}`;

export function claim(values: Storage['values'], sessionId: SessionId): void {
  values.set(keyOf(sessionId), JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Owner));
}

export function release(values: Storage['values'], sessionId: SessionId): void {
  values.set(keyOf(sessionId), undefined);
}

/** True when another process that still lives works in that chat. */
export function isOwnedElsewhere(values: Storage['values'], sessionId: SessionId): boolean {
  const stored = values.get(keyOf(sessionId));
  if (stored === undefined) return false;
  const owner = Owner.safeParse(JSON.parse(stored));
  return owner.success && owner.data.pid !== process.pid && isAlive(owner.data);
}
