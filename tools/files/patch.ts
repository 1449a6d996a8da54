/** `patch`: an edit by quoted text, or a V4A patch over several files. Everything is checked before anything is written. */
import { createTwoFilesPatch } from 'diff';
import type { EnvironmentForTools } from '../../environments/base.ts';
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { lintChange } from './lint.ts';
import { SIMILARITY_STRATEGIES, closestSections, findMatches, linesOf } from '../shared/match.ts';
import { checkWritePath, resolvePath, reviewEffect } from '../shared/paths.ts';
import { applyHunks } from './hunks.ts';
import { endRepeats, fingerprintOf, noteWrite, staleWarning, withPathLock } from './read-state.ts';
import { replaceMatches } from '../shared/replace.ts';
import { type TextFile, decodeText, encodeText } from './text.ts';
import { type FileChange, parsePatch } from './v4a.ts';

/** From this failure on one file on, the advice changes (hermes-runtime 7.1). */
const FAILURES_BEFORE_ADVICE = 3;
const MIN_APPLIED_CHARS = 8;
const MAX_DIFF_CHARS = 40_000;
/** Ours: searching for similar text takes about 0.2 s per million characters, in which nothing else runs; beyond this only exact text is found. */
const MAX_FUZZY_CHARS = 4_000_000;
/** Ours: a file beyond this is not loaded. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_TRACKED_FILES = 500;

const failures = new Map<string, number>();

interface Planned {
  readonly path: string;
  readonly realPath: string;
  /** Undefined = the file does not exist before / after. */
  readonly before: { readonly bytes: Uint8Array; readonly file: TextFile } | undefined;
  readonly after: string | undefined;
}

export async function patchFiles(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  endRepeats(`${context.sessionId}/${context.taskId}`);
  const mode = args['mode'] ?? (typeof args['patch'] === 'string' && args['old_string'] === undefined ? 'patch' : 'replace');
  const environment = await context.services.files.environment(context.taskId);
  if (mode === 'patch') return patchMode(args, context, environment);
  if (mode !== 'replace') return toolError(`Unknown mode '${typeof mode === 'string' ? mode : typeof mode}'; use 'replace' or 'patch'.`);
  return replaceMode(args, context, environment);
}

async function replaceMode(args: Record<string, unknown>, context: ToolContext, environment: EnvironmentForTools): Promise<string> {
  const { path: given, old_string: oldString, new_string: newString } = args;
  if (typeof given !== 'string' || given.trim() === '') return toolError("patch in mode 'replace' needs 'path'.");
  if (typeof oldString !== 'string' || oldString.trim() === '') return toolError("patch needs 'old_string': the text to replace, quoted from the file. To create a file use write_file.", { path: given });
  if (typeof newString !== 'string') return toolError("patch needs 'new_string': the text to put in its place (it may be empty).", { path: given });
  if (oldString === newString) return toolError('old_string and new_string are identical: nothing to change.', { path: given });

  const path = resolvePath(given, context.cwd, environment.describe().homeDirectory);
  const { realPath, refused } = await checkWritePath(environment, context, path, { crossProfile: args['cross_profile'] === true });
  if (refused !== undefined) return toolError(refused, { path });
  return withPathLock(realPath, async () => {
    const loaded = await load(environment, given, path);
    if ('error' in loaded) return toolError(loaded.error, { path });
    const { text } = loaded.file;
    const isLarge = text.length > MAX_FUZZY_CHARS;
    const match = isLarge && !text.includes(oldString) ? undefined : findMatches(text, oldString);
    if (match === undefined) {
      if (newString.length >= MIN_APPLIED_CHARS && text.includes(newString)) {
        return toolResult({ success: true, diff: '', files_modified: [], resolved_path: realPath, _hint: 'Already applied: new_string is in the file and old_string is not. Nothing was written.' });
      }
      if (isLarge) return failed(realPath, `Could not find exactly old_string in the file, which is too large (${String(loaded.bytes.length)} bytes) to look for similar text. Quote it from the file byte for byte, or use the terminal.`, path);
      return failed(realPath, 'Could not find a match for old_string in the file.', path, { closest: closestSections(text, oldString) });
    }
    const all = args['replace_all'] === true;
    if (match.ranges.length > 1 && !all) {
      const lines = linesOf(text);
      const places = match.ranges.slice(0, 5).map(({ start }) => {
        const line = lines.findLastIndex((candidate) => candidate.start <= start);
        return `L${String(line + 1)}: ${(lines[line]?.text ?? '').trim().slice(0, 120)}`;
      });
      return failed(realPath, `Found ${String(match.ranges.length)} matches for old_string. Add more of the lines around it, or set replace_all.`, path, { matches: places });
    }
    if (all && SIMILARITY_STRATEGIES.has(match.strategy)) {
      return failed(realPath, 'replace_all needs text that is in the file as quoted; only similar text was found.', path, { closest: closestSections(text, oldString) });
    }
    const replaced = replaceMatches(text, match, newString);
    if ('refused' in replaced) return failed(realPath, replaced.refused, path);
    failures.delete(realPath);
    return write(context, environment, [{ path, realPath, before: loaded, after: replaced.text }], { strategy: match.strategy, replacements: match.ranges.length });
  });
}

