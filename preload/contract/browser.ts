/** The agent's browser, as a person sees and drives it. */
import { z } from 'zod';

export const BrowserLook = z.object({
  /** In base64; null while a dialog of the page is open: then it stands still. */
  jpeg: z.string().nullable(),
  url: z.string(),
  title: z.string(),
  /** Of the page's view, in its pixels. */
  width: z.number(),
  height: z.number(),
  /** The person holds the wheel. */
  held: z.boolean(),
  dialog: z.object({ type: z.string(), message: z.string() }).nullable(),
});
export type BrowserLook = z.infer<typeof BrowserLook>;

const Place = { x: z.number().min(0).max(10_000), y: z.number().min(0).max(10_000) };

export const BrowserInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('click'), ...Place, count: z.int().min(1).max(3).default(1) }).strict(),
  z.object({ kind: z.literal('scroll'), ...Place, by: z.number().min(-10_000).max(10_000) }).strict(),
  /** A name of the keyboard such as `Enter`, `ArrowDown`, `Control+a`. */
  z.object({ kind: z.literal('key'), key: z.string().min(1).max(40).regex(/^[\w+\-=[\];',./\\`]+$/) }).strict(),
  z.object({ kind: z.literal('text'), text: z.string().min(1).max(20_000) }).strict(),
  z.object({ kind: z.literal('navigate'), url: z.url({ protocol: /^https?$/ }).max(8_000) }).strict(),
  z.object({ kind: z.literal('back') }).strict(),
  z.object({ kind: z.literal('dialog'), accept: z.boolean(), text: z.string().max(20_000).optional() }).strict(),
]);
export type BrowserInput = z.infer<typeof BrowserInput>;
