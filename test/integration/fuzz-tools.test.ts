/**
 * Random argument objects to every tool (ten thousand each with TALARIA_LONG=1), through the host and the whole path of a call: each is answered with one
 * well-formed result, nothing is left unhandled, and the host lives. Whatever the tools do they do in a folder of the test's.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registry, type ToolEntry } from '../../tools/registry.ts';
import { openHostBench, type HostBench } from '../support/test-host.ts';

const LONG = process.env['TALARIA_LONG'] === '1';
const RUNS = LONG ? 10_000 : 1_500;
/** Of these, so many have the right form and reach a handler that starts processes or touches files; the rest are wrong somewhere. */
const RIGHT = LONG ? 150 : 30;
const AT_ONCE = 8;
/** A search service at a port that no HTTP client may use: nothing leaves the machine. */
const NO_NETWORK = 'web:\n  backend: searxng\n  searxng:\n    base_url: http://127.0.0.1:9\n';

let bench: HostBench;
const unhandled: unknown[] = [];
const note = (reason: unknown): void => { unhandled.push(reason); };

beforeAll(async () => {
  process.on('unhandledRejection', note);
  // Nobody can be asked: what would wait for a person is refused at once.
  bench = await openHostBench({ unattended: true, withoutModel: true, yaml: NO_NETWORK });
});

afterAll(async () => {
  process.off('unhandledRejection', note);
  await bench.close();
});

/** Commands and paths that may really run: harmless, short, inside the test's folder. */
const TEXTS = ['', ' ', 'true', 'echo hi', 'false', 'exit 3', 'a.txt', './sub/b.txt', '../outside-is-relative.txt', 'null', '[]', '{}', '5', '-1', '1e9', 'ä😀\u0000\u202e', '*** Begin Patch\n*** End Patch', '(', '[', '**/*', 'list', 'poll', 'proc_000000000000', 'add', 'memory', 'replace', 'x'.repeat(3_000)];
const hostile = fc.oneof(fc.constantFrom<unknown>(...TEXTS), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 3 }));

/** A value of the kind the schema names; numbers stay small, so that no wait is long. */
function fitting(schema: unknown, name: string): fc.Arbitrary<unknown> {
  const node = typeof schema === 'object' && schema !== null ? schema as Readonly<Record<string, unknown>> : {}; // cast: an object, read field by field
  if (Array.isArray(node['enum'])) return fc.constantFrom<unknown>(...node['enum'] as unknown[]); // cast: narrowed by the condition
  switch (node['type']) {
    case 'string': return fc.constantFrom(...TEXTS);
    case 'integer': case 'number': return name === 'timeout' ? fc.integer({ min: 1, max: 2 }) : fc.integer({ min: -2, max: 20 });
    // A pseudo-terminal or a background process per run would be thousands of processes.
    case 'boolean': return name === 'background' || name === 'pty' ? fc.constant(false) : fc.boolean();
    case 'array': return fc.array(fitting(node['items'], name), { maxLength: 4 });
    case 'object': return fc.record(Object.fromEntries(Object.entries((node['properties'] ?? {}) as Record<string, unknown>).map(([key, child]) => [key, fitting(child, key)])), { requiredKeys: [] }); // cast: absent or an object of schemas
    default: return hostile;
  }
}

function propertiesOf(entry: ToolEntry): Readonly<Record<string, unknown>> {
  return (entry.schema.parameters?.['properties'] ?? {}) as Readonly<Record<string, unknown>>; // cast: checked at registration
}

const rightArguments = (entry: ToolEntry): fc.Arbitrary<unknown> => fitting(entry.schema.parameters, '');

/** Known names with values of any kind, at least one of which cannot be coerced into form, and unknown names. */
function wrongArguments(entry: ToolEntry): fc.Arbitrary<unknown> {
  const names = Object.keys(propertiesOf(entry));
  const required = (entry.schema.parameters?.['required'] ?? []) as readonly string[]; // cast: checked at registration
  const broken = fc.constantFrom<unknown>({ not: 'it' }, [[]], [{ deep: [1] }], { toString: 1 }, { constructor: null }, { __proto__: { a: 1 } }, null);
  const some = fc.dictionary(fc.oneof(fc.constantFrom('constructor', '__proto__', 'unknown', ...names), fc.string({ maxLength: 5 })), hostile, { maxKeys: 5 });
  const sabotaged = fc.tuple(some, broken).map(([args, value]) => ({ ...args, ...Object.fromEntries((required.length > 0 ? required : names).map((name) => [name, value])) }));
  return fc.oneof({ arbitrary: sabotaged, weight: 8 }, { arbitrary: fc.constantFrom<unknown>(undefined, null, 5, 'text', [], [{}]), weight: 1 });
}

function checkResult(tool: string, args: unknown, result: unknown): void {
  const where = `${tool} ${JSON.stringify({ args }).slice(0, 300)}`;
  expect(typeof result, where).toBe('string');
  const text = String(result);
  expect(text.isWellFormed(), where).toBe(true);
  if (text.startsWith('<persisted-output>')) return;
  const parsed: unknown = JSON.parse(text);
  expect(typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed), where).toBe(true);
  if (parsed !== null && typeof parsed === 'object' && 'error' in parsed && parsed.error !== null) expect(['string', 'object'].includes(typeof parsed.error), where).toBe(true);
}

test('every tool answers anything with one well-formed result', { timeout: 600_000 }, async () => {
  const tools = registry.entries();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['clarify', 'memory', 'patch', 'read_file', 'search_files', 'session_search', 'todo', 'write_file']));
  const session = await bench.session();
  const stop = new AbortController();
  for (const entry of tools) {
    const inputs = [...fc.sample(rightArguments(entry), { numRuns: RIGHT, seed: 1 }), ...fc.sample(wrongArguments(entry), { numRuns: RUNS - RIGHT, seed: 2 })];
    const queue = inputs.values();
    const work = async (): Promise<void> => {
      for (const args of queue) {
        const outcome = await bench.host.callTool(entry.name, args, { sessionId: session.id, signal: stop.signal });
        checkResult(entry.name, args, outcome.result);
        expect(['ok', 'error', 'blocked', 'cancelled']).toContain(outcome.status);
      }
    };
    const started = performance.now();
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (process.env['TALARIA_FUZZ_TIMES'] !== undefined) console.info(`${entry.name}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  }
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
  expect((await bench.request('host.info', {})).shell).toBe('test');
});
