/** Checks arguments against a tool's schema and says what is wrong in words a model can act on. */
import type { ErrorObject } from 'ajv';
import type { Log } from '../ports.ts';
import { loadCompiler, type Check, type Compile } from './compile-schema.ts';
import { nearestNames } from './nearest.ts';
import { isRecord, kindOf, own, ownRecord, type SchemaNode } from './schema-shape.ts';

export interface ArgumentProblem {
  /** `todos[0].status`; empty for the arguments as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  readonly allowed?: readonly unknown[];
  readonly did_you_mean?: readonly string[];
}

/** More would bury the first ones. */
const MAX_PROBLEMS = 8;
const MAX_SHOWN_CHARS = 80;

function pathOf(pointer: string): string {
  return pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');
}

function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  const cut = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  return kindOf(value) === 'null' ? cut : `${kindOf(value)} ${cut}`;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function problemOf(error: ErrorObject): ArgumentProblem {
  const path = pathOf(error.instancePath);
  const parent: SchemaNode = isRecord(error.parentSchema) ? error.parentSchema : {};
  const properties = Object.keys(ownRecord(parent, 'properties') ?? {});
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case 'required': {
      const name = String(params['missingProperty']);
      const sent = isRecord(error.data) ? Object.keys(error.data).filter((key) => !properties.includes(key)) : [];
      const meant = nearestNames(name, sent, 1);
      const node = ownRecord(ownRecord(parent, 'properties') ?? {}, name);
      return {
        path: join(path, name), expected: `${typeWords(node)} (required)`,
        got: meant[0] === undefined ? 'nothing' : `nothing; '${meant[0]}' was sent instead`,
        ...(meant.length > 0 ? { did_you_mean: [name] } : {}),
      };
    }
    case 'additionalProperties': case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const meant = nearestNames(name, properties);
      return { path: join(path, name), expected: `one of the known names: ${properties.join(', ')}`, got: 'an unknown name', ...(meant.length > 0 ? { did_you_mean: meant } : {}) };
    }
    case 'enum': {
      const allowed = Array.isArray(params['allowedValues']) ? params['allowedValues'] as unknown[] : []; // narrowed by the condition
      const meant = typeof error.data === 'string' ? nearestNames(error.data, allowed.filter((value) => typeof value === 'string')) : [];
      return { path, expected: `one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`, got: show(error.data), allowed, ...(meant.length > 0 ? { did_you_mean: meant } : {}) };
    }
    case 'const': return { path, expected: JSON.stringify(params['allowedValue']), got: show(error.data), allowed: [params['allowedValue']] };
    case 'type': return { path, expected: typeWords({ type: params['type'] }), got: show(error.data) };
    case 'anyOf': case 'oneOf': return { path, expected: alternatives(parent, error.keyword), got: show(error.data) };
    default: return { path, expected: error.message?.replace(/^must /, '') ?? error.keyword, got: show(error.data) };
  }
}

function typeWords(node: SchemaNode | undefined): string {
  const type = node === undefined ? undefined : own(node, 'type');
  if (typeof type === 'string') return type;
  return Array.isArray(type) ? type.join(' or ') : 'a value';
}

function alternatives(schema: SchemaNode, keyword: string): string {
  const branches = own(schema, keyword);
  const kinds = Array.isArray(branches) ? branches.filter(isRecord).map((branch) => typeWords(branch)) : [];
  return [...new Set(kinds)].join(' or ') || 'one of the alternatives';
}

/** Errors inside alternatives repeat what the anyOf itself says. */
function telling(errors: readonly ErrorObject[]): ErrorObject[] {
  const groups = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  return errors.filter((error) => !['if', 'not'].includes(error.keyword)
    && !groups.some((group) => error !== group && error.schemaPath.startsWith(group.schemaPath)));
}

export class ArgumentValidator {
  readonly #log: Log;
  /** Undefined = a schema that cannot be compiled: its tool gets arguments unchecked. */
  readonly #compiled = new WeakMap<SchemaNode, Check | null>();
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

  /** Problems with the arguments, most telling first; empty when they fit. Needs `warm` to have settled. */
  check(tool: string, args: Readonly<Record<string, unknown>>, parameters: SchemaNode): readonly ArgumentProblem[] {
    const validate = this.#validatorFor(tool, parameters);
    const errors = validate?.(args);
    if (errors === undefined && validate !== null) this.#log.warn(`The arguments of tool '${tool}' could not be checked in time; they are passed on unchecked. Its schema has a pattern or a reference that takes too long.`);
    if (errors === undefined || errors.length === 0) return [];
    const seen = new Map<string, ArgumentProblem>();
    for (const error of telling(errors)) {
      const problem = problemOf(error);
      const key = `${problem.path}\n${problem.expected}`;
      if (!seen.has(key)) seen.set(key, problem);
      if (seen.size >= MAX_PROBLEMS) break;
    }
    return [...seen.values()];
  }

  #validatorFor(tool: string, parameters: SchemaNode): Check | null {
    const known = this.#compiled.get(parameters);
    if (known !== undefined || this.#compile === undefined) return known ?? null;
    let compiled: Check | null = null;
    try {
      // The dialect line of foreign schemas names meta-schemas that are not loaded; ids of two servers may clash.
      const { $schema: _dialect, $id: _id, ...schema } = parameters;
      compiled = this.#compile({ ...schema, type: 'object' });
    } catch (error) {
      this.#log.warn(`The schema of tool '${tool}' cannot be checked against; its arguments are passed on unchecked.`, { error: String(error) });
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
