/** What one line says about its own variables, functions and arguments, seen from one place in it. */
import type { Function as FunctionNode } from 'unbash';
import { bounded, type Outcome, type Store, UNKNOWN_VALUE, type Value, type Variable } from './store.ts';
import type { Source } from './text.ts';

export interface Routine {
  readonly node: FunctionNode;
  readonly source: Source;
  called: boolean;
  /** Nested calls being walked now; stops recursion. */
  active: number;
}

/** A shell of its own: what it does not know of the line's variables. */
export interface Foreign {
  /** Variables set up to here are the line's, not the shell's own. */
  readonly since: number;
  /** What a variable may hold there besides the line's value. */
  readonly instead: readonly Value[];
  /** Not even exported variables get there. */
  readonly cleared: boolean;
}

/** More meanings than this for one alias are not told apart. */
const MAX_MEANINGS = 8;
/** Walks of one loop body until what it carries over is called unknown. */
const MAX_ROUNDS = 3;
/** Arguments that a loop takes off one by one, each in a walk of its own. */
const MAX_SHIFTS = 9;

export class Scope {
  readonly store: Store;
  readonly routines: Map<string, Routine>;
  /** Every text that an alias was given. */
  readonly aliases: Map<string, readonly string[]>;
  /** `$1`…; undefined when the caller's arguments are not known. */
  positional: readonly Value[] | undefined;
  /** `$0` where the line says it: the word behind the script of `sh -c`. */
  self: Value | undefined;
  readonly foreign: Foreign | undefined;
  /** Names that `local` has made this function's own. */
  private readonly locals = new Map<string, Variable | undefined>();

  constructor(store: Store, parent?: Scope, foreign?: Foreign) {
    this.store = store;
    this.routines = parent?.routines ?? new Map<string, Routine>();
    this.aliases = parent?.aliases ?? new Map<string, readonly string[]>();
    this.positional = parent?.positional;
    this.self = parent?.self;
    this.foreign = foreign ?? parent?.foreign;
  }

  /** The same variables seen with other arguments. */
  withPositional(positional: readonly Value[] | undefined): Scope {
    const scope = new Scope(this.store, this);
    scope.positional = positional;
    return scope;
  }

  /** The variables as a shell of its own sees them. */
  inShell(foreign: Omit<Foreign, 'since'>): Scope {
    const inner = this.foreign === undefined ? foreign : { instead: bounded([...foreign.instead, ...this.foreign.instead]), cleared: foreign.cleared || this.foreign.cleared };
    return new Scope(this.store, this, { ...inner, since: this.store.serial });
  }

  /** The values that a variable may hold here; undefined when the line has not set it. */
  valuesOf(name: string): Pick<Variable, 'values' | 'elements'> | undefined {
    const variable = this.store.get(name);
    const { foreign } = this;
    if (variable === undefined || foreign === undefined || variable.serial > foreign.since || (variable.exported && !foreign.cleared)) return variable;
    return { values: bounded([...variable.values, ...foreign.instead]) };
  }

  assign(name: string, values: readonly Value[], elements?: readonly Value[]): void {
    const exported = this.store.variables.get(name)?.exported ?? false;
    const kept = bounded(values);
    this.store.set(name, elements === undefined ? { values: kept, exported } : { values: kept, elements, exported });
  }

  /** Adds what the variable may hold from now on. */
  assignMaybe(name: string, values: readonly Value[]): void {
    this.assign(name, [...(this.store.get(name)?.values ?? []), ...values]);
  }

  forget(name: string): void {
    this.assign(name, [UNKNOWN_VALUE]);
  }

  export(name: string, exported: boolean): void {
    const variable = this.store.get(name) ?? { values: [this.store.outside(name)] };
    this.store.set(name, { ...variable, exported });
  }

  alias(name: string, text: string): void {
    this.aliases.set(name, [...(this.aliases.get(name) ?? []).filter((other) => other !== text), text].slice(-MAX_MEANINGS));
  }

  /** `local name`: the function's caller gets its own value back. */
  keepLocal(name: string): void {
    if (!this.locals.has(name)) this.locals.set(name, this.store.variables.get(name));
  }

  /** The end of a function: what was local may hold the caller's value or, declared otherwise than it looks, the new one. */
  leave(): void {
    for (const [name, before] of this.locals) {
      const values = before?.values ?? [this.store.outside(name)];
      this.store.set(name, { values: bounded([...values, ...(this.store.variables.get(name)?.values ?? [])]), exported: before?.exported ?? false });
    }
  }

  /** Walks something whose variables and directory end with it: a subshell, a member of a pipeline. */
  isolated(walk: () => void): void {
    const { positional } = this;
    this.store.attempt(walk);
    this.positional = positional;
  }

  /** Walks things of which one happens, or none when `orNone` is set. */
  alternatives(walks: readonly (() => void)[], orNone: boolean): void {
    const { positional } = this;
    const seen: (readonly Value[] | undefined)[] = orNone ? [positional] : [];
    const outcomes = walks.map((walk) => {
      const outcome = this.store.attempt(walk);
      seen.push(this.positional);
      this.positional = positional;
      return outcome;
    });
    this.store.merge(orNone ? [...outcomes, this.unchanged()] : outcomes);
    this.positional = seen.every((each) => each === seen[0]) ? seen[0] : undefined;
  }

  /**
   * Walks what may happen any number of times, until another round finds nothing new.
   * @param walk one round; answers false when it met exactly what the round before did, which ends the loop and undoes it
   */
  repeated(walk: (round: number) => boolean): void {
    const original = this.positional;
    const rounds = MAX_ROUNDS + Math.min(original?.length ?? 0, MAX_SHIFTS);
    let isMoved = false;
    for (let round = 0; round <= rounds; round++) {
      const { positional } = this;
      const { directory } = this.store;
      const met = { isNew: true };
      const outcome = this.store.attempt(() => {
        met.isNew = walk(round);
      });
      const shifts = !sameWords(this.positional, positional);
      isMoved ||= shifts;
      if (!met.isNew && !shifts) break;
      const changed = met.isNew ? this.store.merge([outcome, this.unchanged()]) : new Set<string>();
      const carried = [...changed].filter((name) => outcome.early.has(name));
      if (carried.length === 0 && !shifts && this.store.directory === directory) break;
      if (round !== rounds - 1) continue;
      for (const name of carried) this.forget(name);
      if (isMoved) this.positional = undefined;
    }
    this.positional = isMoved ? undefined : original;
  }

  private unchanged(): Outcome {
    return { changed: new Map(), directory: this.store.directory, early: new Set() };
  }
}

function sameWords(one: readonly Value[] | undefined, other: readonly Value[] | undefined): boolean {
  return one?.length === other?.length && (one ?? []).every((value, index) => value.text === other?.[index]?.text);
}
