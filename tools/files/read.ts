/** `read_file`: numbered lines of a text file, by page. */
import { posix } from 'node:path';
import { type EnvironmentForTools, EnvironmentError } from '../../environments/base.ts';
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { extractDocument } from './documents.ts';
import { readKeptFile } from '../shared/kept-files.ts';
import { checkReadPath, isDevicePath, resolvePath } from '../shared/paths.ts';
import { countRepeat, fingerprintOf, noteRead } from './read-state.ts';
import { IMAGE_EXTENSIONS, MAX_UTF16_BYTES, decodeLossy, decodeText, extensionOf, isBinary } from './text.ts';

/** Values of hermes-runtime 7.1; the first two can be set in config.yaml. */
const MAX_LINE_CHARS = 2_000;
const MAX_RESULT_CHARS = 100_000;
const LARGE_FILE_BYTES = 512_000;
const LARGE_READ_LINES = 200;
const MAX_SIMILAR = 5;
/** Ours: a file beyond this is paged with the shell instead of being loaded whole. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Prefix of the notice for a repeated read; write_file refuses to write it back as content. */
export const UNCHANGED_NOTICE = 'File unchanged since your last read of this range; its content is already in this conversation.';

function numberSetting(context: ToolContext, path: string, fallback: number): number {
  const value = context.services.config.get(path);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : fallback;
}

export async function readFile(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const given = args['path'];
  if (typeof given !== 'string' || given.trim() === '') return toolError("read_file needs 'path': the file to read.");
  const offset = typeof args['offset'] === 'number' ? Math.max(1, Math.trunc(args['offset'])) : 1;
  const limit = typeof args['limit'] === 'number' ? Math.min(2_000, Math.max(1, Math.trunc(args['limit']))) : 500;

  const environment = await context.services.files.environment(context.taskId);
  const path = resolvePath(given, context.cwd, environment.describe().homeDirectory);
  if (isDevicePath(path)) return toolError(`Refused: '${given}' is a device file that cannot be read as text.`, { path });

  const repeat = context.fromScript === true ? 'fine' : countRepeat(`${context.sessionId}/${context.taskId}`, `read_file\0${path}\0${String(offset)}\0${String(limit)}`);
  if (repeat === 'block') {
    return toolError(`BLOCKED: you have read this exact range of '${given}' several times in a row and it has not changed. Use the content you have, or read another range.`, { path, already_read: true });
  }
  const { realPath, refused } = await checkReadPath(environment, context, path);
  if (refused !== undefined) return toolError(refused, { path });
  if (isDevicePath(realPath)) return toolError(`Refused: '${given}' leads to a device file that cannot be read as text.`, { path });

  const stat = await environment.stat(path);
  const kept = stat === undefined ? await readKeptFile(environment, context.services.paths, path, MAX_FILE_BYTES) : undefined;
  const read = { path, realPath, given, offset, limit, warn: repeat === 'warn' };
  if (kept !== undefined) return shown(context, kept, read);
  if (stat === undefined) return missing(environment, given, path);
  if (stat.kind !== 'file') {
    return toolError(`'${given}' is not a regular file${stat.kind === 'directory' ? " but a directory; list it with search_files (target 'files')" : ''}.`, { path });
  }
  if (stat.size > MAX_FILE_BYTES) {
    return toolError(`'${given}' has ${String(stat.size)} bytes, too many to load; take the part you need with the terminal (sed -n, head, tail) or search_files.`, { path, file_size: stat.size });
  }
  return shown(context, await environment.readFile(path, { maxBytes: MAX_FILE_BYTES }), read);
}

interface Read { readonly path: string; readonly realPath: string; readonly given: string; readonly offset: number; readonly limit: number; readonly warn: boolean }

async function shown(context: ToolContext, bytes: Uint8Array, { path, realPath, given, offset, limit, warn }: Read): Promise<string> {
  const size = bytes.length;
  const document = await extractDocument(path, bytes);
  if (document?.error !== undefined) return toolError(document.error, { path, file_size: size });
  const text = document?.text ?? plainText(path, bytes);
  if (typeof text !== 'string') return toolError(text.error.replace('%', given), { path, file_size: size });

  // What a script reads, the model has not seen: it only counts as the state the chat knows.
  const fromScript = context.fromScript === true;
  const state = noteRead(`${context.sessionId}/${context.taskId}`, realPath, fromScript ? 'script' : `${String(offset)}:${String(limit)}`, fingerprintOf(bytes));
  if (state === 'told' && !fromScript) {
    return toolError(`BLOCKED: this range of '${given}' was already read and has not changed (already_read). Use the content you have.`, { path, already_read: true });
  }
  if (state === 'unchanged' && !fromScript) {
    return toolResult({ status: 'unchanged', message: UNCHANGED_NOTICE, path, dedup: true, content_returned: false });
  }
  return page(context, { path, text, offset, limit, size, document: document !== undefined, warn });
}

