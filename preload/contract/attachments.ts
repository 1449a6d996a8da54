/** Files that a person gives along with a message. */
import { z } from 'zod';
import { AttachmentId } from './ids.ts';

/** Where the file lies is the host's business: screens ask for its bytes as `attachment:<id>` of `media.read`. */
export const Attachment = z.object({
  id: AttachmentId,
  name: z.string(),
  bytes: z.number(),
  /** Of pictures, sound and films, by their first bytes; null for everything else. */
  type: z.string().nullable(),
});
export type Attachment = z.infer<typeof Attachment>;

/** With one message. */
export const MOST_ATTACHMENTS = 10;
/** Bytes of one file: what `vision_analyze` takes as well. */
export const MOST_ATTACHMENT_BYTES = 20 * 1024 * 1024;
