/**
 * Hooks (hermes-runtime 3.3): plugins watch, refuse or change what the runtime does. Callbacks run in the order they were
 * added; one that throws or hangs stops nobody else. Names are Hermes' and may be any; the table below types the common ones.
 */
import { describeThrown } from '../../tools/result.ts';
import type { Clock, Log } from '../ports.ts';
import { isPromise } from './promise.ts';

export interface ToolHookPayload {
  readonly tool_name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly task_id: string;
  readonly session_id: string;
  readonly tool_call_id: string;
  readonly turn_id: string;
  readonly api_request_id: string;
  /** Names of the request middleware that changed the arguments. */
  readonly middleware_trace: readonly string[];
}
export interface ToolResultPayload extends ToolHookPayload {
  readonly result: string;
  readonly duration_ms: number;
  readonly status: 'ok' | 'error' | 'blocked';
  readonly error_type: string | null;
  readonly error_message: string | null;
}

export type HookCallback = (payload: never) => unknown;
export interface HookOptions {
  /** Whose it is, for the log and for messages. */
  readonly owner: string;
}

/** What a `pre_tool_call` callback may ask for. */
export type Directive =
  | { readonly action: 'block'; readonly message: string }
  | { readonly action: 'approve'; readonly message: string | undefined; readonly ruleKey: string | undefined };

/** Hooks that something here fires; a plugin may name others, and is told. */
export const FIRED_HOOKS: ReadonlySet<string> = new Set([
  'pre_tool_call', 'post_tool_call', 'transform_tool_result', 'transform_terminal_output', 'transform_llm_output', 'pre_llm_call', 'post_llm_call',
  'on_session_start', 'on_session_end', 'on_session_finalize', 'on_session_reset', 'pre_gateway_dispatch', 'pre_api_request', 'post_api_request', 'api_request_error', 'subagent_start', 'subagent_stop',
  'pre_approval_request', 'post_approval_response',
]);

/** Hermes' figures: 30 s for a callback by default and 600 s at most; one that hung is left alone for 60 s; 3 may hang at once. */
const DEFAULT_DEADLINE_MS = 30_000;
const LONGEST_DEADLINE_MS = 600_000;
const SUPPRESSED_MS = 60_000;
const MAX_ABANDONED = 3;

type Answer = { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'failed'; readonly why: string };

interface Registered {
  readonly callback: HookCallback;
  readonly owner: string;
  suppressedUntil: number;
  abandoned: number;
}

export class HookBus {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #deadlineMs: () => number;
  readonly #hooks = new Map<string, Registered[]>();

