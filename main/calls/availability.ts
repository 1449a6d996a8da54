/** Which tools can be used now (hermes-runtime 1.7): checks are asked seldom, never twice in one pass, and never for long. */
import type { CheckContext, CheckFunction, CheckReason, ToolEntry, ToolRegistry } from '../../tools/registry.ts';
import { isUncachedCheck } from '../../tools/registry.ts';
import { describeThrown } from '../../tools/result.ts';
import type { Clock, Log } from '../ports.ts';
import { isPromise } from './promise.ts';
import { isRecord, kindOf } from './schema-shape.ts';

/** Hermes' figures: an answer counts for 30 s; a failure within 60 s of a success is taken for a hiccup; 512 answers are kept. */
const VERDICT_TTL_MS = 30_000;
const FAILURE_GRACE_MS = 60_000;
const MAX_CACHED_CHECKS = 512;
/** A probe that takes longer would stall the turn. */
const CHECK_LIMIT_MS = 5_000;

export type CheckStep = CheckReason['step'] | 'check-threw' | 'check-timed-out';
export interface CheckVerdict {
  readonly available: boolean;
  /** Why not; kept also while a hiccup is forgiven. */
  readonly reason: { readonly step: CheckStep; readonly message: string; readonly fix?: string } | undefined;
  /** Epoch ms. */
  readonly checkedAt: number;
  /** Epoch ms until which the answer counts; equal to `checkedAt` when the next pass must ask again. */
  readonly validUntil: number;
}

/** One pass over tools: what was available, and until when that holds. */
export interface AvailabilityPass {
  readonly available: (entry: ToolEntry) => boolean;
  readonly verdict: (entry: ToolEntry) => CheckVerdict | undefined;
  /** Epoch ms; Infinity when no check was involved. */
  readonly validUntil: number;
}

export interface AvailabilityParts {
  readonly registry: ToolRegistry;
  readonly checks: CheckContext;
  readonly clock: Clock;
  readonly log: Log;
}

type Failure = NonNullable<CheckVerdict['reason']>;
interface Probe { readonly answer: Promise<Failure | undefined>; overdue: boolean }

const TIMED_OUT: Failure = {
  step: 'check-timed-out', message: `The check did not answer within ${String(CHECK_LIMIT_MS / 1_000)} s.`, fix: 'See whether what it asks (a daemon, a server) hangs, then check again.',
};

const FAILED = 'The check of this tool failed.';
const REASON_STEPS = ['missing-variable', 'missing-program', 'wrong-backend', 'check-failed', 'plugin-not-trusted', 'needs-sign-in'] as const satisfies readonly CheckReason['step'][];

/** Checks of plugins and of people's own files may answer anything; what is no clear yes is a no (hermes-runtime 1.7). */
function failureOf(answer: unknown): Failure | undefined {
  if (answer === undefined || answer === true) return undefined;
  if (answer === false || answer === null || answer === '') return { step: 'check-failed', message: FAILED };
  if (typeof answer === 'string') return { step: 'check-failed', message: answer };
  if (!isRecord(answer) || typeof answer['message'] !== 'string') {
    return { step: 'check-failed', message: `The check answered with ${kindOf(answer)}; true or nothing means available, false, words or {step, message} mean not.` };
  }
  const step = REASON_STEPS.find((name) => name === answer['step']) ?? 'check-failed';
  return { step, message: answer['message'] === '' ? FAILED : answer['message'], ...(typeof answer['fix'] === 'string' ? { fix: answer['fix'] } : {}) };
}

function threw(error: unknown): Failure {
  return { step: 'check-threw', message: `The check failed with ${describeThrown(error)}` };
}

