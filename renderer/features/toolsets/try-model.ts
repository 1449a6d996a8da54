/** From a tool's JSON schema to the fields of a form, and from what was typed to its arguments. Pure. */

export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'lines' | 'json';

export interface TryField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description: string;
  /** Of a choice, as JSON texts. */
  readonly options: readonly string[];
  /** What stands in it at first; empty = left out of the call. */
  readonly initial: string;
  /** Stands in a field of JSON or of a list until something is typed: the shape that the schema wants. */
  readonly shape: string;
}

type Schema = Readonly<Record<string, unknown>>;
export type Typed = Readonly<Record<string, string>>;
export type TriedArguments = { readonly kind: 'ok'; readonly args: Record<string, unknown> } | { readonly kind: 'bad'; readonly problems: Readonly<Record<string, string>> };

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** In the order of the schema, the needed ones first. Nothing for a schema without properties. */
export function fieldsOf(parameters: Schema): readonly TryField[] {
  const properties = isSchema(parameters['properties']) ? parameters['properties'] : {};
  const required = new Set(Array.isArray(parameters['required']) ? parameters['required'] : []);
  const fields = Object.entries(properties).map(([name, schema]) => fieldOf(name, isSchema(schema) ? schema : {}, required.has(name)));
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

function fieldOf(name: string, written: Schema, required: boolean): TryField {
  const schema = plain(written);
  const kind = kindOf(schema);
  const options = Array.isArray(schema['enum']) ? schema['enum'].map((value) => JSON.stringify(value)) : [];
  const preset = written['default'] ?? schema['default'];
  const initial = preset === undefined || preset === null ? '' : kind === 'text' && typeof preset === 'string' ? preset : kind === 'lines' && Array.isArray(preset) ? preset.join('\n') : JSON.stringify(preset);
  // What is not needed is left out: the tool has its own default.
  return { name, kind, required, description: textOf(written['description'] ?? schema['description']), options, initial: required ? initial : '', shape: shapeOf(schema, kind) };
}

function shapeOf(schema: Schema, kind: FieldKind): string {
  if (kind === 'lines') return 'one per line';
  if (kind !== 'json') return '';
  const example = exampleOf(schema, 0);
  return example === undefined ? 'JSON' : JSON.stringify(example);
}

/** Deeper shapes are the description's to tell. */
const MOST_DEPTH = 4;

/** The smallest value of that shape, with all that it needs; undefined where the schema leaves it open. */
export function exampleOf(written: Schema, depth: number): unknown {
  const schema = plain(written);
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const types: unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  switch (types.find((type) => type !== 'null')) {
    case 'string': return '';
    case 'number': case 'integer': return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
    case 'boolean': return false;
    case 'array': {
      const item = isSchema(schema['items']) && depth < MOST_DEPTH ? exampleOf(schema['items'], depth + 1) : undefined;
      const count = typeof schema['minItems'] === 'number' ? Math.min(schema['minItems'], 8) : 1;
      return item === undefined ? [] : Array.from({ length: Math.max(1, count) }, () => item);
    }
    case 'object': {
      const properties = isSchema(schema['properties']) ? schema['properties'] : {};
      const needed = Array.isArray(schema['required']) ? schema['required'] : [];
      return depth >= MOST_DEPTH ? {} : Object.fromEntries(Object.entries(properties).filter(([name]) => needed.includes(name)).map(([name, value]) => [name, exampleOf(isSchema(value) ? value : {}, depth + 1) ?? '']));
    }
    default: return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The one alternative that is not null, of those that allow it. */
function plain(schema: Schema): Schema {
  for (const word of ['anyOf', 'oneOf']) {
    const choices = schema[word];
    if (!Array.isArray(choices)) continue;
    const real = choices.filter((choice): choice is Schema => isSchema(choice) && choice['type'] !== 'null');
    const [only] = real;
    return real.length === 1 && only !== undefined ? only : {};
  }
  return schema;
}

function kindOf(schema: Schema): FieldKind {
  if (Array.isArray(schema['enum'])) return 'choice';
  const named = schema['type'];
  const types = (Array.isArray(named) ? named : [named]).filter((type) => type !== 'null');
  if (types.length !== 1) return 'json';
  switch (types[0]) {
    case 'string': return 'text';
    case 'number': case 'integer': return 'number';
    case 'boolean': return 'boolean';
    case 'array': return isSchema(schema['items']) && schema['items']['type'] === 'string' && !Array.isArray(schema['items']['enum']) ? 'lines' : 'json';
    default: return 'json';
  }
}

export function initialValues(fields: readonly TryField[]): Typed {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}

/** Fields left empty are left out. What a tool needs and in which bounds is the host's to say, in the words a model reads too. */
export function argumentsOf(fields: readonly TryField[], typed: Typed): TriedArguments {
  const args: [string, unknown][] = [];
  const problems: [string, string][] = [];
  for (const field of fields) {
    const text = typed[field.name] ?? '';
    if (text === '' || (field.kind !== 'text' && text.trim() === '')) continue;
    const read = valueOf(field, text);
    if (read.kind === 'bad') problems.push([field.name, read.problem]);
    else args.push([field.name, read.value]);
  }
  return problems.length > 0 ? { kind: 'bad', problems: Object.fromEntries(problems) } : { kind: 'ok', args: Object.fromEntries(args) };
}

function valueOf({ kind }: TryField, text: string): { readonly kind: 'ok'; readonly value: unknown } | { readonly kind: 'bad'; readonly problem: string } {
  if (kind === 'text') return { kind: 'ok', value: text };
  if (kind === 'lines') return { kind: 'ok', value: text.split('\n').filter((line) => line !== '') };
  if (kind === 'number') {
    const value = Number(text);
    return Number.isFinite(value) ? { kind: 'ok', value } : { kind: 'bad', problem: 'This is no number.' };
  }
  try {
    return { kind: 'ok', value: JSON.parse(text) };
  } catch (error) {
    return { kind: 'bad', problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Several lines are indented as JSON where they are JSON. */
export function prettyResult(result: string): { readonly text: string; readonly language: '' | 'json' } {
  try {
    return { text: JSON.stringify(JSON.parse(result), null, 2), language: 'json' };
  } catch {
    return { text: result, language: '' }; // plain text is a result
  }
}
