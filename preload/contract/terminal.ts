/** Terminals and processes. The binary frames their bytes travel in are in `frames.ts`. */
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
  /** What its program may write and reach, when a wall of the operating system stands around it. */
  sandbox: z.string().optional(),
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
  /** Who had it started; absent in records of before this was kept. */
  startedBy: z.enum(['agent', 'user']).optional(),
  /** True when it ended because it was stopped or interrupted: that is no failure. */
  stopped: z.boolean().optional(),
  /** Whose keys reached it last, and when. */
  lastInput: z.object({ by: z.enum(['agent', 'user']), at: z.number() }).optional(),
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

export * from './frames.ts';
