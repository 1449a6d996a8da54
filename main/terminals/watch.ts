/** Watch patterns of background processes: when a line matches, and when watching has become noise (hermes-runtime 5.6). */

/** One event in this time per process; what matches in between is counted. */
const WINDOW_MS = 15_000;
/** Windows in a row in which matches were dropped, after which watching ends. */
const MAX_STRIKES = 3;
const MAX_DELIVERED = 8;
const MAX_LINES = 20;
const MAX_CHARS = 2_000;
/** Over all processes: more events than this in this time, and all are silent for a while. */
const BREAKER_EVENTS = 15;
const BREAKER_WINDOW_MS = 10_000;
const BREAKER_SILENCE_MS = 30_000;
/** A line without an end is matched up to here: a progress bar must not grow without bound. */
const MAX_LINE_CHARS = 8_192;

export type WatchEvent =
  | { readonly kind: 'match'; readonly pattern: string; readonly lines: readonly string[]; readonly suppressed: number }
  | { readonly kind: 'disabled'; readonly reason: string };

/** Shared by all watchers of a host. `now` in milliseconds. */
export class WatchBreaker {
  #recent: number[] = [];
  #silentUntil = 0;
  #dropped = 0;

  /** `pass`, or why not; `tripped` is answered once at the beginning of a silence. */
  ask(now: number): 'pass' | 'tripped' | 'silent' {
    if (now < this.#silentUntil) {
      this.#dropped += 1;
      return 'silent';
    }
    this.#recent = this.#recent.filter((at) => now - at < BREAKER_WINDOW_MS);
    this.#recent.push(now);
    if (this.#recent.length <= BREAKER_EVENTS) return 'pass';
    this.#silentUntil = now + BREAKER_SILENCE_MS;
    this.#recent = [];
    this.#dropped = 1;
    return 'tripped';
  }

  /** How many events the silence swallowed, once, after it has ended; undefined otherwise. */
  released(now: number): number | undefined {
    if (this.#silentUntil === 0 || now < this.#silentUntil) return undefined;
    this.#silentUntil = 0;
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  static readonly silenceMs = BREAKER_SILENCE_MS;
}

export class Watcher {
  readonly patterns: readonly string[];
  #rest = '';
  #lastEventAt = Number.NEGATIVE_INFINITY;
  #suppressed = 0;
  #droppedInWindow = false;
  #strikes = 0;
  #delivered = 0;
  #off = false;

  constructor(patterns: readonly string[]) {
    this.patterns = patterns.filter((pattern) => pattern !== '');
    this.#off = this.patterns.length === 0;
  }

  get active(): boolean {
    return !this.#off;
  }

  get hit(): boolean {
    return this.#delivered > 0;
  }

  /** Decoded output; events that it causes. A line matches at most one pattern: the first in order. */
  push(text: string, now: number): WatchEvent[] {
    if (this.#off) return [];
    const pieces = (this.#rest + text).split('\n');
    this.#rest = (pieces.pop() ?? '').slice(-MAX_LINE_CHARS);
    const hits = pieces.flatMap((line) => {
      const pattern = this.patterns.find((candidate) => line.includes(candidate));
      return pattern === undefined ? [] : [{ pattern, line: line.replace(/\r$/, '') }];
    });
    const [first] = hits;
    if (first === undefined) return [];
    if (now - this.#lastEventAt < WINDOW_MS) {
      this.#suppressed += hits.length;
      this.#droppedInWindow = true;
      return [];
    }
    return this.#deliver(first.pattern, hits.map((hit) => hit.line), now);
  }

  #deliver(pattern: string, lines: readonly string[], now: number): WatchEvent[] {
    this.#strikes = this.#droppedInWindow ? this.#strikes + 1 : 0;
    this.#droppedInWindow = false;
    if (this.#strikes >= MAX_STRIKES) return [this.#disable(`matches came faster than one per ${WINDOW_MS / 1_000} s, ${MAX_STRIKES} times in a row`)];
    const shown: string[] = [];
    let chars = 0;
    for (const line of lines.slice(0, MAX_LINES)) {
      const room = MAX_CHARS - chars;
      if (room <= 0) break;
      shown.push(line.slice(0, room));
      chars += line.length + 1;
    }
    const suppressed = this.#suppressed + lines.length - shown.length;
    this.#suppressed = 0;
    this.#lastEventAt = now;
    this.#delivered += 1;
    const event: WatchEvent = { kind: 'match', pattern, lines: shown, suppressed };
    return this.#delivered >= MAX_DELIVERED ? [event, this.#disable(`${MAX_DELIVERED} matches were delivered`)] : [event];
  }

  #disable(reason: string): WatchEvent {
    this.#off = true;
    return { kind: 'disabled', reason };
  }

  /** After the process's end nothing is told any more. */
  stop(): void {
    this.#off = true;
  }
}
