import type { Session } from '../../../preload/contract/index.ts';
import { CALLER } from './command.ts';
import type { CliHost } from './host-port.ts';

export interface ChatPlace {
  /** Name of the chat; a new one without. */
  readonly session?: string;
  readonly cwd?: string;
  /** Terminal backend of this chat from now on. */
  readonly backend?: string;
}

/** What the host is told of it: a directory elsewhere says nothing to a host here. */
export function hostPlace({ cwd, backend }: ChatPlace): { readonly cwd?: string } {
  return cwd === undefined || (backend ?? 'local') !== 'local' ? {} : { cwd };
}

/** The chat a command talks to, in the place that was asked for. Throws what `sessions.setBackend` and `sessions.setCwd` throw. */
export async function openChat(host: Pick<CliHost, 'openSession' | 'handle'>, { session, cwd, backend }: ChatPlace): Promise<Session> {
  if (backend === undefined) return host.openSession(session, cwd === undefined ? {} : { cwd });
  const { id } = await host.openSession(session, {});
  const moved = await host.handle('sessions.setBackend', { sessionId: id, backend }, CALLER);
  return cwd === undefined ? moved : host.handle('sessions.setCwd', { sessionId: id, cwd }, CALLER);
}
