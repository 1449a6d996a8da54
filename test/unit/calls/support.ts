/** Real parts for tests of `main/calls`: a registry of its own, a clock that tests move, a context over it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createCalls, type CallsParts, type CallsRuntime } from '../../../main/calls/calls.ts';
import type { Clock, Log } from '../../../main/ports.ts';
import type { JsonValue, ReviewOutcome, ReviewRequest, ToolContext, ToolServices } from '../../../tools/context.ts';
import { ToolRegistry, type CheckContext, type ToolRegistration } from '../../../tools/registry.ts';

export class ManualClock implements Clock {
  #now = 1_700_000_000_000;
  #timers = new Map<object, { at: number; run: () => void }>();

  now = (): number => this.#now;
  monotonic = (): number => this.#now;
  after = (ms: number, run: () => void): (() => void) => {
    const key = {};
    this.#timers.set(key, { at: this.#now + ms, run });
    return () => { this.#timers.delete(key); };
  };
  get pending(): number { return this.#timers.size; }

  advance(ms: number): void {
    this.#now += ms;
    for (const [key, timer] of [...this.#timers]) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(key);
      timer.run();
    }
  }
}

export interface LogLine { readonly level: string; readonly message: string }
export function recordingLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (message: string): void => { lines.push({ level, message }); };
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-calls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A service nobody should need in this test says so when it is used. */
function absent(name: string): never {
  return new Proxy({}, { get: (_, member) => { throw new Error(`${name}.${String(member)} is not part of this test`); } }) as never; // cast: the proxy answers for every member of whatever service it stands for
}

export interface ContextOptions {
  readonly sessionId?: string;
  readonly toolCallId?: string;
  readonly signal?: AbortSignal;
  readonly enabledTools?: readonly string[];
  readonly services?: Partial<ToolServices>;
  readonly emit?: ToolContext['emit'];
  readonly cwd?: string;
  readonly home?: string;
}

export function contextOf(options: ContextOptions = {}): ToolContext {
  const home = options.home ?? '/nowhere';
  return {
    sessionId: options.sessionId ?? 'chat', taskId: 'default', toolCallId: options.toolCallId ?? 'call_1', signal: options.signal ?? new AbortController().signal,
    cwd: options.cwd ?? '/', emit: options.emit ?? (() => undefined), ...(options.enabledTools === undefined ? {} : { enabledTools: options.enabledTools }),
    services: {
      approvals: absent('approvals'), terminals: absent('terminals'), files: absent('files'), history: absent('history'), todos: absent('todos'), questions: absent('questions'),
      config: { get: () => undefined, env: () => undefined }, paths: { home, cache: join(home, 'cache'), outputs: join(home, 'desktop/outputs') },
      redact: (text) => text, log: () => undefined, ...options.services,
    },
  };
}

/** Answers every review the same way and keeps what was asked. */
export function reviewer(answer: Partial<ReviewOutcome>): { service: ToolServices['approvals']; asked: ReviewRequest[] } {
  const asked: ReviewRequest[] = [];
  return {
    asked,
    service: {
      review: (request) => { asked.push(request); return Promise.resolve({ approved: false, message: null, command: request.command, ...answer }); },
      recordExit: () => undefined,
    },
  };
}

export class ConfigTable {
  readonly values = new Map<string, JsonValue>();
  readonly environment = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  get = (path: string): JsonValue | undefined => this.values.get(path);
  env = (name: string): string | undefined => this.environment.get(name);
  onChange = (listener: () => void): (() => void) => { this.#listeners.add(listener); return () => this.#listeners.delete(listener); };
  update = (path: string, change: (current: JsonValue | undefined) => JsonValue | undefined): Promise<JsonValue | undefined> => {
    const next = change(this.values.get(path));
    this.set(path, next);
    return Promise.resolve(next);
  };
  set(path: string, value: JsonValue | undefined): void {
    if (value === undefined) this.values.delete(path);
    else this.values.set(path, value);
    for (const listener of this.#listeners) listener();
  }
}

export const noChecks: CheckContext = {
  env: () => undefined, which: () => undefined, path: '/usr/bin:/bin', backend: 'local', config: () => undefined, probeBackend: () => Promise.resolve(true),
};

export interface Bench { registry: ToolRegistry; clock: ManualClock; lines: LogLine[]; config: ConfigTable; calls: CallsRuntime; cache: string }
export function bench(options: Partial<CallsParts> = {}): Bench {
  const { log, lines } = recordingLog();
  const clock = new ManualClock();
  const registry = new ToolRegistry();
  const config = new ConfigTable();
  const cache = temporaryFolder();
  const calls = createCalls({ registry, clock, log, config, checks: noChecks, cache, ...options });
  return { registry, clock, lines, config, calls, cache };
}

export function tool(name: string, more: Partial<ToolRegistration> = {}): ToolRegistration {
  return { name, toolset: 'test', schema: { description: `Tool ${name}`, parameters: { type: 'object', properties: {} } }, handler: () => '{"ok":true}', ...more };
}

export const parsed = (result: unknown): Record<string, unknown> => JSON.parse(String(result)) as Record<string, unknown>; // cast: results of tools are JSON objects; the assertions tell