function failed(realPath: string, message: string, path: string, extra: Record<string, unknown> = {}): string {
  const count = (failures.get(realPath) ?? 0) + 1;
  if (failures.size > MAX_TRACKED_FILES) failures.clear();
  failures.set(realPath, count);
  const advice = count >= FAILURES_BEFORE_ADVICE
    ? { _hint: 'Several edits of this file have failed. Read the file again now and quote from it, or rewrite it with write_file.' } : {};
  return toolError(message, { success: false, path, ...extra, ...advice });
}

type Loaded = { readonly bytes: Uint8Array; readonly file: TextFile } | { readonly error: string };

async function load(environment: EnvironmentForTools, given: string, path: string): Promise<Loaded> {
  const stat = await environment.stat(path);
  if (stat === undefined) return { error: `File not found: ${given}. To create it use write_file.` };
  if (stat.kind !== 'file') return { error: `'${given}' is not a regular file.` };
  if (stat.size > MAX_FILE_BYTES) return { error: `'${given}' has ${String(stat.size)} bytes, too many to load; change it with the terminal (sed -i).` };
  const bytes = await environment.readFile(path);
  const file = decodeText(bytes);
  return file === undefined ? { error: `'${given}' is not valid text in its encoding; editing it would damage it. Use the terminal.` } : { bytes, file };
}

async function patchMode(args: Record<string, unknown>, context: ToolContext, environment: EnvironmentForTools): Promise<string> {
  if (typeof args['patch'] !== 'string' || args['patch'].trim() === '') return toolError("patch in mode 'patch' needs 'patch': the V4A text.");
  const parsed = parsePatch(args['patch']);
  if ('error' in parsed) return toolError(parsed.error, { success: false });
  const planned = new Map<string, Planned>();
  const problems: string[] = [];
  for (const change of parsed.changes) {
    const problem = await plan(change, context, environment, planned, args['cross_profile'] === true);
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length > 0) return toolError(`Nothing was written. ${problems.join('\n')}`, { success: false });
  return write(context, environment, [...planned.values()].filter(({ before, after }) => before !== undefined || after !== undefined), {});
}

/** Works one change out against the files as the earlier changes of the same patch leave them. */
async function plan(
  change: FileChange, context: ToolContext, environment: EnvironmentForTools, planned: Map<string, Planned>, crossProfile: boolean,
): Promise<string | undefined> {
  const at = async (given: string): Promise<Planned | string> => {
    const path = resolvePath(given, context.cwd, environment.describe().homeDirectory);
    const { realPath, refused } = await checkWritePath(environment, context, path, { crossProfile });
    if (refused !== undefined) return refused;
    const known = planned.get(realPath);
    if (known !== undefined) return known;
    if (await environment.stat(path) === undefined) return { path, realPath, before: undefined, after: undefined };
    const loaded = await load(environment, given, path);
    return 'error' in loaded ? loaded.error : { path, realPath, before: loaded, after: loaded.file.text };
  };
  const source = await at(change.path);
  if (typeof source === 'string') return source;
  if (change.kind === 'add') {
    if (source.after !== undefined) return `Add File: '${change.path}' exists already; use Update File.`;
    planned.set(source.realPath, { ...source, after: change.lines.length === 0 ? '' : `${change.lines.join('\n')}\n` });
    return undefined;
  }
  if (source.after === undefined) return `${change.kind === 'delete' ? 'Delete' : change.kind === 'move' ? 'Move' : 'Update'} File: '${change.path}' does not exist.`;
  if (change.kind === 'delete') {
    planned.set(source.realPath, { ...source, after: undefined });
    return undefined;
  }
  let after = source.after;
  if (change.kind === 'update') {
    if (after.length > MAX_FUZZY_CHARS) return `'${change.path}' is too large for a patch of hunks; use mode 'replace' with exact text, or the terminal.`;
    const applied = applyHunks(after, change.hunks, change.path);
    if ('error' in applied) return applied.error;
    after = applied.text;
  }
  const moveTo = change.moveTo;
  if (moveTo === undefined) {
    planned.set(source.realPath, { ...source, after });
    return undefined;
  }
  const target = await at(moveTo);
  if (typeof target === 'string') return target;
  if (target.after !== undefined) return `Move: '${moveTo}' exists already.`;
  planned.set(source.realPath, { ...source, after: undefined });
  planned.set(target.realPath, { ...target, before: source.before, after });
  return undefined;
}

