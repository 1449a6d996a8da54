/**
 * What is wrong with a call's arguments, in words a model can act on: the place, what is expected there, what came, and what
 * was probably meant. Asked only after a check has failed; where this knows no reason, it says nothing.
 */
import { nearestNames } from './nearest.ts';
import { DECIMALS } from './compile-schema.ts';
import { patternOf } from './patterns.ts';
import { branchesOf, followRef, isRecord, kindOf, own, ownRecord, type SchemaNode, typesOf } from './schema-shape.ts';

export interface ArgumentProblem {
  /** `todos[0].status`; empty for the arguments as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  readonly allowed?: readonly unknown[];
  readonly did_you_mean?: readonly string[];
}

const MAX_SHOWN_CHARS = 80;
/** Of a longer list the nearest are shown: the model has the schema. */
const MAX_SHOWN_VALUES = 24;
/** Nodes looked at for one answer; alternatives within alternatives multiply. */
const MAX_STEPS = 4_000;
const DEEPEST = 128;

type Values = Readonly<Record<string, unknown>>;

export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  const cut = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  return kindOf(value) === 'null' ? cut : `${kindOf(value)} ${cut}`;
}

const sameValue = (a: unknown, b: unknown): boolean => a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
const plural = (count: unknown, word: string): string => `${String(count)} ${word}${count === 1 ? '' : 's'}`;
const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const characters = (text: string): number => [...text].length;

function fitsType(value: unknown, type: string): boolean {
  const kind = kindOf(value);
  return kind === type || (kind === 'integer' && type === 'number');
}

function meant(names: readonly string[]): { readonly did_you_mean?: readonly string[] } {
  return names.length > 0 ? { did_you_mean: names } : {};
}

function oneOf(path: string, value: unknown, allowed: readonly unknown[]): ArgumentProblem {
  const words = allowed.filter((each) => typeof each === 'string');
  const near = typeof value === 'string' ? nearestNames(value, words) : [];
  const shown = allowed.length <= MAX_SHOWN_VALUES ? allowed : [...near, ...allowed.filter((each) => !near.some((name) => name === each))].slice(0, MAX_SHOWN_VALUES);
  const more = allowed.length - shown.length;
  return {
    path, expected: `${allowed.length === 1 ? '' : 'one of '}${shown.map((each) => JSON.stringify(each)).join(', ')}${more > 0 ? ` or ${String(more)} others` : ''}`,
    got: show(value), allowed: shown, ...meant(near),
  };
}

export class Explainer {
  readonly #root: SchemaNode;
  #steps = 0;
  #depth = 0;

  constructor(root: SchemaNode) {
    this.#root = root;
  }

  /** Problems of a value under a node of the schema, in the order in which they stand in it. */
  explain(value: unknown, schema: unknown, path: string): ArgumentProblem[] {
    if (schema === false) return [{ path, expected: 'nothing here', got: show(value) }];
    if (!isRecord(schema) || this.#depth >= DEEPEST || (this.#steps += 1) > MAX_STEPS) return [];
    this.#depth += 1;
    const problems = this.#under(value, schema, path);
    this.#depth -= 1;
    return problems;
  }

  #under(value: unknown, schema: SchemaNode, path: string): ArgumentProblem[] {
    const types = typesOf(schema);
    if (types.length > 0 && !types.some((type) => fitsType(value, type))) return [{ path, expected: types.join(' or '), got: show(value) }];
    return [
      ...this.#behindReference(value, schema, path), ...values(value, schema, path),
      ...typeof value === 'number' ? numbers(value, schema, path) : typeof value === 'string' ? texts(value, schema, path) : [],
      ...Array.isArray(value) ? this.#items(value, schema, path) : isRecord(value) ? this.#members(value, schema, path) : [],
      ...this.#combined(value, schema, path),
    ];
  }

