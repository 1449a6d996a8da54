/** The host's end of what a plugin's `register(ctx)` is given. Everything the plugin adds is its own, and goes when it goes. */
import type { JsonValue } from '../../tools/context.ts';
import { uncachedCheck, type CheckAnswer, type CheckContext, type CheckFunction, type MultimodalResult, type PluginOwner, type ToolRegistration, type ToolRegistry, type ToolSchema } from '../../tools/registry.ts';
import { describeThrown } from '../../tools/result.ts';
import type { ToolsetCatalog } from '../../tools/toolsets.ts';
import { FIRED_HOOKS, type HookBus } from '../calls/hooks.ts';
import { nearestNames } from '../calls/nearest.ts';
import type { Middleware, ToolAnswer } from '../calls/middleware.ts';
import type { Clock, ConfigStore, Log, Shell } from '../ports.ts';
import type { PluginCommands } from './commands.ts';
import { OwnedRegistry } from './owned-registry.ts';
import { TokenCalls } from './token-calls.ts';

/** What plugins may do besides tools, given by the host. */
export interface PluginReach {
  /** The result's text of a call that goes the whole way: hooks, checks, approvals. */
  dispatchTool(name: string, args: unknown, sessionId: string): Promise<string>;
  /** Throws for a chat that is not there. */
  injectMessage(text: string, sessionId: string): void;
}

export interface ContextParts {
  readonly registry: ToolRegistry;
  readonly hooks: Pick<HookBus, 'on'>;
  readonly middleware: Pick<Middleware, 'onRequest' | 'onExecution'>;
  readonly commands: Pick<PluginCommands, 'add'>;
  readonly platforms: Pick<ToolsetCatalog, 'registerPlatform'>;
  readonly config: Pick<ConfigStore, 'get' | 'set'>;
  readonly checks: CheckContext;
  readonly clock: Clock;
  readonly log: Log;
  readonly reach: PluginReach;
  /** How this shell starts a process; Node's way by default. */
  readonly fork?: Shell['fork'];
}

type Remote = (...args: unknown[]) => Promise<unknown>;
type Level = 'debug' | 'info' | 'warn' | 'error';

const MIDDLEWARE_LIMIT_MS = 30_000;
const MOST_DISPATCHES = 16;
const SETTING = /^[\w-]+(?:\.[\w-]+)*$/;
const PLATFORM = /^[a-z][a-z0-9-]{0,31}$/;
const LEVELS: ReadonlySet<unknown> = new Set<Level>(['debug', 'info', 'warn', 'error']);