export class Availability {
  readonly #parts: AvailabilityParts;
  readonly #verdicts = new Map<CheckFunction, CheckVerdict>();
  readonly #lastGood = new Map<CheckFunction, number>();
  readonly #probes = new Map<CheckFunction, Probe>();
  #revision = 0;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
  }

  /** Grows when answers were forgotten: whatever was derived from them is stale. */
  get revision(): number {
    return this.#revision;
  }

  /** Forgets all answers and successes: the person changed something or wants to know now. */
  invalidate(): void {
    this.#verdicts.clear();
    this.#lastGood.clear();
    this.#probes.clear();
    this.#revision += 1;
  }

  /** The remembered answer, if it still counts. Never asks. */
  getCachedCheckResult(check: CheckFunction): boolean | undefined {
    const verdict = this.#fresh(check);
    return verdict?.available;
  }

  #fresh(check: CheckFunction): CheckVerdict | undefined {
    const verdict = this.#verdicts.get(check);
    return verdict !== undefined && this.#parts.clock.now() < verdict.validUntil ? verdict : undefined;
  }

  /** Asks the checks behind these tools, each at most once. Synchronous in effect when every answer is remembered. */
  async pass(entries: readonly ToolEntry[]): Promise<AvailabilityPass> {
    const verdicts = new Map<CheckFunction, CheckVerdict>();
    const pending: Promise<void>[] = [];
    const asked = new Set<CheckFunction>();
    for (const { checkFn, name } of entries) {
      if (checkFn === undefined || asked.has(checkFn)) continue;
      asked.add(checkFn);
      const fresh = isUncachedCheck(checkFn) ? undefined : this.#fresh(checkFn);
      if (fresh === undefined) pending.push(this.#ask(checkFn, name).then((verdict) => { verdicts.set(checkFn, verdict); }));
      else verdicts.set(checkFn, fresh);
    }
    if (pending.length > 0) await Promise.all(pending);
    let validUntil = Number.POSITIVE_INFINITY;
    for (const verdict of verdicts.values()) validUntil = Math.min(validUntil, verdict.validUntil);
    const verdict = (entry: ToolEntry): CheckVerdict | undefined => (entry.checkFn === undefined ? undefined : verdicts.get(entry.checkFn));
    return { verdict, available: (entry) => entry.checkFn === undefined || verdict(entry)?.available === true, validUntil };
  }

  async #ask(check: CheckFunction, tool: string): Promise<CheckVerdict> {
    const revision = this.#revision;
    const failure = await this.#probe(check);
    const now = this.#parts.clock.now();
    // An answer from before everything was forgotten says nothing about what was changed since.
    if (isUncachedCheck(check) || revision !== this.#revision) return { available: failure === undefined, reason: failure, checkedAt: now, validUntil: now };
    if (failure === undefined) {
      this.#lastGood.set(check, now);
      return this.#remember(check, { available: true, reason: undefined, checkedAt: now, validUntil: now + VERDICT_TTL_MS });
    }
    const good = this.#lastGood.get(check);
    if (good !== undefined && now - good < FAILURE_GRACE_MS) {
      this.#parts.log.warn(`The check behind '${tool}' failed shortly after it had passed; its tools stay for now.`, { reason: failure.message });
      return { available: true, reason: failure, checkedAt: now, validUntil: now };
    }
    this.#parts.log.warn(`The check behind '${tool}' failed; its tools are left out.`, { reason: failure.message });
    return this.#remember(check, { available: false, reason: failure, checkedAt: now, validUntil: now + VERDICT_TTL_MS });
  }

  #remember(check: CheckFunction, verdict: CheckVerdict): CheckVerdict {
    this.#verdicts.delete(check);
    this.#verdicts.set(check, verdict);
    for (const [oldest] of this.#verdicts) {
      if (this.#verdicts.size <= MAX_CACHED_CHECKS) break;
      this.#verdicts.delete(oldest);
      this.#lastGood.delete(oldest);
    }
    return verdict;
  }

  /** One running probe per check: callers share it, and one that is overdue is not waited for again. */
  async #probe(check: CheckFunction): Promise<Failure | undefined> {
    const running = this.#probes.get(check);
    if (running?.overdue === true) return TIMED_OUT;
    return (running ?? this.#start(check)).answer;
  }

  #start(check: CheckFunction): Probe {
    let answer: PromiseLike<unknown>;
    try {
      const given: unknown = check(this.#parts.checks);
      if (!isPromise(given)) return { answer: Promise.resolve(failureOf(given)), overdue: false };
      answer = given;
    } catch (error) {
      return { answer: Promise.resolve(threw(error)), overdue: false };
    }
    const settled = Promise.resolve(answer).then(failureOf, threw);
    const late = Promise.withResolvers<Failure>();
    const probe: Probe = { answer: Promise.race([settled, late.promise]), overdue: false };
    const cancel = this.#parts.clock.after(CHECK_LIMIT_MS, () => {
      probe.overdue = true;
      late.resolve(TIMED_OUT);
    });
    this.#probes.set(check, probe);
    void settled.then(() => {
      cancel();
      if (this.#probes.get(check) === probe) this.#probes.delete(check);
    });
    return probe;
  }

  /** True when at least one tool of the toolset would be offered. `tools` defaults to those registered under its name. */
  async isToolsetAvailable(toolset: string, tools: readonly ToolEntry[] = this.#parts.registry.toolsets().get(toolset) ?? []): Promise<boolean> {
    const pass = await this.pass(tools);
    return tools.some(pass.available);
  }

  /** Toolset → whether it is available. */
  async checkToolsetRequirements(): Promise<Map<string, boolean>> {
    const pass = await this.pass(this.#parts.registry.entries());
    return new Map([...this.#parts.registry.toolsets()].map(([name, tools]) => [name, tools.some(pass.available)]));
  }

  async getAvailableToolsets(): Promise<Map<string, { available: boolean; tools: readonly string[]; description: ''; requirements: readonly string[] }>> {
    const available = await this.checkToolsetRequirements();
    return new Map([...this.#parts.registry.getToolsetRequirements()].map(([name, { tools, envVars }]) =>
      [name, { available: available.get(name) ?? false, tools, description: '', requirements: envVars }]));
  }

  /** Names of the available toolsets, and the others with what they ask for. */
  async checkToolAvailability(): Promise<{ available: string[]; unavailable: { name: string; envVars: readonly string[]; tools: readonly string[] }[] }> {
    const verdicts = await this.checkToolsetRequirements();
    const rows = [...this.#parts.registry.getToolsetRequirements().values()];
    return {
      available: rows.filter(({ name }) => verdicts.get(name) === true).map(({ name }) => name),
      unavailable: rows.filter(({ name }) => verdicts.get(name) !== true).map(({ name, envVars, tools }) => ({ name, envVars, tools })),
    };
  }
}