  #fits(value: unknown, schema: unknown): boolean {
    return this.explain(value, schema, '').length === 0;
  }

  #behindReference(value: unknown, schema: SchemaNode, path: string): ArgumentProblem[] {
    return own(schema, '$ref') === undefined ? [] : this.explain(value, followRef(schema, this.#root), path);
  }

  #items(list: readonly unknown[], schema: SchemaNode, path: string): ArgumentProblem[] {
    const problems: ArgumentProblem[] = [];
    const { minItems, maxItems } = schema;
    if (typeof minItems === 'number' && list.length < minItems) problems.push({ path, expected: `at least ${plural(minItems, 'item')}`, got: show(list) });
    if (typeof maxItems === 'number' && list.length > maxItems) problems.push({ path, expected: `at most ${plural(maxItems, 'item')}`, got: plural(list.length, 'item') });
    const twice = schema['uniqueItems'] === true ? list.findIndex((item, index) => list.slice(0, index).some((other) => sameValue(item, other))) : -1;
    if (twice >= 0) problems.push({ path: `${path}[${String(twice)}]`, expected: 'no item twice', got: `${show(list[twice])} again` });
    if (own(schema, 'contains') !== undefined && schema['minContains'] !== 0 && !list.some((item) => this.#fits(item, schema['contains']))) problems.push({ path, expected: `an item that is ${this.words(schema['contains'])}`, got: show(list) });
    const places = own(schema, 'prefixItems');
    for (const [index, item] of list.entries()) {
      const place: unknown = Array.isArray(places) && index < places.length ? places[index] : own(schema, 'items');
      if (place !== undefined) problems.push(...this.explain(item, place, `${path}[${String(index)}]`));
    }
    return problems;
  }

  #members(record: Values, schema: SchemaNode, path: string): ArgumentProblem[] {
    const problems: ArgumentProblem[] = [];
    const properties = ownRecord(schema, 'properties') ?? {};
    const patterns = Object.entries(ownRecord(schema, 'patternProperties') ?? {});
    const required = own(schema, 'required');
    const needs = new Set(Array.isArray(required) ? required.map(String) : []);
    for (const [name, others] of Object.entries(ownRecord(schema, 'dependentRequired') ?? {})) {
      if (Object.hasOwn(record, name) && Array.isArray(others)) for (const other of others) needs.add(String(other));
    }
    for (const name of needs) if (!Object.hasOwn(record, name)) problems.push(this.#missing(name, record, properties, path));
    const names = Object.keys(record);
    const { minProperties, maxProperties } = schema;
    if (typeof minProperties === 'number' && names.length < minProperties) problems.push({ path, expected: `at least ${plural(minProperties, 'member')}`, got: show(record) });
    if (typeof maxProperties === 'number' && names.length > maxProperties) problems.push({ path, expected: `at most ${plural(maxProperties, 'member')}`, got: plural(names.length, 'member') });
    for (const name of names) {
      const place = joined(path, name);
      const known = Object.hasOwn(properties, name);
      if (own(schema, 'propertyNames') !== undefined) for (const { expected } of this.explain(name, schema['propertyNames'], place)) problems.push({ path: place, expected: `a name that is ${expected}`, got: show(name) });
      if (known) problems.push(...this.explain(record[name], properties[name], place));
      const fitting = patterns.filter(([pattern]) => patternOf(pattern).test(name));
      for (const [, node] of fitting) problems.push(...this.explain(record[name], node, place));
      if (known || fitting.length > 0) continue;
      const others = own(schema, 'additionalProperties');
      if (others === false) problems.push(unknownName(name, Object.keys(properties), place));
      else if (others !== undefined) problems.push(...this.explain(record[name], others, place));
    }
    return problems;
  }

  #missing(name: string, record: Values, properties: SchemaNode, path: string): ArgumentProblem {
    const sent = Object.keys(record).filter((key) => !Object.hasOwn(properties, key));
    const [other] = Object.hasOwn(properties, name) ? nearestNames(name, sent, 1) : [];
    return {
      path: joined(path, name), expected: `${this.words(properties[name])} (required)`,
      got: other === undefined ? 'nothing' : `nothing; '${other}' was sent instead`, ...meant(other === undefined ? [] : [name]),
    };
  }

  #combined(value: unknown, schema: SchemaNode, path: string): ArgumentProblem[] {
    const problems = branchesOf(schema, ['allOf']).flatMap((part) => this.explain(value, part, path));
    for (const key of ['anyOf', 'oneOf'] as const) {
      const branches = branchesOf(schema, [key]);
      if (branches.length > 0) problems.push(...this.#alternatives(value, branches, key === 'oneOf', path));
    }
    if (own(schema, 'not') !== undefined && this.#fits(value, schema['not'])) problems.push({ path, expected: `not ${this.words(schema['not'])}`, got: show(value) });
    if (own(schema, 'if') !== undefined) problems.push(...this.explain(value, schema[this.#fits(value, schema['if']) ? 'then' : 'else'], path));
    for (const [name, node] of Object.entries(ownRecord(schema, 'dependentSchemas') ?? {})) {
      if (isRecord(value) && Object.hasOwn(value, name)) problems.push(...this.explain(value, node, path));
    }
    return problems;
  }

  #alternatives(value: unknown, branches: readonly SchemaNode[], exactlyOne: boolean, path: string): ArgumentProblem[] {
    const tried = branches.map((branch) => ({ branch, problems: this.explain(value, branch, path) }));
    const fitting = tried.filter(({ problems }) => problems.length === 0);
    if (fitting.length > 0) {
      return exactlyOne && fitting.length > 1
        ? [{ path, expected: `exactly one of: ${branches.map((branch) => this.words(branch)).join('; ')}`, got: `${show(value)}, which fits ${String(fitting.length)} of them` }] : [];
    }
    // An alternative of the right kind whose fixed values (`kind: {const: …}`) are there is the one that was meant.
    const near = tried.filter(({ problems }) => !problems.some((problem) => problem.path === path));
    if (near.length === 0) return [{ path, expected: [...new Set(branches.map((branch) => this.words(branch)))].join(' or '), got: show(value) }];
    const told = near.filter(({ problems }) => !problems.some((problem) => problem.allowed !== undefined));
    if (told.length === 0) return this.#noneTold(near.flatMap(({ problems }) => problems), value);
    const fewest = Math.min(...told.map(({ problems }) => problems.length));
    const nearest = told.filter(({ problems }) => problems.length === fewest);
    const ways = [...new Set(nearest.map(({ branch }) => this.words(branch)))];
    return ways.length > 1 ? [{ path, expected: ways.join(' or '), got: show(value) }] : nearest[0]?.problems ?? [];
  }

  /** No alternative's fixed values were sent: what they are, together, where they differ. */
  #noneTold(problems: readonly ArgumentProblem[], value: unknown): ArgumentProblem[] {
    const first = problems.find(({ allowed }) => allowed !== undefined);
    const same = problems.filter(({ allowed, path }) => allowed !== undefined && path === first?.path);
    if (first === undefined || same.length === 1) return first === undefined ? [] : [first];
    const { got, ...rest } = oneOf(first.path, value, [...new Set(same.flatMap(({ allowed }) => allowed ?? []))]);
    const near = [...new Set(same.flatMap(({ did_you_mean: names }) => names ?? []))];
    return [{ ...rest, got: first.got === '' ? got : first.got, ...meant(near) }];
  }

  /** A node in a few words: `string`, `one of "a", "b"`, `an object with path and mode`. */
  words(given: unknown, depth = 0): string {
    const schema = isRecord(given) ? followRef(given, this.#root) : undefined;
    if (schema === undefined || depth > 3) return 'a value';
    const fixed = own(schema, 'enum') ?? (Object.hasOwn(schema, 'const') ? [schema['const']] : undefined);
    if (Array.isArray(fixed)) return oneOf('', undefined, fixed).expected;
    const types = typesOf(schema);
    const required = own(schema, 'required');
    const names = Array.isArray(required) ? required.map(String).join(' and ') : '';
    if (names !== '' && (types.length === 0 || types.includes('object'))) return `${types.length > 1 ? types.join(' or ') : 'an object'} with ${names}`;
    if (types.length > 0) return types.join(' or ');
    const branches = branchesOf(schema, ['anyOf', 'oneOf']);
    return branches.length === 0 ? 'a value' : [...new Set(branches.map((branch) => this.words(branch, depth + 1)))].join(' or ');
  }
}

function values(value: unknown, schema: SchemaNode, path: string): ArgumentProblem[] {
  const allowed = Object.hasOwn(schema, 'const') ? [schema['const']] : own(schema, 'enum');
  return Array.isArray(allowed) && !allowed.some((each) => sameValue(each, value)) ? [oneOf(path, value, allowed)] : [];
}

function numbers(value: number, schema: SchemaNode, path: string): ArgumentProblem[] {
  const bounds = ([['minimum', '>=', (limit: number) => value >= limit], ['maximum', '<=', (limit: number) => value <= limit], ['exclusiveMinimum', '>', (limit: number) => value > limit], ['exclusiveMaximum', '<', (limit: number) => value < limit]] as const)
    .flatMap(([key, sign, fits]) => (typeof schema[key] === 'number' ? [{ words: `${sign} ${String(schema[key])}`, fits: fits(schema[key]) }] : []));
  const problems: ArgumentProblem[] = bounds.every(({ fits }) => fits) ? [] : [{ path, expected: `a number ${bounds.map(({ words }) => words).join(' and ')}`, got: show(value) }];
  const { multipleOf } = schema;
  if (typeof multipleOf === 'number' && multipleOf > 0 && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 10 ** -DECIMALS) problems.push({ path, expected: `a multiple of ${String(multipleOf)}`, got: show(value) });
  return problems;
}

function texts(value: string, schema: SchemaNode, path: string): ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number' && characters(value) < minLength) problems.push({ path, expected: `text of at least ${plural(minLength, 'character')}`, got: show(value) });
  if (typeof maxLength === 'number' && characters(value) > maxLength) problems.push({ path, expected: `text of at most ${plural(maxLength, 'character')}`, got: plural(characters(value), 'character') });
  if (typeof pattern === 'string' && !patternOf(pattern).test(value)) problems.push({ path, expected: `text that matches ${pattern}`, got: show(value) });
  return problems;
}

function unknownName(name: string, known: readonly string[], path: string): ArgumentProblem {
  const expected = known.length === 0 ? 'no arguments here' : `one of the known names: ${known.slice(0, MAX_SHOWN_VALUES).join(', ')}${known.length > MAX_SHOWN_VALUES ? ', …' : ''}`;
  return { path, expected, got: 'an unknown name', ...meant(nearestNames(name, known)) };
}
