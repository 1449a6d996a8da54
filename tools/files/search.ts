/** `search_files`: by content or by name, with ripgrep where the backend has it, else grep and find. */
import type { EnvironmentForTools } from '../../environments/base.ts';
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { checkReadPath, resolvePath } from '../shared/paths.ts';
import { ripgrepFor } from '../shared/ripgrep.ts';
import { countRepeat } from './read-state.ts';
import { contentCommand, filesCommand, narrowCommand, parseGrep, parseRipgrep, type ContentHit } from './search-commands.ts';

const SEARCH_TIMEOUT_MS = 60_000;
/** Output above this is cut and said to be: such a pattern matches too much to be useful. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_LINE_CHARS = 500;

const SYNONYMS: ReadonlyMap<string, 'content' | 'files'> = new Map([['content', 'content'], ['grep', 'content'], ['files', 'files'], ['find', 'files']]);

export async function searchFiles(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const pattern = args['pattern'];
  if (typeof pattern !== 'string' || pattern === '') return toolError("search_files needs 'pattern': a regular expression, or a name pattern with target 'files'.");
  const target = SYNONYMS.get(typeof args['target'] === 'string' ? args['target'] : 'content');
  if (target === undefined) return toolError(`Unknown target '${String(args['target'])}'; use 'content' or 'files'.`);
  const outputMode = typeof args['output_mode'] === 'string' ? args['output_mode'] : 'content';
  if (!['content', 'files_only', 'count'].includes(outputMode)) return toolError(`Unknown output_mode '${outputMode}'; use 'content', 'files_only' or 'count'.`);
  const integer = (name: string, fallback: number, max: number): number =>
    (typeof args[name] === 'number' && Number.isFinite(args[name]) ? Math.min(max, Math.max(0, Math.trunc(args[name]))) : fallback);
  const limit = Math.max(1, integer('limit', 50, 1_000));
  const offset = integer('offset', 0, 1_000_000);
  const around = integer('context', 0, 20);
  const glob = typeof args['file_glob'] === 'string' && args['file_glob'].trim() !== '' ? args['file_glob'].trim() : undefined;

  const environment = await context.services.files.environment(context.taskId);
  const path = resolvePath(typeof args['path'] === 'string' && args['path'].trim() !== '' ? args['path'] : '.', context.cwd, environment.describe().homeDirectory);
  const repeat = context.fromScript === true ? 'fine' : countRepeat(`${context.sessionId}/${context.taskId}`,
    `search_files\0${[pattern, target, path, glob ?? '', outputMode, String(limit), String(offset), String(around)].join('\0')}`);
  if (repeat === 'block') return toolError('BLOCKED: this exact search was made several times in a row. Use its result, or search for something else.', { pattern, already_searched: true });
  const { refused } = await checkReadPath(environment, context, path);
  if (refused !== undefined) return toolError(refused, { path });
  if (await environment.stat(path) === undefined) return toolError(`Path not found: ${path}`, { path });

  const program = await ripgrepFor(environment);
  const query = { pattern, path, glob, around };
  const run = target === 'files' ? await runFiles(environment, program, query, context.signal) : await runContent(environment, program, query, context.signal);
  if ('error' in run) return toolError(run.error, { pattern });
  const notes = [
    ...(run.cut ? ['The search gave more output than can be kept; the total is a lower bound. Narrow the pattern or the path.'] : []),
    ...(repeat === 'warn' ? ['You have made this exact search three times in a row. The next one will be refused.'] : []),
  ];
  const body = shape(run.hits, target === 'files' ? 'names' : outputMode, { limit, offset, redact: (text) => context.services.redact(text, 'file') });
  return toolResult({
    ...body,
    ...(body.truncated && { hint: `Showing ${String(offset + 1)}-${String(offset + limit)} of ${String(body.total_count)}; go on with offset=${String(offset + limit)}.`, _omitted: body.total_count - offset - limit }),
    ...(notes.length > 0 && { _warning: notes.join(' ') }),
  });
}

type Run = { readonly hits: readonly ContentHit[]; readonly cut: boolean } | { readonly error: string };
interface Query { readonly pattern: string; readonly path: string; readonly glob: string | undefined; readonly around: number }

async function runContent(environment: EnvironmentForTools, program: string | undefined, query: Query, signal: AbortSignal): Promise<Run> {
  const whole = await collectContent(environment, contentCommand(program, query), program === undefined ? parseGrep : parseRipgrep, signal);
  // What was cut may be one line of megabytes with all that was looked for in it.
  return program !== undefined && 'cut' in whole && whole.cut ? collectContent(environment, narrowCommand(program, query), parseGrep, signal) : whole;
}

async function collectContent(environment: EnvironmentForTools, command: string, parse: (text: string) => ContentHit[], signal: AbortSignal): Promise<Run> {
  const result = await environment.exec({ command, timeoutMs: SEARCH_TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES, signal });
  const text = new TextDecoder().decode(result.output);
  if (result.why === 'timeout') return { error: `The search did not finish in ${String(SEARCH_TIMEOUT_MS / 1000)} s. Search a narrower path or add file_glob.` };
  if (result.why !== 'exit') return { error: 'The search was stopped.' };
  const hits = parse(text);
  // 0 = found, 1 = nothing found; 2 with hits = some files could not be read, which is no failure.
  if ((result.exitCode ?? 2) > 1 && hits.length === 0) {
    const message = text.split('\n').filter((line) => !line.startsWith('{')).join('\n').trim();
    return { error: `The search failed: ${message.slice(0, 1_000) || `exit code ${String(result.exitCode)}`}` };
  }
  return { hits, cut: result.truncated };
}

async function runFiles(environment: EnvironmentForTools, program: string | undefined, query: Query, signal: AbortSignal): Promise<Run> {
  const result = await environment.exec({ command: filesCommand(program, query), timeoutMs: SEARCH_TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES, signal });
  if (result.why === 'timeout') return { error: `The search did not finish in ${String(SEARCH_TIMEOUT_MS / 1000)} s. Search a narrower path.` };
  if (result.why !== 'exit') return { error: 'The search was stopped.' };
  const names = new TextDecoder().decode(result.output).split('\0').filter((name) => name.trim() !== '');
  if ((result.exitCode ?? 2) > 1 && names.every((name) => !name.startsWith('/'))) return { error: `The search failed: ${names.join(' ').slice(0, 1_000)}` };
  return { hits: names.filter((name) => name.startsWith('/')).map((path) => ({ path, line: 0, content: '', match: true })), cut: result.truncated };
}

interface Shaping { readonly limit: number; readonly offset: number; redact(text: string): string }
type Shaped = Readonly<Record<string, unknown>> & { readonly total_count: number; readonly truncated: boolean };

function shape(hits: readonly ContentHit[], mode: string, { limit, offset, redact }: Shaping): Shaped {
  const window = <T>(all: readonly T[]): { shown: readonly T[]; total_count: number; truncated: boolean } =>
    ({ shown: all.slice(offset, offset + limit), total_count: all.length, truncated: offset + limit < all.length });
  if (mode === 'count') {
    const counts = new Map<string, number>();
    for (const hit of hits) if (hit.match) counts.set(hit.path, (counts.get(hit.path) ?? 0) + 1);
    const { shown, ...rest } = window([...counts]);
    return { counts: Object.fromEntries(shown), ...rest };
  }
  if (mode !== 'content') {
    const { shown, ...rest } = window([...new Set(hits.map((hit) => hit.path))]);
    return { files: shown, ...rest };
  }
  // The limit counts matches; context lines travel with them.
  const starts = hits.flatMap((hit, index) => (hit.match ? [index] : []));
  const { truncated, total_count } = window(starts);
  const from = offset === 0 ? 0 : starts[offset] ?? hits.length;
  const to = truncated ? starts[offset + limit] ?? hits.length : hits.length;
  const matches = hits.slice(from, to).map(({ path, line, content, match }) => ({
    path, line, content: redact(content.length > MAX_LINE_CHARS ? `${content.slice(0, MAX_LINE_CHARS)}... [truncated]` : content), ...(!match && { context: true }),
  }));
  return { matches, total_count, truncated };
}
