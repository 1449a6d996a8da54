/** The thin wire under the contract. Electron IPC, a WebSocket and an in-memory pair implement it; nobody asks which. */
import { z } from 'zod';
import type { ErrorShape } from './errors.ts';

export type Off = () => void;

/** A frame is JSON text (requests, replies, events) or bytes (terminal output, see `terminal.ts`). */
export type Frame = string | Uint8Array;

export interface Channel {
  send(frame: Frame): void;
  onFrame(listener: (frame: Frame) => void): Off;
  /** A listener added after the close is called at once. */
  onClose(listener: (why: string) => void): Off;
  close(why?: string): void;
}

/** Screen → host. `name` is checked against the request table, `input` against its schema. */
export const ClientFrame = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('request'), id: z.int().nonnegative(), name: z.string().max(100), input: z.unknown() }),
  z.object({ kind: z.literal('subscribe'), topic: z.string().max(100) }),
  z.object({ kind: z.literal('unsubscribe'), topic: z.string().max(100) }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

/** Host → screen. */
export type HostFrame =
  | { readonly kind: 'reply'; readonly id: number; readonly output: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: ErrorShape }
  | { readonly kind: 'event'; readonly topic: string; readonly event: unknown };
