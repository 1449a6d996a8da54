/** Terminals and processes, and the binary frames their bytes travel in. */
import { z } from 'zod';
import { CallId, SessionId, TerminalId } from './ids.ts';

/** `lost`: its process could not be followed over a restart of the host; what was captured is kept. */
export const TerminalState = z.enum(['running', 'exited', 'lost']);
export type TerminalState = z.infer<typeof TerminalState>;

export const Terminal = z.object({
  id: TerminalId,
  kind: z.enum(['foreground', 'background', 'user']),
  mode: z.enum(['pty', 'pipe']),
  sessionId: SessionId.nullable(),
  callId: CallId.nullable(),
  title: z.string(),
  command: z.string(),
  cwd: z.string(),
  backend: z.string(),
  state: TerminalState,
  pid: z.number().nullable(),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  /** Why it ended, in words: "killed by signal 9, probably out of memory". */
  ended: z.string().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  cols: z.number(),
  rows: z.number(),
  /** Whose keystrokes reach it. A person takes over and hands back. */
  driver: z.enum(['agent', 'user']),
  /** True when it takes no input at all (pipe without stdin, or ended). */
  readOnly: z.boolean(),
  /** True while the program reads a secret (echo off). */
  secretInput: z.boolean(),
  /** True while it shows the alternate screen (vim, less, htop). */
  fullScreen: z.boolean(),
  /** Bytes written by it so far. */
  bytes: z.number(),
});
export type Terminal = z.infer<typeof Terminal>;

/** One process below a terminal. */
export const ProcessInfo = z.object({
  pid: z.number(),
  ppid: z.number(),
  command: z.string(),
  terminalId: TerminalId,
  cpuPercent: z.number(),
  memoryBytes: z.number(),
  startedAt: z.number().nullable(),
  /** TCP ports it listens on. */
  ports: z.array(z.number()),
});
export type ProcessInfo = z.infer<typeof ProcessInfo>;

/** Pause a terminal above this many unacknowledged bytes, resume below the second (VS Code's figures, anchors E). */
export const HIGH_WATER_BYTES = 100_000;
export const LOW_WATER_BYTES = 5_000;

/**
 * Binary frame, host → screen: one kind byte (1 = output), the attachment number as big-endian u32, then raw terminal bytes.
 * The screen acknowledges with the request `terminals.ack`.
 */
export const OUTPUT_FRAME = 1;
const HEADER_BYTES = 5;

export function encodeOutput(attachment: number, bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + bytes.length);
  frame[0] = OUTPUT_FRAME;
  new DataView(frame.buffer).setUint32(1, attachment);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

/** Undefined when the frame is not a terminal output frame. */
export function decodeOutput(frame: Uint8Array): { attachment: number; bytes: Uint8Array } | undefined {
  if (frame.length < HEADER_BYTES || frame[0] !== OUTPUT_FRAME) return undefined;
  const attachment = new DataView(frame.buffer, frame.byteOffset, frame.byteLength).getUint32(1);
  return { attachment, bytes: frame.subarray(HEADER_BYTES) };
}
