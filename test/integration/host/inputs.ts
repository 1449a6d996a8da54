/** Random inputs for contract requests: made from the request's own schema, then bent, or garbage altogether. */
import fc from 'fast-check';
import { z } from 'zod';
import { requests, type RequestName } from '../../../preload/contract/requests.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Texts that have broken something somewhere: prototypes, controls, lone surrogates, paths, quotes, markup. */
const NASTY = ['', ' ', '__proto__', 'constructor', '\u0000', '\ud800', '\u202e', '../../../etc/passwd', '\'; DROP TABLE sessions; --', '<script>', '"', '\\', '%', 'NULL', '-1', '{}', 'ses_', '🚀'.repeat(50), 'x'.repeat(5_000)];

const garbage = fc.oneof(
  fc.anything({ withNullPrototype: false, maxDepth: 3 }), fc.json().map((text) => JSON.parse(text) as unknown), fc.constantFrom<unknown>(...NASTY, null, [], {}, 0, -1, 1e308, true),
);

/** Ids that exist, by the beginning of their pattern. */
export interface Known { readonly ids: ReadonlyMap<string, readonly string[]> }

function text(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  // Nothing here may leave the machine: addresses are ports on loopback where nothing listens.
  if (schema.format === 'uri' || schema.pattern?.includes('http')) return fc.integer({ min: 1, max: 9 }).map((port) => `http://127.0.0.1:${port}/v1`);
  const ids = [...known.ids].filter(([prefix]) => schema.pattern?.includes(prefix)).flatMap(([, list]) => list);
  if (schema.pattern !== undefined) return ids.length > 0 ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: fc.string() }) : fc.string();
  const plain = fc.oneof(fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 60, 60) }), fc.constantFrom(...NASTY));
  // A person's own command would really run: text that begins like one is not random any more.
  return plain.map((value) => (/^[!/]/.test(value) ? `.${value}` : value));
}

function fromSchema(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches && branches.length > 0) return fc.oneof(...branches.map((branch) => fromSchema(branch, known)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {});
      return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, fromSchema(field, known)])), { requiredKeys: [...(schema.required ?? [])] });
    }
    case 'array':
      return fc.array(fromSchema(schema.items ?? {}, known), { maxLength: 4 });
    case 'string':
      return text(schema, known);
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? -1_000, -1_000_000), max: Math.min(schema.maximum ?? 1_000, 1_000_000) });
    case 'number':
      return fc.double();
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return garbage;
  }
}

/** The same numbers for the same seed: a failure can be seen again. */
export function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

/** Values of every kind, made once: making them costs far more than sending them. */
export function garbagePool(seed: number): readonly unknown[] {
  return fc.sample(garbage, { numRuns: 2_000, seed });
}

/** Takes a field away, adds one, or puts something else into one. */
function bend(value: unknown, other: unknown, pick: (below: number) => number): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const fields = Object.entries(value);
  const how = pick(3);
  if (how === 0 || fields.length === 0) return { ...value, unexpected: other };
  const position = pick(fields.length);
  return Object.fromEntries(how === 1 ? fields.filter((_, index) => index !== position) : fields.map(([name, old], index) => [name, index === position ? other : old]));
}

/** Right in form (if not in meaning), by the request's own schema. */
export function rightInputs(name: RequestName, known: Known): fc.Arbitrary<unknown> {
  return fromSchema(z.toJSONSchema(requests[name].input, { io: 'input', unrepresentable: 'any' }) as Schema, known); // the fields that are read are optional
}

/** Bent or garbage altogether, none of it right in form: what reaches a handler is sent apart, in known numbers. */
export function* wrongInputs(name: RequestName, right: readonly unknown[], pool: readonly unknown[], count: number, seed: number): Generator {
  const { input } = requests[name];
  const pick = numbers(seed);
  for (let made = 0; made < count;) {
    const other = pool[pick(pool.length)];
    const value = right.length === 0 || pick(3) === 0 ? other : bend(right[pick(right.length)], other, pick);
    if (input.safeParse(value).success) continue;
    made += 1;
    yield value;
  }
}
