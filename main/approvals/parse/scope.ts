/** What one line says about its own variables and functions. Flow is followed loosely: a value that may hold is kept. */
import type { Function as FunctionNode } from 'unbash';
import type { Source, Substitution } from './text.ts';

/** A value as the line spells it; markers stand for what is not known. */
export interface Value {
  readonly text: string;
  readonly substitutions: readonly Substitution[];
  /** Made from a word with unquoted glob characters, as array elements and arguments can be. */
  readonly glob?: boolean;
}

export interface Variable {
  /** Every value that the variable may hold at this place. */
  readonly values: readonly Value[];
  /** Set when it was assigned as an array. */
  readonly elements?: readonly Value[];
}

export interface Routine {
  readonly node: FunctionNode;
  readonly source: Source;
  called: boolean;
  /** Nested calls being walked now; stops recursion. */
  active: number;
}

/** More alternatives than this for one variable and it counts as unknown. */
const MAX_VALUES = 8;

export class Scope {
  readonly variables: Map<string, Variable>;
  readonly routines: Map<string, Routine>;
  readonly aliases: Map<string, string>;
  /** `$1`…; undefined when the caller's arguments are not known. */
  positional: readonly Value[] | undefined;
  directory: string | undefined;

  constructor(parent?: Scope) {
    this.variables = parent?.variables ?? new Map<string, Variable>();
    this.routines = parent?.routines ?? new Map<string, Routine>();
    this.aliases = parent?.aliases ?? new Map<string, string>();
    this.positional = parent?.positional;
    this.directory = parent?.directory;
  }

  /** The same variables seen with other arguments. */
  withPositional(positional: readonly Value[] | undefined): Scope {
    const scope = new Scope(this);
    scope.positional = positional;
    return scope;
  }

  /** Records an assignment. `maybe` keeps the earlier values, for branches, loops and lists that may not run. */
  assign(name: string, values: readonly Value[], maybe: boolean, elements?: readonly Value[]): void {
    const before = maybe ? (this.variables.get(name)?.values ?? []) : [];
    const all = [...before, ...values.filter((value) => !before.some((other) => other.text === value.text))];
    const kept = all.slice(0, MAX_VALUES);
    if (all.length > MAX_VALUES) kept.push({ text: '\uE000', substitutions: [] });
    this.variables.set(name, elements === undefined ? { values: kept } : { values: kept, elements });
  }

  forget(name: string): void {
    this.variables.set(name, { values: [{ text: '\uE000', substitutions: [] }] });
  }
}
