/** `write_file`: a whole file, atomically, keeping what the old one was like. */
import { posix } from 'node:path';
import type { EnvironmentForTools } from '../../environments/base.ts';
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { lintChange } from './lint.ts';
import { checkWritePath, resolvePath, reviewEffect } from '../shared/paths.ts';
import { UNCHANGED_NOTICE } from './read.ts';
import { endRepeats, fingerprintOf, noteWrite, staleWarning, withPathLock } from './read-state.ts';
import { type TextFile, decodeText, encodeText } from './text.ts';
import { withEol } from '../shared/eol.ts';

/** Ours: what is replaced is not loaded beyond this; then nothing of it (encoding, line ends, staleness) is looked at. */
const MAX_OLD_BYTES = 64 * 1024 * 1024;
/** Share of lines with consecutive `N|` prefixes from which content is taken for pasted read_file output (hermes-runtime 7.1). */
const NUMBERED_SHARE = 0.6;

export async function writeFile(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const given = args['path'];
  const content = args['content'];
  if (typeof given !== 'string' || given.trim() === '') return toolError("write_file needs 'path': the file to write.");
  if (typeof content !== 'string') return toolError("write_file needs 'content': the whole new text of the file (it may be empty).", { path: given });
  if (content.trim() === UNCHANGED_NOTICE) {
    return toolError('Refused: this content is the notice of a repeated read, not the text of a file. Write the real text.', { path: given });
  }
  if (isNumbered(content)) {
    return toolError('Refused: most lines of this content carry the line numbers that read_file shows (N|…). Write the text without them.', { path: given });
  }
  const chat = `${context.sessionId}/${context.taskId}`;
  endRepeats(chat);
  const environment = await context.services.files.environment(context.taskId);
  const path = resolvePath(given, context.cwd, environment.describe().homeDirectory);
  const { realPath, refused } = await checkWritePath(environment, context, path, { crossProfile: args['cross_profile'] === true });
  if (refused !== undefined) return toolError(refused, { path });
  const declined = await reviewEffect(context, 'write_file', 'write', realPath);
  if (declined !== undefined) return toolError(declined, { path, status: 'blocked' });

  return withPathLock(realPath, async () => {
    const old = await readOld(environment, path);
    if (old === 'directory') return toolError(`'${given}' is a directory.`, { path });
    const warnings = old === undefined ? [] : [
      ...[staleWarning(chat, realPath, fingerprintOf(old.bytes))].filter((warning) => warning !== undefined),
      ...(old.file === undefined ? ['What was replaced was no text in UTF-8 or UTF-16 (another encoding, or binary); the file is UTF-8 now. The user can put the old one back (checkpoints).'] : []),
    ];
    const like: Pick<TextFile, 'encoding' | 'bom'> & Partial<TextFile> = old?.file ?? { encoding: 'utf-8', bom: false };
    const bytes = encodeText(like.eol === '\r\n' ? withEol(content, '\r\n') : content, like);
    const folder = posix.dirname(path);
    const newFolder = await environment.stat(folder) === undefined;
    await context.services.checkpoints?.keep({ taskId: context.taskId, sessionId: context.sessionId, toolCallId: context.toolCallId, tool: 'write_file', paths: [realPath] });
    await environment.writeFile(path, bytes);
    noteWrite(chat, realPath, fingerprintOf(bytes));
    const lint = await lintChange(path, old?.file?.text, content, environment);
    return toolResult({
      bytes_written: bytes.length, resolved_path: realPath, files_modified: [realPath],
      ...(newFolder && { dirs_created: [folder] }), ...(lint !== undefined && { lint }), ...(warnings.length > 0 && { _warning: warnings.join(' ') }),
    });
  });
}

async function readOld(environment: EnvironmentForTools, path: string): Promise<{ readonly bytes: Uint8Array; readonly file: TextFile | undefined } | 'directory' | undefined> {
  const stat = await environment.stat(path);
  if (stat === undefined) return undefined;
  if (stat.kind === 'directory') return 'directory';
  if (stat.size > MAX_OLD_BYTES) return undefined;
  const bytes = await environment.readFile(path);
  return { bytes, file: decodeText(bytes) };
}

/** True when at least 60 % of the lines (and two or more) carry consecutive `N|` prefixes. */
export function isNumbered(content: string): boolean {
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return false;
  let consecutive = 0;
  let previous: number | undefined;
  for (const line of lines) {
    const number = /^\s*(\d+)\|/.exec(line)?.[1];
    if (number === undefined) { previous = undefined; continue; }
    if (previous === undefined || Number(number) === previous + 1) consecutive += 1;
    previous = Number(number);
  }
  return consecutive >= 2 && consecutive / lines.length >= NUMBERED_SHARE;
}
