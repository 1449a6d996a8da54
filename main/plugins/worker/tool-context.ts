/** The `ToolContext` of one call inside a worker: the services of the host, each method a question to it. */
import type { EnvironmentForTools } from '../../../environments/base.ts';
import type { HomePaths, ToolContext, ToolServices } from '../../../tools/context.ts';
import type { CheckContext } from '../../../tools/registry.ts';
import type { Peer } from './peer.ts';

/** What the host sends of a call; `token` stands for the host's own context of it. */
export interface CallShape extends Pick<ToolContext, 'sessionId' | 'taskId' | 'toolCallId' | 'turnId' | 'userTask' | 'signal' | 'cwd' | 'enabledTools'> {
  readonly token: number;
  readonly paths: HomePaths;
}

export interface Line {
  readonly peer: Pick<Peer, 'request' | 'tell'>;
  sync(name: string, ...args: readonly unknown[]): unknown;
}

/** `ask` and `now` with the call's token in front. The host decides which names exist. */
export function contextInWorker({ token, paths, ...call }: CallShape, { peer, sync }: Line): ToolContext {
  const ask = (name: string) => (...args: readonly unknown[]): Promise<never> => peer.request('service', token, name, args) as Promise<never>; // cast: the host's own method gives it its type
  const now = (name: string) => (...args: readonly unknown[]): never => sync('service', token, name, args) as never; // cast: as above
  const environment = async (taskId: string): Promise<EnvironmentForTools> => {
    const description = await ask('files.describe')(taskId);
    const file = (name: string) => (...args: readonly unknown[]): Promise<never> => ask(`files.${name}`)(taskId, ...args);
    return {
      describe: () => description, exec: file('exec'), readFile: file('readFile'), writeFile: file('writeFile'), stat: file('stat'), list: file('list'),
      remove: file('remove'), rename: file('rename'), realpath: file('realpath'),
    };
  };
  const services: ToolServices = {
    approvals: { review: ask('approvals.review'), recordExit: now('approvals.recordExit') },
    terminals: { run: ask('terminals.run'), start: ask('terminals.start'), process: ask('terminals.process'), cwd: now('terminals.cwd'), backend: now('terminals.backend') },
    files: { environment },
    history: {
      recent: now('history.recent'), search: now('history.search'), countHidden: now('history.countHidden'), messages: now('history.messages'), conversation: now('history.conversation'),
      // It answers within a function, which no process can hand over.
      inProfile: () => { throw new Error('Chats of other profiles are not open to plugins.'); },
    },
    todos: { read: now('todos.read'), write: now('todos.write') },
    questions: { get available() { return now('questions.available')(); }, ask: ask('questions.ask') },
    delegation: { delegate: ask('delegation.delegate') },
    config: { get: now('config.get'), env: now('config.env') },
    paths,
    redact: now('redact'),
    log: (level, message, details) => { peer.tell('log', level, message, details); },
  };
  return { ...call, services, emit: (event) => { peer.tell('emit', token, event); } };
}

/** What a tool's check may look at, inside a worker. */
export function checkContextInWorker({ path, backend }: Pick<CheckContext, 'path' | 'backend'>, { peer, sync }: Line): CheckContext {
  return {
    path, backend,
    env: (name) => sync('check', 'env', name) as string | undefined, // casts: the host's own CheckContext answers
    which: (program) => sync('check', 'which', program) as string | undefined,
    config: (key) => sync('check', 'config', key),
    probeBackend: () => peer.request('probeBackend') as Promise<boolean>,
  };
}
