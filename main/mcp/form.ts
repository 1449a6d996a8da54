/** A server's requested schema as fields for a person, and what they entered as content for the server. */
import type { ElicitRequestFormParams, PrimitiveSchemaDefinition } from '@modelcontextprotocol/client';
import type { FormField, FormReply } from '../../preload/contract/mcp.ts';

type Choice = Extract<FormField, { kind: 'choice' }>['choices'][number];
type Value = string | number | boolean | string[];

export function fieldsOf({ properties, required }: ElicitRequestFormParams['requestedSchema']): FormField[] {
  return Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required?.includes(name) === true));
}

function fieldOf(name: string, schema: PrimitiveSchemaDefinition, required: boolean): FormField {
  const base = { name, label: schema.title ?? name, description: schema.description ?? '', required };
  switch (schema.type) {
    case 'boolean': return { ...base, kind: 'switch', default: schema.default ?? false };
    case 'number':
    case 'integer': return { ...base, kind: 'number', integer: schema.type === 'integer', default: schema.default ?? null };
    case 'array': return { ...base, kind: 'choices', choices: choicesOf(schema.items), default: schema.default ?? [] };
    case 'string': {
      const choices = choicesOf(schema);
      const initial = typeof schema.default === 'string' ? schema.default : '';
      return choices.length > 0 ? { ...base, kind: 'choice', choices, default: initial } : { ...base, kind: 'text', format: 'format' in schema ? schema.format ?? null : null, default: initial };
    }
  }
}

interface Listed { readonly enum?: readonly string[]; readonly enumNames?: readonly string[]; readonly oneOf?: readonly Titled[]; readonly anyOf?: readonly Titled[] }
interface Titled { readonly const: string; readonly title: string }

function choicesOf(schema: object): Choice[] {
  const { enum: values, enumNames, oneOf, anyOf } = schema as Listed; // cast: the SDK has checked the schema; each form is looked for
  const titled = oneOf ?? anyOf;
  if (titled !== undefined) return titled.map(({ const: value, title }) => ({ value, label: title }));
  return (values ?? []).map((value, index) => ({ value, label: enumNames?.[index] ?? value }));
}

export type Content = { readonly kind: 'ok'; readonly content: Record<string, Value> } | { readonly kind: 'wrong'; readonly message: string };

/** Values that were left empty are left out where they may be. Names the first that does not fit. */
export function contentOf({ properties, required }: ElicitRequestFormParams['requestedSchema'], values: FormReply['values']): Content {
  const content: Record<string, Value> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const label = schema.title ?? name;
    if (value === undefined || value === '') {
      if (required?.includes(name) === true) return { kind: 'wrong', message: `'${label}' has to be filled in.` };
      continue;
    }
    const problem = problemOf(schema, value);
    if (problem !== undefined) return { kind: 'wrong', message: `'${label}' ${problem}.` };
    content[name] = value;
  }
  return { kind: 'ok', content };
}

const FORMATS: ReadonlyMap<string, { readonly test: (text: string) => boolean; readonly words: string }> = new Map([
  ['email', { test: (text: string) => /^[^\s@]+@[^\s@]+$/.test(text), words: 'has to be an e-mail address' }],
  ['uri', { test: (text: string) => URL.canParse(text), words: 'has to be a whole address such as https://example.org' }],
  ['date', { test: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)), words: 'has to be a date such as 2026-01-31' }],
  ['date-time', { test: (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)), words: 'has to be a time such as 2026-01-31T12:00:00Z' }],
]);

/** What is wrong with a value, as the end of a sentence. */
function problemOf(schema: PrimitiveSchemaDefinition, value: Value): string | undefined {
  switch (schema.type) {
    case 'boolean': return typeof value === 'boolean' ? undefined : 'has to be yes or no';
    case 'number':
    case 'integer': return typeof value === 'number' ? numberProblem(schema, value) : 'has to be a number';
    case 'array': return Array.isArray(value) ? listProblem(schema, value) : 'has to be a list';
    case 'string': return typeof value === 'string' ? textProblem(schema, value) : 'has to be text';
  }
}

function numberProblem({ type, minimum, maximum }: { readonly type: string; readonly minimum?: number | undefined; readonly maximum?: number | undefined }, value: number): string | undefined {
  if (!Number.isFinite(value)) return 'has to be a number';
  if (type === 'integer' && !Number.isInteger(value)) return 'has to be a whole number';
  if (minimum !== undefined && value < minimum) return `must not be less than ${String(minimum)}`;
  return maximum !== undefined && value > maximum ? `must not be more than ${String(maximum)}` : undefined;
}

function listProblem(schema: { readonly items: object; readonly minItems?: number | undefined; readonly maxItems?: number | undefined }, values: readonly string[]): string | undefined {
  const allowed = new Set(choicesOf(schema.items).map(({ value }) => value));
  const foreign = values.find((value) => !allowed.has(value));
  if (foreign !== undefined) return `has no choice '${foreign}'`;
  if (schema.minItems !== undefined && values.length < schema.minItems) return `needs at least ${String(schema.minItems)} of its choices`;
  return schema.maxItems !== undefined && values.length > schema.maxItems ? `takes at most ${String(schema.maxItems)} of its choices` : undefined;
}

function textProblem(schema: object, value: string): string | undefined {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.some((choice) => choice.value === value) ? undefined : `has no choice '${value}'`;
  const { minLength, maxLength, format } = schema as { minLength?: number; maxLength?: number; format?: string }; // cast: the SDK has checked the schema
  const length = [...value].length;
  if (minLength !== undefined && length < minLength) return `needs at least ${String(minLength)} characters`;
  if (maxLength !== undefined && length > maxLength) return `takes at most ${String(maxLength)} characters`;
  const rule = format === undefined ? undefined : FORMATS.get(format);
  return rule === undefined || rule.test(value) ? undefined : rule.words;
}
