/** The variables of a line with a way back, so that what may or may not happen can be walked and then weighed. */
import { HOME, type Substitution, UNKNOWN } from './text.ts';

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
  /** Programs that the line starts see it too. */
  readonly exported: boolean;
  /** When it was set, counted in assignments. */
  readonly serial: number;
}

/** A value that only the running shell knows. */
export const UNKNOWN_VALUE: Value = { text: UNKNOWN, substitutions: [] };

/** More alternatives than this for one variable and it counts as unknown. */
const MAX_VALUES = 8;

/** The given values once each; an unknown one stands for those that are too many. */
export function bounded(values: readonly Value[]): readonly Value[] {
  const kept: Value[] = [];
  for (const value of values) {
    if (kept.some((other) => other.text === value.text)) continue;
    if (kept.length >= MAX_VALUES) return [...kept, UNKNOWN_VALUE];
    kept.push(value);
  }
  return kept;
}

/** What was read at a time when it still held the value from before a loop. */
interface Watch {
  readonly since: number;
  readonly early: Set<string>;
}

/** What a stretch of the line left behind, taken back out of the store. */
export interface Outcome {
  readonly changed: ReadonlyMap<string, Variable | undefined>;
  readonly directory: string | undefined;
  /** Variables that were read before the stretch changed them. */
  readonly early: ReadonlySet<string>;
}

export class Store {
  readonly environment: ReadonlyMap<string, string>;
  readonly variables = new Map<string, Variable>();
  /** Where `cd` has led, when that is known. */
  directory: string | undefined;
  private readonly references = new Map<string, string>();
  private readonly past = new Map<string, readonly Value[]>();
  private readonly log: { readonly name: string; readonly before: Variable | undefined }[] = [];
  private readonly watches: Watch[] = [];
  private counted = 0;

  constructor(environment: ReadonlyMap<string, string>) {
    this.environment = environment;
    this.directory = environment.get('PWD');
  }

  /** Assignments so far. */
  get serial(): number {
    return this.counted;
  }

  get(name: string): Variable | undefined {
    const own = this.references.get(name) ?? name;
    const variable = this.variables.get(own);
    for (const watch of this.watches) if ((variable?.serial ?? 0) <= watch.since) watch.early.add(own);
    return variable;
  }

  set(name: string, variable: Omit<Variable, 'serial'>): void {
    const own = this.references.get(name) ?? name;
    this.log.push({ name: own, before: this.variables.get(own) });
    this.variables.set(own, { ...variable, serial: ++this.counted });
    this.past.set(own, bounded([...(this.past.get(own) ?? []), ...variable.values]));
  }

  /** `declare -n name=target`: both names mean the target from here on. */
  refer(name: string, target: string): void {
    if (name !== target) this.references.set(name, this.references.get(target) ?? target);
  }

  /** What a variable holds that the line has not set. */
  outside(name: string): Value {
    if (name === 'HOME') return { text: HOME, substitutions: [] };
    if (name === 'SHELL' || name === 'BASH') return { text: 'bash', substitutions: [] };
    if (name === 'HERMES_HOME') return { text: `${HOME}/.hermes`, substitutions: [] };
    // PowerShell's own script at every start.
    if (name.toLowerCase() === 'profile') return { text: `${HOME}/Documents/PowerShell/profile.ps1`, substitutions: [] };
    const text = this.environment.get(name);
    return text === undefined ? UNKNOWN_VALUE : { text, substitutions: [] };
  }

  /** Runs `walk` and undoes what it did to the variables and the directory. */
  attempt(walk: () => void): Outcome {
    const from = this.log.length;
    const { directory } = this;
    const watch: Watch = { since: this.counted, early: new Set() };
    this.watches.push(watch);
    walk();
    this.watches.pop();
    const changed = new Map(this.log.slice(from).map(({ name }) => [name, this.variables.get(name)]));
    const outcome: Outcome = { changed, directory: this.directory, early: watch.early };
    for (let index = this.log.length - 1; index >= from; index--) {
      const entry = this.log[index];
      if (entry === undefined) continue;
      if (entry.before === undefined) this.variables.delete(entry.name);
      else this.variables.set(entry.name, entry.before);
    }
    this.log.length = from;
    this.directory = directory;
    return outcome;
  }

  /** Goes on as if any one of the outcomes had happened; answers the names whose value this changed. */
  merge(outcomes: readonly Outcome[]): Set<string> {
    const names = new Set(outcomes.flatMap((outcome) => [...outcome.changed.keys()]));
    const changed = new Set<string>();
    for (const name of names) {
      const base = this.variables.get(name);
      const held = new Set(outcomes.map((outcome) => (outcome.changed.has(name) ? outcome.changed.get(name) : base)));
      const merged = this.union(name, [...held]);
      if (!same(merged, base)) changed.add(name);
      this.set(name, merged);
    }
    this.directory = this.nearestRoot(outcomes.map((outcome) => outcome.directory));
    return changed;
  }

  /** Every variable holds any of the values that it ever had. */
  mergePast(): void {
    for (const [name, values] of this.past) this.set(name, { values, exported: this.variables.get(name)?.exported ?? false });
  }

  private union(name: string, held: readonly (Variable | undefined)[]): Omit<Variable, 'serial'> {
    const [first] = held;
    if (held.length === 1 && first !== undefined) return first;
    const exported = held.every((variable) => variable?.exported === true);
    const isArray = held.some((variable) => variable?.elements !== undefined);
    const values = bounded([...held.flatMap((variable) => variable?.values ?? [this.outside(name)]), ...(isArray ? [UNKNOWN_VALUE] : [])]);
    return { values, exported };
  }

  /** Of several places where the line may stand, the one where a wrong delete costs most. */
  private nearestRoot(places: readonly (string | undefined)[]): string | undefined {
    const known = places.filter((place) => place !== undefined);
    const depth = (place: string): number => place.split('/').filter((piece) => piece !== '' && piece !== '.').length;
    return known.toSorted((one, other) => depth(one) - depth(other))[0];
  }
}

function same(one: Omit<Variable, 'serial'>, other: Variable | undefined): boolean {
  return other !== undefined && one.values.length === other.values.length && one.values.every((value, index) => value.text === other.values[index]?.text) && one.elements?.length === other.elements?.length;
}
