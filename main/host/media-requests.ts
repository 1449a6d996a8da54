/** `media.*`: pictures, sound and films that tools made, that a person gave along, or that lie in a chat's folder, for the chat. Nothing else of this computer can be read this way. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import { AttachmentId } from '../../preload/contract/ids.ts';
import type { Attachments } from '../composer/attachments.ts';
import type { AreaHandlers } from './handlers.ts';
import type { Sessions } from './sessions.ts';

const FOLDERS = ['images', 'audio', 'downloads'] as const;
const MOST_BYTES = 30_000_000;
const ATTACHMENT = 'attachment:';
/** Small enough that a terminal's output is not held up behind it. */
const PIECE_BYTES = 750_000;

/** `cache` is `<home>/cache`. `attachment:<id>` names a file that a person gave along with a message. */
export function mediaRequests(cache: string, sessions: Pick<Sessions, 'existing'>, files?: Pick<Attachments, 'find' | 'pathOf'>): AreaHandlers<'media'> {
  async function attachmentPath(name: string): Promise<string> {
    const id = AttachmentId.safeParse(name);
    const [found] = id.success && files !== undefined ? await files.find([id.data]) : [];
    if (found === undefined || files === undefined) throw gone(name);
    return files.pathOf(found);
  }
  /** A chat on another machine has no folder here. */
  const folderOf = (sessionId: SessionId | undefined): string | undefined => {
    const session = sessionId === undefined ? undefined : sessions.existing(sessionId);
    return session?.backend === 'local' ? session.cwd : undefined;
  };
  return {
    'media.read': async ({ path, offset, sessionId }) => {
      const wanted = path.startsWith(ATTACHMENT) ? await attachmentPath(path.slice(ATTACHMENT.length)) : await checkedPath(cache, folderOf(sessionId), path);
      const file = await open(wanted, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => { throw gone(path); });
      try {
        const stats = await file.stat();
        if (!stats.isFile()) throw gone(path);
        if (stats.size > MOST_BYTES) throw new AppError('request/not-possible', `${path} is larger than 30 MB and is not shown here.`, { hint: 'Open it from its folder.' });
        const head = Buffer.alloc(16);
        await file.read(head, 0, head.length, 0);
        const type = mediaType(head);
        if (type === undefined) throw new AppError('request/not-possible', `${path} is neither a picture nor sound nor a film.`, { hint: 'Open it from its folder.' });
        const piece = Buffer.alloc(Math.max(0, Math.min(PIECE_BYTES, stats.size - offset)));
        const { bytesRead } = await file.read(piece, 0, piece.length, offset);
        return { type, total: stats.size, data: piece.subarray(0, bytesRead).toString('base64') };
      } finally {
        await file.close();
      }
    },
  };
}

function gone(path: string): AppError {
  return new AppError('not-found', `There is no file ${path} any more.`);
}

/** The real path of a file below one of the folders. Links that lead out of them are refused like any other place, and what a chat's folder hides is. */
async function checkedPath(cache: string, workFolder: string | undefined, path: string): Promise<string> {
  const real = await realpath(path).catch(() => { throw gone(path); });
  for (const folder of FOLDERS) {
    const root = await realpath(join(cache, folder)).catch(() => undefined); // not made yet: nothing is in it
    if (root !== undefined && real.startsWith(root + sep)) return real;
  }
  const work = workFolder === undefined ? undefined : await realpath(workFolder).catch(() => undefined); // gone: nothing is in it
  if (work !== undefined && real.startsWith(work === sep ? sep : work + sep) && !relative(work, real).split(sep).some((part) => part.startsWith('.'))) return real;
  throw new AppError('request/not-possible', `${path} is not one of the files that tools keep, and not in the folder of the chat.`);
}

/** Kinds of ISO media files, by their major brand. */
const BRANDS: readonly (readonly [RegExp, string])[] = [[/^(?:avif|avis)/, 'image/avif'], [/^M4[AB]/, 'audio/mp4'], [/^(?:isom|iso[2-9]|mp4[12]|avc1|M4V|dash|MSNV)/, 'video/mp4'], [/^qt {2}/, 'video/quicktime']];

/** By the first bytes. SVG is left out: it is a document that can hold anything. */
export function mediaType(head: Uint8Array): string | undefined {
  const text = Buffer.from(head).toString('latin1');
  const from = (at: number, mark: string): boolean => text.startsWith(mark, at);
  if (from(0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (from(0, '\xff\xd8\xff')) return 'image/jpeg';
  if (from(0, 'GIF87a') || from(0, 'GIF89a')) return 'image/gif';
  if (from(0, 'RIFF')) return from(8, 'WEBP') ? 'image/webp' : from(8, 'WAVE') ? 'audio/wav' : undefined;
  if (from(0, 'OggS')) return 'audio/ogg';
  if (from(0, 'fLaC')) return 'audio/flac';
  if (from(0, 'ID3')) return 'audio/mpeg';
  // A frame of MPEG audio: eleven bits set, then a layer that exists (AAC in ADTS has none).
  const [first = 0, second = 0] = head;
  if (first === 0xff && (second & 0xe0) === 0xe0) return (second & 0x06) === 0 ? 'audio/aac' : 'audio/mpeg';
  if (from(0, '\x1a\x45\xdf\xa3')) return 'video/webm';
  if (from(4, 'ftyp')) return BRANDS.find(([brand]) => brand.test(text.slice(8)))?.[1];
  return undefined;
}
