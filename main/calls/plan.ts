/** Which calls of one message may run together (hermes-runtime 3.4, the later segment planner). Pure: paths come in canonical. */
import type { BatchCall, BatchSegment } from '../ports.ts';
import { innerCall } from './deferral.ts';
import { isRecord } from './schema-shape.ts';
import { pathsOfPatch } from './v4a-paths.ts';

/** Talk to the person: nothing else happens meanwhile. */
export const NEVER_PARALLEL: ReadonlySet<string> = new Set(['clarify', 'manage_connections', 'manage_catalog']);
export const PARALLEL_SAFE: ReadonlySet<string> = new Set([
  'ha_get_state', 'ha_list_entities', 'ha_list_services', 'read_file', 'search_files', 'session_search', 'skill_view', 'skills_list',
  'vision_analyze', 'web_extract', 'web_search', 'image_generate', 'tool_search', 'tool_describe',
]);
const READERS: ReadonlySet<string> = new Set(['read_file', 'search_files']);
const WRITERS: ReadonlySet<string> = new Set(['write_file', 'patch']);

/** A call's paths as the model wrote them; undefined when it is path-scoped and names none. */
export interface PathScope { readonly kind: 'reads' | 'writes'; readonly paths: readonly string[] }

/** The call that will run: behind the bridge, the one that `tool_call` stands for. */
function realCall(call: BatchCall): BatchCall {
  if (call.name !== 'tool_call' || call.args === undefined) return call;
  const { name, args } = innerCall(call.args);
  return { id: call.id, name, args: isRecord(args) ? args : undefined };
}

/** As the tool itself tells its modes apart: without one, a patch and no text to replace. */
function isV4a({ mode, patch, old_string: replaced }: Readonly<Record<string, unknown>>): boolean {
  return mode === 'patch' || ((mode === undefined || mode === null) && typeof patch === 'string' && replaced === undefined);
}

/** Undefined for tools without a path; an empty list of paths when a path-scoped call names none that can be resolved. */
export function scopeOf(planned: BatchCall): PathScope | undefined {
  const call = realCall(planned);
  const kind = READERS.has(call.name) ? 'reads' : WRITERS.has(call.name) ? 'writes' : undefined;
  if (kind === undefined) return undefined;
  const text = (name: string): string | undefined => {
    const value = call.args?.[name];
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  if (call.name === 'patch' && isV4a(call.args ?? {})) {
    return { kind, paths: pathsOfPatch(text('patch') ?? '') };
  }
  const path = text('path') ?? (call.name === 'search_files' ? '.' : undefined);
  return { kind, paths: path === undefined ? [] : [path] };
}

/** Whether one path is the other or lies in it. Both canonical, `/` between parts. */
export function pathsOverlap(a: string, b: string): boolean {
  const left = a.split('/').filter((part) => part !== '');
  const right = b.split('/').filter((part) => part !== '');
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) if (left[index] !== right[index]) return false;
  return true;
}

function conflict(a: PathScope, b: PathScope): boolean {
  if (a.kind === 'reads' && b.kind === 'reads') return false;
  return a.paths.some((left) => b.paths.some((right) => pathsOverlap(left, right)));
}

export interface PlanRules {
  /** Whether the MCP server behind a tool says that its tools may run in parallel. */
  parallelMcp(name: string): boolean;
  /** The call's scope with canonical paths, of calls for which `scopeOf` gave one. */
  canonical(call: BatchCall): PathScope | undefined;
}

/** True when the call must run alone. */
function isBarrier(planned: BatchCall, scope: PathScope | undefined, rules: PlanRules): boolean {
  const call = realCall(planned);
  if (NEVER_PARALLEL.has(call.name) || call.args === undefined) return true;
  if (scope !== undefined) return scope.paths.length === 0;
  return !PARALLEL_SAFE.has(call.name) && !rules.parallelMcp(call.name);
}

/** Ordered segments: every call is in exactly one, in the order of the message. */
export function planSegments<Call extends BatchCall>(calls: readonly Call[], rules: PlanRules): BatchSegment<Call>[] {
  const segments: { kind: 'parallel' | 'sequential'; calls: Call[] }[] = [];
  let run: { call: Call; scope: PathScope | undefined }[] = [];
  const add = (kind: 'parallel' | 'sequential', added: readonly Call[]): void => {
    const last = segments.at(-1);
    if (kind === 'sequential' && last?.kind === 'sequential') last.calls.push(...added);
    else segments.push({ kind, calls: [...added] });
  };
  const close = (): void => {
    if (run.length > 0) add(run.length > 1 ? 'parallel' : 'sequential', run.map(({ call }) => call));
    run = [];
  };
  for (const call of calls) {
    const scope = rules.canonical(call);
    if (isBarrier(call, scope, rules)) {
      close();
      add('sequential', [call]);
      continue;
    }
    if (scope !== undefined && run.some((other) => other.scope !== undefined && conflict(scope, other.scope))) close();
    run.push({ call, scope });
  }
  close();
  return segments;
}
