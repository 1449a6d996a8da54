/** Bounds on the work of one walk; over them nothing more is read and the line is refused. */
import type { Problem } from './model.ts';

/** Commands in one line before the walk gives up and the line is refused; about 20 µs each, within the 50 ms of design 6. */
const MAX_COMMANDS = 1_000;
/** Scripts inside scripts, wrappers around wrappers. */
const MAX_DEPTH = 40;
/** Characters parsed again inside substitutions and payloads, in all; nested text is read once per level. */
const MAX_NESTED_CHARS = 250_000;
/** Times that a line with errors is read on behind one. */
const MAX_RESUMED = 5;
/** Loops inside loops; each level is walked more than once. */
const MAX_LOOPS = 12;
/** Arguments of all commands together. */
const MAX_FIELDS = 20_000;

export class Budget {
  /** A bound was passed: nothing more is read, the line is refused. */
  stopped = false;
  private readonly problems: Problem[];
  private nestedChars = 0;
  private fields = 0;
  private resumed = 0;
  private loops = 0;
  private added = 0;

  constructor(problems: Problem[]) {
    this.problems = problems;
  }

  /** Counts a command; false when there are too many. */
  command(start: number, end: number): boolean {
    if (++this.added > MAX_COMMANDS) this.limit('too many commands', start, end);
    return !this.stopped;
  }

  /** Text seen again is charged; over the limit the rest stays unread and the line is refused. */
  nested(chars: number, start: number, end: number): boolean {
    this.nestedChars += chars;
    if (this.nestedChars > MAX_NESTED_CHARS) this.limit('too much nested or repeated text to read', start, end);
    return !this.stopped;
  }

  /** Arguments made by expansion are counted; false when there are too many. */
  arguments(count: number): boolean {
    this.fields += count;
    if (this.fields > MAX_FIELDS) this.limit('too many arguments', 0, 0);
    return !this.stopped;
  }

  /** Whether something may stand this deep inside wrappers and scripts. */
  deeper(depth: number, start: number, end: number): boolean {
    if (depth >= MAX_DEPTH) this.limit('commands nested too deeply', start, end);
    return !this.stopped;
  }

  /** Walks a loop, or refuses it when too many stand around it. */
  loop(walk: () => void): void {
    if (this.loops >= MAX_LOOPS) this.limit('loops nested too deeply', 0, 0);
    if (this.stopped) return;
    this.loops++;
    walk();
    this.loops--;
  }

  /** Whether to read on behind one more error. */
  resume(): boolean {
    return ++this.resumed <= MAX_RESUMED;
  }

  private limit(message: string, start: number, end: number): void {
    this.stopped = true;
    if (!this.problems.some((problem) => problem.kind === 'limit')) this.problems.push({ kind: 'limit', message, start, end });
  }
}
