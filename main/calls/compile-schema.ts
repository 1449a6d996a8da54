/** JSON schemas of tools as checks. Servers and plugins write them: a check that would keep the process busy without end is given up. */
import { createContext, Script, type Context } from 'node:vm';
import type { ErrorObject } from 'ajv';
import { patternOf } from './patterns.ts';
import type { SchemaNode } from './schema-shape.ts';

/** A check that makes sense is done within a millisecond. */
const LIMIT_MS = 200;
/** What may take exponential or quadratic time: patterns that backtrack, references that multiply, each item beside each other. */
const COSTLY = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|uniqueItems)":/;

/** Places behind the point to which a multiple is exact. */
export const DECIMALS = 9;

/** The first thing that does not fit, empty when all does. Undefined = it was given up: nobody knows. */
export type Check = (value: unknown) => readonly ErrorObject[] | undefined;
/** Throws for a schema that cannot be compiled. */
export type Compile = (schema: SchemaNode) => Check;

let room: { readonly context: Context; readonly ask: Script } | undefined;

/** Undefined when the work took longer than it may. The context bounds the time and nothing else: what runs in it is the compiler's own code. */
export function withinLimit<T>(work: () => T, limitMs = LIMIT_MS): T | undefined {
  room ??= { context: createContext({}), ask: new Script('work()') };
  room.context['work'] = work;
  try {
    return room.ask.runInContext(room.context, { timeout: limitMs }) as T; // cast: what `work` returns
  } catch (error) {
    // An Error of the context is not one of ours.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    room.context['work'] = undefined;
  }
}

/** Loaded on first use: it takes a quarter of a cold start. */
export async function loadCompiler(): Promise<Compile> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ 
    strict: false, validateSchema: false, validateFormats: false, logger: false, addUsedSchema: false, code: { regExp: patternOf },
    // Decimal steps are not exact in binary: 0.3 is a multiple of 0.1.
    multipleOfPrecision: DECIMALS,
  });
  return (schema) => {
    const validate = ajv.compile(schema);
    // The compiler would keep every schema of every MCP refresh; ours are kept with their tools.
    ajv.removeSchema(schema);
    const costly = COSTLY.test(JSON.stringify(schema));
    return (value) => {
      const fits = costly ? withinLimit(() => validate(value)) : validate(value);
      return fits === undefined ? undefined : fits ? [] : validate.errors ?? [];
    };
  };
}
