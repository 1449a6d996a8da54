/** Files that a person gives along with messages: `<outputs>/attachments/<id>/<name>`. What goes with no message is let go after a while. */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MOST_ATTACHMENT_BYTES, type Attachment } from '../../preload/contract/attachments.ts';
import { AppError } from '../../preload/contract/errors.ts';
import { AttachmentId } from '../../preload/contract/ids.ts';
import { dataUrl, forModel, PictureError, readPicture } from '../../tools/shared/pictures/picture.ts';
import type { Clock, Ids, Log } from '../ports.ts';

/** A draft is finished or forgotten by then. */
const KEEP_UNSENT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Where a file lies until its last byte is there; no name of an id ends so. */
const PART = '.part';
/** Bytes of a name that every file system takes, with room for a copy's suffix. */
const NAME_BYTES = 180;

export interface AttachmentPiece { readonly id?: AttachmentId | undefined; readonly name: string; readonly total: number; readonly offset: number; /** Base64. */ readonly data: string }

export interface Attachments {
  /** Throws `request/invalid` in words. */
  add(piece: AttachmentPiece): Promise<{ id: AttachmentId; attachment: Attachment | null }>;
  remove(id: AttachmentId): Promise<void>;
  /** Those of them that are there. */
  find(ids: readonly AttachmentId[]): Promise<Attachment[]>;
  pathOf(attachment: Pick<Attachment, 'id' | 'name'>): string;
  read(attachment: Attachment): Promise<Uint8Array>;
  /** As a data: URL of a size that models take; undefined when it is gone or damaged. */
  picture(attachment: Attachment): Promise<string | undefined>;
  /** Removes what went with no message for a week. `sent`: what did. */
  sweep(sent: ReadonlySet<string>): Promise<void>;
}

export interface AttachmentsParts {
  /** `<outputs>/attachments`. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex'>;
  readonly log: Pick<Log, 'warn'>;
  /** The kind of a file by its first bytes. */
  readonly typeOf: (head: Uint8Array) => string | undefined;
}

/** One part of a path, without what a file system, a shell or a reader would stumble over; its ending is kept. */
export function safeName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/')).normalize('NFC').replaceAll(/[\p{C}\p{Zl}\p{Zp}/]/gu, '').replaceAll(/["'`$<>|:*?]/g, '_').trim().replace(/^\.+/, '');
  const [, stem = plain, ending = ''] = /^(.+?)(\.[^.]{1,12})?$/.exec(plain) ?? [];
  let kept = stem;
  while (Buffer.byteLength(kept + ending) > NAME_BYTES) kept = [...kept].slice(0, -1).join('');
  return kept + ending === '' ? 'file' : kept + ending;
}

export function createAttachments({ folder, clock, ids, log, typeOf }: AttachmentsParts): Attachments {
  const invalid = (message: string, hint?: string): AppError => new AppError('request/invalid', message, hint === undefined ? {} : { hint });
  const pathOf = ({ id, name }: Pick<Attachment, 'id' | 'name'>): string => join(folder, id, name);

  async function look(id: AttachmentId): Promise<Attachment | undefined> {
    const [name] = await readdir(join(folder, id)).catch(() => []); // it was never there, or is gone
    if (name === undefined) return undefined;
    const file = await open(join(folder, id, name), 'r');
    try {
      const head = Buffer.alloc(16);
      await file.read(head, 0, head.length, 0);
      return { id, name, bytes: (await file.stat()).size, type: typeOf(head) ?? null };
    } finally {
      await file.close();
    }
  }

  return {
    pathOf,
    async add({ id: known, name, total, offset, data }) {
      const shown = safeName(name);
      if (total > MOST_ATTACHMENT_BYTES) throw invalid(`${shown} has ${Math.ceil(total / 1_048_576)} MB; a message takes files of up to 20 MB.`, 'Put it into the chat’s folder and name it with @.');
      if (total <= 0) throw invalid(`${shown} is empty.`);
      if ((known === undefined) !== (offset === 0)) throw invalid('The pieces of a file came out of order.', 'Attach it again.');
      const id = known ?? AttachmentId.parse(`att_${ids.hex(8)}`);
      const part = join(folder, `${id}${PART}`);
      const bytes = Buffer.from(data, 'base64');
      if (known === undefined) await mkdir(part, { recursive: true, mode: 0o700 });
      const file = await open(join(part, shown), known === undefined ? 'wx' : 'r+', 0o600).catch(() => { throw invalid('That file is not being received any more.', 'Attach it again.'); });
      try {
        if ((await file.stat()).size !== offset || bytes.length === 0 || offset + bytes.length > total) throw invalid('The pieces of a file came out of order.', 'Attach it again.');
        await file.write(bytes, 0, bytes.length, offset);
        if (offset + bytes.length < total) return { id, attachment: null };
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(part, join(folder, id));
      return { id, attachment: await look(id) ?? null };
    },
    async remove(id) {
      for (const path of [id, `${id}${PART}`]) await rm(join(folder, path), { recursive: true, force: true });
    },
    async find(wanted) {
      const found = await Promise.all(wanted.map(look));
      return found.filter((attachment) => attachment !== undefined);
    },
    read: (attachment) => readFile(pathOf(attachment)),
    async picture(attachment) {
      try {
        return dataUrl(await forModel(readPicture(await readFile(pathOf(attachment)))));
      } catch (error) {
        if (!(error instanceof PictureError) && !(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
        return undefined;
      }
    },
    async sweep(sent) {
      try {
        for (const name of await readdir(folder).catch(() => [])) { // no file was ever given
          if (sent.has(name)) continue;
          const path = join(folder, name);
          if (clock.now() - (await stat(path)).mtimeMs > KEEP_UNSENT_MS) await rm(path, { recursive: true, force: true });
        }
      } catch (error) {
        log.warn('files that went with no message could not be removed', { folder, error });
      }
    },
  };
}