  /** `deadlineSeconds` is `plugins.hook_callback_timeout`, read anew for each callback. */
  constructor(parts: { readonly clock: Clock; readonly log: Log; readonly deadlineSeconds?: () => unknown }) {
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#deadlineMs = () => {
      const seconds = parts.deadlineSeconds?.();
      return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1_000, LONGEST_DEADLINE_MS) : DEFAULT_DEADLINE_MS;
    };
  }

  /** Adds a callback; the returned function takes it away. */
  on(name: string, callback: HookCallback, options: HookOptions): () => void {
    const registered: Registered = { callback, owner: options.owner, suppressedUntil: 0, abandoned: 0 };
    this.#hooks.set(name, [...(this.#hooks.get(name) ?? []), registered]);
    return () => {
      const rest = (this.#hooks.get(name) ?? []).filter((other) => other !== registered);
      if (rest.length === 0) this.#hooks.delete(name);
      else this.#hooks.set(name, rest);
    };
  }

  has(name: string): boolean {
    return this.#hooks.has(name);
  }

  /** Tells everybody; what they return is ignored. Never rejects. */
  async observe(name: string, payload: object): Promise<void> {
    for (const hook of this.#hooks.get(name) ?? []) await this.#run(name, hook, payload);
  }

  /** The first text that a callback returns, else undefined. All are called. Never rejects. */
  async firstText(name: string, payload: object): Promise<string | undefined> {
    let first: string | undefined;
    for (const hook of this.#hooks.get(name) ?? []) {
      const answer = await this.#run(name, hook, payload);
      if (first === undefined && answer.kind === 'value' && typeof answer.value === 'string') first = answer.value;
    }
    return first;
  }

  /** All answers that are not null, in order. Never rejects. */
  async collect(name: string, payload: object): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const hook of this.#hooks.get(name) ?? []) {
      const answer = await this.#run(name, hook, payload);
      if (answer.kind === 'value' && answer.value !== null && answer.value !== undefined) answers.push(answer.value);
    }
    return answers;
  }

  /**
   * `pre_tool_call`: the first directive in order, undefined = go on. A callback that throws, hangs or is suppressed after
   * hanging counts as a block: a guard that cannot speak has not agreed. Never rejects.
   */
  async preToolCall(payload: ToolHookPayload): Promise<Directive | undefined> {
    let first: Directive | undefined;
    for (const hook of this.#hooks.get('pre_tool_call') ?? []) {
      const answer = await this.#run('pre_tool_call', hook, payload);
      const directive = answer.kind === 'value'
        ? this.#directive(answer.value, hook.owner)
        : { action: 'block' as const, message: `Blocked: the pre_tool_call hook of '${hook.owner}' ${answer.why}.` };
      first ??= directive;
    }
    return first;
  }

  #directive(value: unknown, owner: string): Directive | undefined {
    if (typeof value !== 'object' || value === null || !('action' in value)) return undefined;
    const message = 'message' in value && typeof value.message === 'string' && value.message !== '' ? value.message : undefined;
    if (value.action === 'block') return { action: 'block', message: message ?? `Blocked by a hook of '${owner}'.` };
    if (value.action === 'approve') {
      const ruleKey = 'rule_key' in value && typeof value.rule_key === 'string' ? value.rule_key : undefined;
      return { action: 'approve', message, ruleKey };
    }
    this.#log.warn(`A pre_tool_call hook of '${owner}' asked for an unknown action; it is ignored.`, { action: String(value.action) });
    return undefined;
  }

  async #run(name: string, hook: Registered, payload: object): Promise<Answer> {
    if (this.#clock.now() < hook.suppressedUntil || hook.abandoned >= MAX_ABANDONED) return { kind: 'failed', why: 'did not answer earlier and is left alone for a while' };
    try {
      // cast: `on` is open to any payload type; the caller of each hook name owns its payload.
      const returned: unknown = (hook.callback as (payload: object) => unknown)(payload);
      if (!isPromise(returned)) return { kind: 'value', value: returned };
      return await this.#withinDeadline(name, hook, Promise.resolve(returned));
    } catch (error) {
      this.#log.warn(`Hook ${name} of '${hook.owner}' failed.`, { error: describeThrown(error) });
      return { kind: 'failed', why: `failed (${describeThrown(error)})` };
    }
  }

  async #withinDeadline(name: string, hook: Registered, running: Promise<unknown>): Promise<Answer> {
    const deadlineMs = this.#deadlineMs();
    const late = Promise.withResolvers<Answer>();
    let hung = false;
    const cancel = this.#clock.after(deadlineMs, () => {
      hung = true;
      hook.abandoned += 1;
      hook.suppressedUntil = this.#clock.now() + SUPPRESSED_MS;
      this.#log.warn(`Hook ${name} of '${hook.owner}' did not answer within ${String(deadlineMs / 1_000)} s; it is left alone for a minute.`);
      late.resolve({ kind: 'failed', why: `did not answer within ${String(deadlineMs / 1_000)} s` });
    });
    const settled = running.then(
      (value): Answer => ({ kind: 'value', value }),
      (error: unknown): Answer => {
        this.#log.warn(`Hook ${name} of '${hook.owner}' failed.`, { error: describeThrown(error) });
        return { kind: 'failed', why: `failed (${describeThrown(error)})` };
      },
    ).finally(() => {
      cancel();
      if (hung) hook.abandoned -= 1;
    });
    return Promise.race([settled, late.promise]);
  }
}