function remote(value: unknown): Remote {
  if (typeof value !== 'function') throw new TypeError('a function was expected');
  return value as Remote; // cast: made by Peer.unpack, which makes exactly these
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
/** What a command shows: text as it is, nothing as nothing, anything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

function isAnswer(value: unknown): value is ToolAnswer {
  return typeof value === 'string' || (isRecord(value) && value['_multimodal'] === true && Array.isArray(value['content']));
}

export class PluginContext {
  readonly #parts: ContextParts;
  readonly #owner: PluginOwner;
  readonly #calls: TokenCalls;
  readonly #undo: (() => void)[] = [];
  readonly #hooks: string[] = [];
  readonly #commands: string[] = [];
  /** What waits for the commit: hooks and commands must not act before the tools are there. */
  #waiting: (() => void)[] | undefined = [];
  #closed = false;
  #dispatching = 0;
  readonly owned: OwnedRegistry;

  constructor(parts: ContextParts, owner: PluginOwner) {
    this.#parts = parts;
    this.#owner = owner;
    this.#calls = new TokenCalls(parts.clock);
    this.owned = new OwnedRegistry(parts.registry, owner);
  }

  get hooks(): readonly string[] { return this.#hooks; }
  get commands(): readonly string[] { return this.#commands; }

  /** Everything that was registered counts from now on. */
  commit(): void {
    this.owned.commit();
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const add of waiting) add();
  }

  close(): void {
    this.#closed = true;
    for (const off of this.#undo.splice(0)) off();
    this.owned.close();
  }

  #add(add: () => () => void): void {
    if (this.#closed) throw new Error(`Plugin '${this.#owner.id}' was unloaded and can register nothing more.`);
    const now = (): void => { this.#undo.push(add()); };
    if (this.#waiting === undefined) now();
    else this.#waiting.push(now);
  }

  // --- what the worker asks ----------------------------------------------------------------------------------------

  sync(name: string, args: readonly unknown[], unpack: (value: unknown) => unknown): unknown {
    switch (name) {
      case 'registerTool': return this.#registerTool(unpack(args[0]));
      case 'registerHook': return this.#registerHook(String(args[0]), remote(unpack(args[1])));
      case 'registerMiddleware': return this.#registerMiddleware(unpack(args[0]));
      case 'registerPlatform': return this.#registerPlatform(String(args[0]), String(args[1]));
      case 'registerCommand': return this.#registerCommand(String(args[0]), remote(unpack(args[1])), String(args[2]));
      case 'settings.get': return this.#parts.config.get(this.#setting(args[0]));
      case 'service': return this.#calls.serviceNow(args[0], args[1], Array.isArray(args[2]) ? args[2] : []);
      case 'check': return this.#check(args[0], String(args[1]));
      default: throw new Error(`There is nothing called '${name}'.`);
    }
  }

  async serve(name: string, args: readonly unknown[]): Promise<unknown> {
    switch (name) {
      case 'service': return this.#calls.service(args[0], args[1], Array.isArray(args[2]) ? args[2] : []);
      case 'emit': this.#calls.emit(args[0], args[1]); return undefined;
      case 'log': this.#log(args[0], args[1]); return undefined;
      case 'probeBackend': return this.#parts.checks.probeBackend();
      case 'settings.set': await this.#parts.config.set(this.#setting(args[0]), args[1] as JsonValue | undefined); return undefined; // cast: copied between processes; config.set refuses what YAML cannot hold
      case 'dispatchTool': return this.#dispatch(String(args[0]), args[1], String(args[2]));
      case 'injectMessage': this.#parts.reach.injectMessage(String(args[0]), String(args[1])); return undefined;
      default: throw new Error(`There is nothing called '${name}'.`);
    }
  }

  #log(level: unknown, message: unknown): void {
    this.#parts.log[LEVELS.has(level) ? level as Level : 'info'](`plugin ${this.#owner.id}: ${String(message)}`); // cast: in the set
  }

  #setting(key: unknown): string {
    if (typeof key !== 'string' || !SETTING.test(key)) throw new TypeError(`'${String(key)}' is no name of a setting: letters, digits, - and _ with dots between.`);
    return `plugins.entries.${this.#owner.id}.settings.${key}`;
  }

  #check(what: unknown, name: string): unknown {
    const { checks } = this.#parts;
    return what === 'env' ? checks.env(name) : what === 'which' ? checks.which(name) : checks.config(name);
  }

  // --- what it adds ------------------------------------------------------------------------------------------------

  #registerTool(given: unknown): void {
    if (!isRecord(given)) throw new TypeError('A tool is registered with an object.');
    const { handler, checkFn, dynamicSchemaOverrides, overrides, uncached, ...rest } = given;
    const run = remote(handler);
    const fields = rest as unknown as Pick<ToolRegistration, 'name' | 'toolset' | 'schema'>; // cast: the registry checks what matters of it
    const registration: ToolRegistration = {
      ...fields,
      // A handler in another process always answers later; one that never does is given up (hermes-runtime 3.5).
      isAsync: true,
      handler: (args, context) => this.#calls.run(context, (call) => run(args, call)) as Promise<string | MultimodalResult>, // cast: the registry checks the result
      ...(checkFn === undefined ? {} : { checkFn: this.#checkFunction(remote(checkFn), uncached === true) }),
      ...(dynamicSchemaOverrides === undefined ? {} : { dynamicSchemaOverrides: this.#overrides(remote(dynamicSchemaOverrides), overrides, () => registration) }),
    };
    this.owned.register(registration);
  }

  #checkFunction(ask: Remote, uncached: boolean): CheckFunction {
    const check: CheckFunction = ({ path, backend }) => ask({ path, backend }) as Promise<CheckAnswer>; // cast: any other answer counts as a reason in words
    return uncached ? uncachedCheck(check) : check;
  }

  /** Definitions are built at once, so the last answer is used and a new one asked for; when it differs, the tool is renewed. */
  #overrides(ask: Remote, first: unknown, registration: () => ToolRegistration): () => Partial<ToolSchema> {
    let last: Record<string, unknown> = isRecord(first) ? first : {};
    let asking = false;
    const refresh = async (): Promise<void> => {
      const next = await ask();
      if (!isRecord(next) || JSON.stringify(next) === JSON.stringify(last)) return;
      last = next;
      this.owned.renew(registration());
    };
    return () => {
      if (!asking && !this.#closed) {
        asking = true;
        refresh().catch((error: unknown) => { this.#parts.log.warn(`The schema overrides of a tool of plugin '${this.#owner.id}' failed.`, { error: describeThrown(error) }); })
          .finally(() => { asking = false; });
      }
      return last;
    };
  }

  #registerHook(name: string, callback: Remote): void {
    if (!FIRED_HOOKS.has(name)) {
      const near = nearestNames(name, FIRED_HOOKS);
      this.#parts.log.warn(`Plugin '${this.#owner.id}' waits for hook '${name}', which nothing here fires.${near.length > 0 ? ` Did it mean ${near.join(' or ')}?` : ''}`);
    }
    this.#add(() => this.#parts.hooks.on(name, (payload: object) => callback(payload), { owner: this.#owner.id }));
    this.#hooks.push(name);
  }

  #registerPlatform(platform: string, toolset: string): void {
    if (!PLATFORM.test(platform)) throw new TypeError(`'${platform}' is no name of a platform: small letters, digits and -.`);
    this.#add(() => this.#parts.platforms.registerPlatform(platform, toolset));
  }

  #registerMiddleware(given: unknown): void {
    const { request, execution } = isRecord(given) ? given : {};
    const { middleware } = this.#parts;
    const about = ({ name, args, context }: Parameters<Parameters<Middleware['onRequest']>[0]>[0]): object => ({ name, args, session_id: context.sessionId, tool_call_id: context.toolCallId });
    if (request !== undefined) {
      const rewrite = remote(request);
      this.#add(() => middleware.onRequest(async (call) => {
        const changed = await this.#withinLimit(`the request middleware of plugin '${this.#owner.id}'`, rewrite(about(call)));
        return isRecord(changed) ? changed : undefined;
      }, this.#owner.id));
    }
    if (execution !== undefined) {
      const wrap = remote(execution);
      this.#add(() => middleware.onExecution(async (call, next) => {
        const answer = await this.#calls.run(call.context, () => wrap(about(call), next));
        if (!isAnswer(answer)) throw new TypeError(`the execution middleware of plugin '${this.#owner.id}' gave no result`);
        return answer;
      }, this.#owner.id));
    }
  }

  /** Rejects when it takes too long; what it waits for goes on. */
  async #withinLimit<T>(what: string, work: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const cancel = this.#parts.clock.after(MIDDLEWARE_LIMIT_MS, () => late.reject(new Error(`${what} did not answer within ${String(MIDDLEWARE_LIMIT_MS / 1_000)} s`)));
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      cancel();
    }
  }

  /** A hook that calls tools is asked about its own calls again: without a bound that would go on for ever. */
  async #dispatch(name: string, args: unknown, sessionId: string): Promise<string> {
    if (this.#dispatching >= MOST_DISPATCHES) throw new Error(`Plugin '${this.#owner.id}' has ${String(MOST_DISPATCHES)} tool calls running: one of its hooks calls itself.`);
    this.#dispatching += 1;
    try {
      return await this.#parts.reach.dispatchTool(name, args, sessionId);
    } finally {
      this.#dispatching -= 1;
    }
  }

  #registerCommand(name: string, run: Remote, description: string): void {
    this.#add(() => this.#parts.commands.add(name, { owner: this.#owner.id, description, run: async (words, sessionId) => textOf(await run(words, { sessionId })) }));
    this.#commands.push(name);
  }
}
