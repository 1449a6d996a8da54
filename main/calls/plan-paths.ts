/** Canonical paths for the planner, in the place where the calls will act. */
import { posix } from 'node:path';
import type { ToolContext } from '../../tools/context.ts';
import type { BatchCall, BatchSegment, Log } from '../ports.ts';
import { type PathScope, planSegments, scopeOf } from './plan.ts';

/** File systems of these platforms tell no upper from lower case. */
const FOLDS_CASE = process.platform === 'win32' || process.platform === 'darwin';

/**
 * Plans one message. Paths are expanded, made absolute against the terminal's directory and resolved through links there;
 * when that place cannot be asked, the calls run one after the other.
 */
export async function planToolBatch<Call extends BatchCall>(
  calls: readonly Call[], context: ToolContext, parallelMcp: (name: string) => boolean, log: Log,
): Promise<BatchSegment<Call>[]> {
  const scopes = new Map<BatchCall, PathScope>();
  for (const call of calls) {
    const scope = call.args === undefined ? undefined : scopeOf(call);
    if (scope !== undefined) scopes.set(call, scope);
  }
  // Paths matter only where somebody writes beside somebody else.
  const writes = calls.length > 1 && [...scopes.values()].some(({ kind }) => kind === 'writes');
  if (writes) {
    try {
      await canonicalise(scopes, context);
    } catch (error) {
      log.warn('The paths of parallel calls could not be resolved; the calls run one after the other.', { error: String(error) });
      return calls.length === 0 ? [] : [{ kind: 'sequential', calls }];
    }
  }
  return planSegments(calls, { parallelMcp, canonical: (call) => scopes.get(call) });
}

async function canonicalise(scopes: Map<BatchCall, PathScope>, context: ToolContext): Promise<void> {
  const environment = await context.services.files.environment(context.taskId);
  const { homeDirectory, backend } = environment.describe();
  const resolved = new Map<string, Promise<string>>();
  const canonical = async (path: string): Promise<string> => {
    const home = path === '~' || path.startsWith('~/') ? homeDirectory + path.slice(1) : path;
    const forward = process.platform === 'win32' && backend === 'local' ? home.replaceAll('\\', '/') : home;
    const real = await environment.realpath(posix.resolve(context.cwd, forward));
    return FOLDS_CASE && backend === 'local' ? real.toLowerCase() : real;
  };
  for (const [call, { kind, paths }] of scopes) {
    const all = await Promise.all(paths.map((path) => {
      let pending = resolved.get(path);
      if (pending === undefined) resolved.set(path, pending = canonical(path));
      return pending;
    }));
    scopes.set(call, { kind, paths: all });
  }
}
