/** Figures of design section 6 for the calls runtime: one call, definitions, parallel calls, start to the list of tools. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCalls, type CallsRuntime } from '../../main/calls/calls.ts';
import { systemClock } from '../../main/clock.ts';
import { silentLog } from '../../main/log.ts';
import type { BatchSegment } from '../../main/ports.ts';
import type { ToolContext } from '../../tools/context.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import { median, type Figure } from '../support/figures.ts';

const SCHEMA = {
  description: 'A tool of middling size, as a server would offer it.',
  parameters: {
    type: 'object', required: ['path'],
    properties: { path: { type: 'string', description: 'Where.' }, limit: { type: 'integer', minimum: 1, description: 'How many.' }, mode: { type: 'string', enum: ['fast', 'slow'] }, tags: { type: 'array', items: { type: 'string' } } },
  },
};

function runtimeWith(tools: number, cache: string): { registry: ToolRegistry; calls: CallsRuntime; add: (name: string) => void } {
  const registry = new ToolRegistry({ log: () => undefined });
  const calls = createCalls({
    registry, clock: systemClock, log: silentLog, cache, config: { get: () => undefined, env: (name) => process.env[name], onChange: () => () => undefined },
    checks: { env: () => undefined, which: () => undefined, path: '', backend: 'local', config: () => undefined, probeBackend: () => Promise.resolve(true) },
  });
  const available = (): boolean => true;
  const add = (name: string): void => { registry.register({ name, toolset: `set_${String(name.length % 20)}`, schema: { ...SCHEMA }, handler: () => '{"ok":true}', checkFn: available }); };
  for (let number = 0; number < tools; number += 1) add(`tool_${String(number)}`);
  return { registry, calls, add };
}

/** The median of several rounds: other work on the machine shows in single ones. */
async function medianOf(rounds: number, round: () => Promise<number> | number): Promise<number> {
  const values: number[] = [];
  for (let index = 0; index < rounds; index += 1) values.push(await round());
  return median(values);
}

async function perCall(cache: string): Promise<number> {
  const { calls } = runtimeWith(80, cache);
  await calls.warm();
  const services = { redact: (text: string) => text } as ToolContext['services']; // cast: a no-op tool asks for nothing else
  const context: ToolContext = { sessionId: 's', taskId: 'default', toolCallId: 'c', signal: new AbortController().signal, cwd: '/', emit: () => undefined, services };
  const many = 20_000;
  const round = async (): Promise<number> => {
    const started = performance.now();
    for (let index = 0; index < many; index += 1) await calls.handleFunctionCall('tool_1', { path: 'a', limit: 3 }, context);
    return ((performance.now() - started) * 1_000) / many;
  };
  await round();
  return medianOf(9, round);
}

async function definitions(tools: number, cache: string): Promise<{ unchanged: number; rebuilt: number }> {
  const { calls, add } = runtimeWith(tools, cache);
  await calls.getToolDefinitions();
  const many = 2_000;
  const unchanged = async (): Promise<number> => {
    const started = performance.now();
    for (let index = 0; index < many; index += 1) await calls.getToolDefinitions();
    return (performance.now() - started) / many;
  };
  const rebuilt = async (): Promise<number> => {
    add('tool_0');
    const started = performance.now();
    await calls.getToolDefinitions();
    return performance.now() - started;
  };
  await unchanged();
  for (let index = 0; index < 50; index += 1) await rebuilt();
  return { unchanged: await medianOf(9, unchanged), rebuilt: await medianOf(101, rebuilt) };
}

async function eightParallel(cache: string): Promise<number> {
  const { calls } = runtimeWith(1, cache);
  const segments: BatchSegment[] = [{ kind: 'parallel', calls: Array.from({ length: 8 }, (_, index) => ({ id: String(index), name: 'web_search', args: {} })) }];
  const started = performance.now();
  await calls.runBatch(segments, () => new Promise<void>((resolve) => { setTimeout(resolve, 1_000); }), () => undefined, new AbortController().signal);
  return (performance.now() - started) / 1_000;
}

const BUILT = new URL('../../dist/tools/', import.meta.url);
/** What people start is the build; without one the source stands in, and its types are stripped in each new process. */
const IS_BUILT = existsSync(new URL('discovery.js', BUILT));

/** A fresh process: discovery with kept verdicts, all tool modules loaded. */
function startToList(cache: string): Promise<number> {
  const folder = IS_BUILT ? BUILT : new URL('../../tools/', import.meta.url);
  const module = (name: string): string => JSON.stringify(new URL(`${name}.${IS_BUILT ? 'js' : 'ts'}`, folder).href);
  const script = `
    const { discoverBuiltinTools } = await import(${module('discovery')});
    const { registry } = await import(${module('registry')});
    await discoverBuiltinTools(${JSON.stringify(fileURLToPath(folder))}, { cacheDir: ${JSON.stringify(cache)} });
    process.stdout.write(String(registry.getAllToolNames().length));`;
  const once = (): number => {
    const started = performance.now();
    const listed = Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
    if (!(listed > 0)) throw new Error('the new process listed no tools');
    return (performance.now() - started) / 1_000;
  };
  once();
  return medianOf(5, once);
}

export async function bench(): Promise<Figure[]> {
  const cache = mkdtempSync(join(tmpdir(), 'talaria-bench-calls-'));
  try {
    const small = await definitions(80, cache);
    const large = await definitions(1_000, cache);
    return [
      { name: 'handleFunctionCall, no-op tool, warm', value: await perCall(cache), unit: 'µs', bar: '≤ 8' },
      { name: 'getToolDefinitions, 80 tools, unchanged', value: small.unchanged, unit: 'ms', bar: '≤ 0.01' },
      { name: 'getToolDefinitions, 1,000 tools, unchanged', value: large.unchanged, unit: 'ms', bar: '≤ 0.1' },
      { name: 'getToolDefinitions, 80 tools, after a registration', value: small.rebuilt, unit: 'ms', bar: '≤ 0.2' },
      { name: 'getToolDefinitions, 1,000 tools, after a registration', value: large.rebuilt, unit: 'ms', bar: '≤ 2' },
      { name: '8 parallel calls of 1 s', value: await eightParallel(cache), unit: 's', bar: '≤ 1.15' },
      { name: `process start to all tools listed (${IS_BUILT ? 'build' : 'source'})`, value: await startToList(cache), unit: 's', bar: '≤ 0.35' },
    ];
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}
