/** Checks arguments against a tool's schema; `explain-arguments.ts` says what is wrong. */
import { describeThrown } from '../../tools/result.ts';
import type { Log } from '../ports.ts';
import { type Check, type Compile, loadCompiler, withinLimit } from './compile-schema.ts';
import { checkableSchema } from './dialect.ts';
import { type ArgumentProblem, Explainer, show } from './explain-arguments.ts';
import type { SchemaNode } from './schema-shape.ts';

/** More would bury the first ones. */
const MAX_PROBLEMS = 8;
/** Longer than a check may take: it comes once for a call that is wrong, and a model without words tries the same again. */
const EXPLANATION_LIMIT_MS = 1_000;

interface Compiled { readonly check: Check; readonly schema: SchemaNode }
type Arguments = Readonly<Record<string, unknown>>;

export class ArgumentValidator {
  readonly #log: Log;
  /** Null = a schema that cannot be compiled: its tool gets arguments unchecked. */
  readonly #compiled = new WeakMap<SchemaNode, Compiled | null>();
  #compiler: Promise<Compile> | undefined;
  #compile: Compile | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Loads the library ahead of the first call. */
  async warm(): Promise<void> {
    this.#compiler ??= loadCompiler();
    this.#compile = await this.#compiler;
  }

  get ready(): boolean {
    return this.#compile !== undefined;
  }

  /** Problems with the arguments, most telling first; empty when they fit. `parameters` are those of `modernSchema`. Needs `warm` to have settled. */
  check(tool: string, args: Arguments, parameters: SchemaNode): readonly ArgumentProblem[] {
    const compiled = this.#compiledFor(tool, parameters);
    if (compiled === null) return [];
    const [error] = this.#errors(tool, args, compiled);
    if (error === undefined) return [];
    const seen = new Map<string, ArgumentProblem>();
    const found = withinLimit(() => new Explainer(compiled.schema).explain(args, compiled.schema, ''), EXPLANATION_LIMIT_MS) ?? [];
    for (const problem of found) seen.set(`${problem.path}\n${problem.expected}`, problem);
    const problems = [...seen.values()].slice(0, MAX_PROBLEMS);
    return problems.length > 0 ? problems : [{ path: '', expected: `arguments that fit the schema (${error.keyword}: ${error.message ?? 'they do not'})`, got: show(args) }];
  }

  #errors(tool: string, args: Arguments, { check }: Compiled): ReturnType<Check> & object {
    try {
      const errors = check(args);
      if (errors !== undefined) return errors;
      this.#log.warn(`The arguments of tool '${tool}' could not be checked in time; they are passed on unchecked. Its schema has a pattern or a reference that takes too long.`);
    } catch (error) {
      // References in a circle that never reach a value.
      this.#log.warn(`The arguments of tool '${tool}' could not be checked; they are passed on unchecked.`, { error: describeThrown(error) });
    }
    return [];
  }

  #compiledFor(tool: string, parameters: SchemaNode): Compiled | null {
    const known = this.#compiled.get(parameters);
    if (known !== undefined || this.#compile === undefined) return known ?? null;
    let compiled: Compiled | null = null;
    try {
      // Ids of two servers may clash.
      const { $id: _id, ...schema } = checkableSchema(parameters);
      const whole: SchemaNode = { ...schema, type: 'object' };
      compiled = { schema: whole, check: this.#compile(whole) };
    } catch (error) {
      this.#log.warn(`The schema of tool '${tool}' cannot be checked against; its arguments are passed on unchecked.`, { error: describeThrown(error) });
    }
    this.#compiled.set(parameters, compiled);
    return compiled;
  }
}

/** One sentence per problem. */
export function describeProblems(tool: string, problems: readonly ArgumentProblem[]): string {
  const lines = problems.map(({ path, expected, got, did_you_mean: meant }) =>
    `${path === '' ? 'arguments' : path}: expected ${expected}, got ${got}${meant === undefined ? '' : ` (did you mean ${meant.join(' or ')}?)`}`);
  return `Invalid arguments for ${tool}: ${lines.join('; ')}. Nothing was run; call it again with corrected arguments.`;
}
