/** What stands around the message that is being written: files of the chat's folder to name in it, and how full the model's window is. */
import { z } from 'zod';
import { Attachment, MOST_ATTACHMENTS } from './attachments.ts';
import { AttachmentId, SessionId } from './ids.ts';
import { Done, LARGE_CHARS, OfSession, request } from './request.ts';

/** Files and folders that fit what was typed after `@`, best first. Folders end in `/`; paths are relative to the chat's folder. */
const FileMatches = z.object({
  paths: z.array(z.string()),
  /** In words, when not all of the folder was looked at, or nothing of it. */
  note: z.string().nullable(),
});
export type FileMatches = z.infer<typeof FileMatches>;

/** What the next request of a chat would send, in tokens, by the estimate that trimming goes by. */
export const ContextUse = z.object({
  model: z.string(),
  /** Tokens that the model can read. */
  contextTokens: z.number(),
  system: z.number(),
  tools: z.number(),
  messages: z.number(),
  results: z.number(),
  /** True when the estimate was corrected by what the endpoint counted for this chat. */
  corrected: z.boolean(),
  /** US dollars, by the prices in config.yaml; null where it names none. */
  cost: z.object({ usd: z.number(), /** Tokens of other models, whose price is not known. */ uncountedTokens: z.number() }).nullable(),
});
export type ContextUse = z.infer<typeof ContextUse>;

export const composerRequests = {
  /** Without a chat: of the folder in which a new one would start. Nothing is read but names. */
  'composer.files': request(z.object({ sessionId: SessionId.optional(), query: z.string().max(300) }).strict(), FileMatches),
  /** Null where no model is connected. */
  'composer.context': request(OfSession, ContextUse.nullable()),

  /**
   * A piece of a file that is to go with a message, in base64: the first one without `id`, the others with the one it got, in order. With the last
   * byte the answer is the attachment. Throws `request/invalid` in words for what is empty, too large or out of order.
   */
  'composer.attach': request(
    z.object({ id: AttachmentId.optional(), name: z.string().min(1).max(1_000), total: z.number().int(), offset: z.number().int().nonnegative(), data: z.string().max(3_000_000) }).strict(),
    z.object({ id: AttachmentId, attachment: Attachment.nullable() }), LARGE_CHARS,
  ),
  /** Takes a file away that went with no message. */
  'composer.detach': request(z.object({ id: AttachmentId }).strict(), Done),
  /** Which of these are still there: what a draft names after a reload. */
  'composer.attachments': request(z.object({ ids: z.array(AttachmentId).max(MOST_ATTACHMENTS) }).strict(), z.array(Attachment)),
} as const;