/** Asks where asking is due, writes all, reads back, and puts everything back when one write fails. */
async function write(context: ToolContext, environment: EnvironmentForTools, changes: readonly Planned[], extra: Record<string, unknown>): Promise<string> {
  const chat = `${context.sessionId}/${context.taskId}`;
  for (const { realPath, after } of changes) {
    const declined = await reviewEffect(context, 'patch', after === undefined ? 'delete' : 'write', realPath);
    if (declined !== undefined) return toolError(declined, { success: false, status: 'blocked' });
  }
  await context.services.checkpoints?.keep({
    taskId: context.taskId, sessionId: context.sessionId, toolCallId: context.toolCallId, tool: 'patch', paths: changes.map(({ realPath }) => realPath),
  });
  const warnings: string[] = [];
  const done: Planned[] = [];
  const stat = new Map<string, number>();
  try {
    for (const change of changes) {
      const onDisk = await environment.stat(change.path);
      if (onDisk !== undefined) {
        stat.set(change.realPath, onDisk.mode);
        const stale = staleWarning(chat, change.realPath, fingerprintOf(await environment.readFile(change.path)));
        if (stale !== undefined) warnings.push(`${change.path}: ${stale}`);
      }
      done.push(change);
      await writeOne(chat, environment, change);
    }
  } catch (error) {
    const unrestored = await restore(environment, done, stat);
    const left = unrestored.length === 0 ? 'All files were put back as they were.' : `These could not be put back: ${unrestored.join(', ')}.`;
    return toolError(`The edit did not persist: ${error instanceof Error ? error.message : String(error)}. ${left}`, { success: false });
  }
  const lint = (await Promise.all(changes.map(async ({ path, before, after }) =>
    (after === undefined ? undefined : lintChange(path, before?.file.text, after, environment))))).filter((text) => text !== undefined);
  const diff = changes.map(diffOf).join('\n');
  return toolResult({
    success: true,
    diff: context.services.redact(diff.length > MAX_DIFF_CHARS ? `${diff.slice(0, MAX_DIFF_CHARS)}\n... [diff truncated]` : diff, 'file'),
    files_modified: changes.map(({ realPath }) => realPath),
    ...(changes.length === 1 && { resolved_path: changes[0]?.realPath }),
    ...extra,
    ...(lint.length > 0 && { lint: lint.join('\n') }),
    ...(warnings.length > 0 && { _warning: warnings.join('\n') }),
  });
}

async function writeOne(chat: string, environment: EnvironmentForTools, { path, realPath, before, after }: Planned): Promise<void> {
  if (after === undefined) {
    await environment.remove(path);
    noteWrite(chat, realPath, '');
    return;
  }
  const bytes = encodeText(after, before?.file ?? { encoding: 'utf-8', bom: false });
  await environment.writeFile(path, bytes);
  const written = await environment.readFile(path);
  if (fingerprintOf(written) !== fingerprintOf(bytes)) throw new Error(`'${path}' reads back differently from what was written`);
  noteWrite(chat, realPath, fingerprintOf(bytes));
}

async function restore(environment: EnvironmentForTools, done: readonly Planned[], modes: ReadonlyMap<string, number>): Promise<string[]> {
  const unrestored: string[] = [];
  for (const { path, realPath, before } of done.toReversed()) {
    try {
      const mode = modes.get(realPath);
      if (before !== undefined && modes.has(realPath)) await environment.writeFile(path, before.bytes, mode === undefined ? {} : { mode });
      else if (await environment.stat(path) !== undefined) await environment.remove(path);
    } catch {
      // Named in the result: the person must know which file needs a look.
      unrestored.push(path);
    }
  }
  return unrestored;
}

function diffOf({ path, before, after }: Planned): string {
  return createTwoFilesPatch(before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path,
    before?.file.text ?? '', after ?? '', '', '', { context: 3, timeout: 500 }) ?? `(${path}: too different for a diff)`;
}
