/** Names this host for what it starts on other machines. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { startIdentity } from '../../environments/local.ts';
import type { RemoteOwner } from '../../environments/shell.ts';

const LETTERS = 12;

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, LETTERS);
}

function nameOf(pid: number): string | undefined {
  const identity = startIdentity(pid);
  return identity === undefined ? undefined : `${pid}-${short(identity)}`;
}

/** Undefined where processes of this machine cannot be told apart: nothing is swept then. */
export function remoteOwner(home: string): RemoteOwner | undefined {
  const self = nameOf(process.pid);
  return self === undefined ? undefined : { home: short(`${hostname()}\0${home}`), self, isAlive: (other) => nameOf(Number.parseInt(other, 10)) === other };
}
