/** Calls of a plugin's handlers that run now: what the worker may ask of the host on behalf of each. */
import type { ToolContext } from '../../tools/context.ts';
import type { Clock } from '../ports.ts';
import type { CallShape } from './worker/tool-context.ts';

/** After a stop the handler has this long to answer by itself. */
const STOP_GRACE_MS = 2_000;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Methods that answer at once, and those that may take their time. `files.*` acts on the environment of a task. */
const SYNC: ReadonlySet<string> = new Set([
  'approvals.recordExit', 'terminals.cwd', 'terminals.backend', 'history.recent', 'history.search', 'history.countHidden', 'history.messages', 'history.conversation',
  'todos.read', 'todos.write', 'questions.available', 'config.get', 'config.env', 'redact',
]);
const ASYNC: ReadonlySet<string> = new Set(['approvals.review', 'terminals.run', 'terminals.start', 'terminals.process', 'questions.ask', 'delegation.delegate']);
const FILES: ReadonlySet<string> = new Set(['describe', 'exec', 'readFile', 'writeFile', 'stat', 'list', 'remove', 'rename', 'realpath']);

function invoke(holder: unknown, name: string, args: readonly unknown[]): unknown {
  const member: unknown = typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
  if (typeof member !== 'function') return member;
  return (member as Method).apply(holder, [...args]); // cast: the worker's own typed stub chose name and arguments
}

export class TokenCalls {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #contexts = new Map<number, ToolContext>();
  #next = 1;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Runs a handler on the other side. Rejects when it does, and a moment after the call was stopped. */
  async run(context: ToolContext, handler: (call: CallShape) => Promise<unknown>): Promise<unknown> {
    const token = this.#next;
    this.#next += 1;
    this.#contexts.set(token, context);
    const { sessionId, taskId, toolCallId, turnId, userTask, signal, cwd, enabledTools, services } = context;
    const stopped = Promise.withResolvers<never>();
    let cancel: () => void = () => undefined;
    const onAbort = (): void => { cancel = this.#clock.after(STOP_GRACE_MS, () => stopped.reject(new Error('The call was stopped.'))); };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([handler({
        token, sessionId, taskId, toolCallId, signal, cwd, paths: { home: services.paths.home, cache: services.paths.cache, outputs: services.paths.outputs },
        ...(turnId === undefined ? {} : { turnId }), ...(userTask === undefined ? {} : { userTask }), ...(enabledTools === undefined ? {} : { enabledTools: [...enabledTools] }),
      }), stopped.promise]);
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
      this.#contexts.delete(token);
    }
  }

  #contextOf(token: unknown): ToolContext {
    const context = typeof token === 'number' ? this.#contexts.get(token) : undefined;
    if (context === undefined) throw new Error('This call is over: its context cannot be used any more.');
    return context;
  }

  emit(token: unknown, event: unknown): void {
    this.#contextOf(token).emit(event as Parameters<ToolContext['emit']>[0]); // cast: typed where the plugin is written
  }

  /** Answers at once. Throws for names that do not exist. */
  serviceNow(token: unknown, name: unknown, args: readonly unknown[]): unknown {
    const { services } = this.#contextOf(token);
    if (typeof name !== 'string' || !SYNC.has(name)) throw new Error(`There is no service '${String(name)}'.`);
    const [holder = '', method] = name.split('.');
    return method === undefined ? invoke(services, holder, args) : invoke(Reflect.get(services, holder), method, args);
  }

  async service(token: unknown, name: unknown, args: readonly unknown[]): Promise<unknown> {
    const { services } = this.#contextOf(token);
    const [holder = '', method = ''] = String(name).split('.');
    if (holder === 'files' && FILES.has(method)) {
      const [taskId, ...rest] = args;
      return invoke(await services.files.environment(String(taskId)), method, rest);
    }
    if (!ASYNC.has(String(name))) throw new Error(`There is no service '${String(name)}'.`);
    return invoke(Reflect.get(services, holder), method, args);
  }
}
