/** Where a chat's commands run: tells the terminals each chat's directory once, and keeps on the chat where its commands went. */
import { realpathSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import type { CallId, SessionId } from '../../preload/contract/ids.ts';
import type { RunRequest, RunResult, TerminalService } from '../../tools/context.ts';
import type { PlaceFacts } from '../approvals/place-facts.ts';
import type { EventBus, Storage } from '../ports.ts';
import type { Manager } from '../terminals/terminals.ts';
import type { Backends } from './backends.ts';
import type { Sandboxes } from './sandboxes.ts';
import { userName } from './host-requests.ts';

export interface SessionPlaces extends TerminalService {
  /** Makes the chat's directory known, once per host and again after `moved`. */
  ensure(sessionId: SessionId): void;
  /** The person chose another directory. */
  moved(sessionId: SessionId, cwd: string): void;
  facts(wanted: { readonly taskId?: string; readonly backend?: string; readonly cwd?: string }): PlaceFacts;
}

export interface PlacesParts {
  readonly terminals: Manager;
  readonly storage: Pick<Storage, 'sessions' | 'calls'>;
  readonly events: Pick<EventBus, 'publish'>;
  readonly home: string;
  readonly backends: Pick<Backends, 'isIsolated' | 'where'>;
  readonly sandboxes: Pick<Sandboxes, 'words' | 'moved'>;
}

function realHome(home: string): string[] {
  try {
    const real = realpathSync(home);
    return real === home ? [] : [real];
  } catch {
    // A home that is not there has no other spelling.
    return [];
  }
}

/** Task ids of chats are their session ids: each chat has its own directory and variables. */
export function createPlaces({ terminals, storage, events, home, backends, sandboxes }: PlacesParts): SessionPlaces {
  const known = new Set<SessionId>();
  const userHome = homedir();
  const local = { host: hostname(), user: userName(), home: userHome, homeAliases: realHome(userHome), hermesHome: home, tmpdir: tmpdir() };

  function ensure(sessionId: SessionId): void {
    if (known.has(sessionId)) return;
    const session = storage.sessions.get(sessionId);
    if (!session) return;
    known.add(sessionId);
    if (session.cwd !== '') terminals.registerTask(sessionId, { cwd: session.cwd });
  }

  /** A call that the person typed has no model's id: it carries that of its own message. */
  function startedBy(callId: string): 'agent' | 'user' {
    const call = storage.calls.get(callId as CallId); // one that is no id of ours is not found
    return call !== undefined && call.modelCallId === call.messageId ? 'user' : 'agent';
  }

  /** A command that changed the directory changes the chat's, so that it is still there after a restart. */
  async function run(request: RunRequest): Promise<RunResult> {
    const result = await terminals.run({ ...request, startedBy: startedBy(request.toolCallId) });
    const sessionId = request.sessionId as SessionId; // the host made the context it comes from out of a session's id
    const session = storage.sessions.get(sessionId);
    const cwd = terminals.cwd(request.taskId);
    if (session && cwd !== '' && session.cwd !== cwd) events.publish('sessions', { type: 'changed', session: storage.sessions.update(sessionId, { cwd }) });
    return result;
  }

  return {
    ensure,
    moved(sessionId, cwd) {
      known.add(sessionId);
      terminals.registerTask(sessionId, { cwd });
      if (sandboxes.words(sessionId) === undefined) return;
      sandboxes.moved(sessionId);
      terminals.renew(sessionId);
    },
    facts({ taskId, backend: wanted, cwd }) {
      const backend = wanted ?? terminals.backend(taskId ?? 'default');
      const place = cwd ?? (taskId === undefined ? undefined : terminals.cwd(taskId));
      const here = backend === 'local' ? local : backends.where(backend);
      const sandbox = backend === 'local' && taskId !== undefined ? sandboxes.words(taskId) : undefined;
      return { backend, ...(sandbox === undefined ? {} : { sandbox }), isolated: backends.isIsolated(backend), ...here, ...(place === undefined || place === '' ? {} : { cwd: place }) };
    },
    run,
    start: (request) => terminals.start({ ...request, startedBy: startedBy(request.toolCallId) }),
    process: (action, signal) => terminals.process(action, signal),
    cwd: (taskId) => terminals.cwd(taskId),
    backend: (taskId) => terminals.backend(taskId),
  };
}