function plainText(path: string, bytes: Uint8Array): string | { readonly error: string } {
  if (isBinary(path, bytes)) {
    return { error: IMAGE_EXTENSIONS.has(extensionOf(path))
      ? "'%' is an image; look at it with vision_analyze."
      : "'%' is a binary file; inspect it with the terminal (file, xxd, strings)." };
  }
  const decoded = decodeText(bytes);
  if (decoded !== undefined && decoded.encoding !== 'utf-8' && bytes.length > MAX_UTF16_BYTES) {
    return { error: "'%' is a UTF-16 file of more than 10 MiB; convert it first (iconv -f UTF-16 -t UTF-8)." };
  }
  return decoded?.text ?? decodeLossy(bytes);
}

interface Page {
  readonly path: string; readonly text: string; readonly offset: number; readonly limit: number; readonly size: number;
  readonly document: boolean; readonly warn: boolean;
}

function page(context: ToolContext, { path, text, offset, limit, size, document, warn }: Page): string {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  // A script may write back what it read: no line is cut, and it is told whether the last one ends.
  const fromScript = context.fromScript === true;
  const maxLine = fromScript ? Number.POSITIVE_INFINITY : numberSetting(context, 'tool_output.max_line_length', MAX_LINE_CHARS);
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const content = context.services.redact(
    shown.map((line, index) => `${String(offset + index)}|${line.length > maxLine ? `${line.slice(0, maxLine)}... [truncated]` : line}`).join('\n'), 'file');
  const maxChars = numberSetting(context, 'file_read_max_chars', MAX_RESULT_CHARS);
  const facts = { path, total_lines: lines.length, file_size: size };
  if (content.length > maxChars) {
    return toolError(`Read produced ${String(content.length)} characters which exceeds the safety limit of ${String(maxChars)}. Read fewer lines: use offset and a smaller limit.`, facts);
  }
  const next = offset + shown.length;
  const truncated = next <= lines.length;
  return toolResult({
    content, total_lines: lines.length, file_size: size, truncated,
    ...(truncated && { hint: `Lines ${String(offset)}-${String(next - 1)} of ${String(lines.length)}; go on with offset=${String(next)}.` }),
    ...(offset > Math.max(1, lines.length) && { hint: `The file has only ${String(lines.length)} lines; offset ${String(offset)} is past its end.` }),
    ...(size > LARGE_FILE_BYTES && limit > LARGE_READ_LINES && { _hint: `This file is large (${String(size)} bytes); read smaller ranges or find the place with search_files first.` }),
    ...(fromScript && { ends_with_newline: truncated || text.endsWith('\n') }),
    ...(warn && { _warning: 'You have made this exact read three times in a row. The next one will be refused.' }),
    ...(document && { extracted_document: true }),
  });
}

async function missing(environment: EnvironmentForTools, given: string, path: string): Promise<string> {
  const similar = await similarFiles(environment, path);
  return toolError(`File not found: ${given}. ${similar.length > 0 ? 'Similar names are in similar_files.' : "Find it with search_files (target 'files')."}`, { path, ...(similar.length > 0 && { similar_files: similar }) });
}

/** Up to five names of the same folder that look like the missing one. */
async function similarFiles(environment: EnvironmentForTools, path: string): Promise<string[]> {
  const folder = posix.dirname(path);
  const wanted = posix.basename(path).toLowerCase();
  let names: readonly string[];
  try {
    names = await environment.list(folder);
  } catch (error) {
    if (error instanceof EnvironmentError) return [];
    throw error;
  }
  const stem = (name: string): string => name.replace(/\.[^.]*$/, '');
  return names
    .map((name) => ({ name, score: closeness(name.toLowerCase(), wanted, stem) }))
    .filter(({ score }) => score > 0.4)
    .sort((a, b) => b.score - a.score || a.name.localeCompare(b.name))
    .slice(0, MAX_SIMILAR)
    .map(({ name }) => posix.join(folder, name));
}

function closeness(name: string, wanted: string, stem: (name: string) => string): number {
  if (name === wanted || stem(name) === stem(wanted)) return 1;
  if (stem(wanted).length > 2 && name.includes(stem(wanted)) || stem(name).length > 2 && wanted.includes(stem(name))) return 0.8;
  const pairs = (text: string): Set<string> => new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
  const [a, b] = [pairs(name), pairs(wanted)];
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}
