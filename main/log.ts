/** The log: JSON lines in `<home>/desktop/logs/talaria.log`, bounded in size, without secrets. Writing it never throws. */
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Log } from './ports.ts';

/** One file grows to this size; with the kept ones the folder stays under 20 MB. */
const FILE_BYTES = 4 * 1024 * 1024;
const KEPT_FILES = 4;
/** A longer text in the details is cut: the log is for reading. */
const TEXT_CHARS = 4_000;
const DEEPEST = 6;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

export interface LogOptions {
  /** Folder of the files; made when it is missing. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Hides secrets in every text that is written. */
  readonly redact: (text: string) => string;
  /** Lines below this level are left out; `info` by default. */
  readonly level?: Level;
  /** Size in bytes at which a file is rotated. */
  readonly fileBytes?: number;
  /** Told once when the log cannot be written; by default one line on stderr. */
  readonly onFailure?: (cause: unknown) => void;
}

/** Names of fields whose whole value is a secret, whatever it looks like. */
const SECRET_FIELD = /^(?:.*(?:api_?key|secret|password|passwd|credential|authorization)|(?:access|refresh|id|auth|bearer)?_?token|cookie)$/i;

function plain(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value.length > TEXT_CHARS ? `${value.slice(0, TEXT_CHARS)}… (${value.length} characters)` : value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '…';
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    return plain({ name, message, stack, ...('code' in value ? { code: value.code } : {}), ...(cause === undefined ? {} : { cause }) }, redact, depth + 1);
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, redact, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) =>
    [name, SECRET_FIELD.test(name) && typeof item === 'string' && item !== '' ? '***' : plain(item, redact, depth + 1)]));
}

/** Moves `talaria.log` to `talaria.1.log` and so on; the oldest is dropped. */
function rotate(folder: string, file: string): void {
  const older = (number: number): string => join(folder, `talaria.${number}.log`);
  rmSync(older(KEPT_FILES), { force: true });
  for (let number = KEPT_FILES - 1; number >= 1; number -= 1) moveIfThere(older(number), older(number + 1));
  moveIfThere(file, older(1));
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Each line is appended before the call returns, so that a crash loses none; several processes may share the folder.
 * A line: `{"time":"2026-…Z","level":"info","pid":1,"message":"…", …details}`.
 */
export function openLog(options: LogOptions): Log {
  const { folder, clock, redact } = options;
  const file = join(folder, 'talaria.log');
  const lowest = LEVELS.indexOf(options.level ?? 'info');
  const limit = options.fileBytes ?? FILE_BYTES;
  const onFailure = options.onFailure ?? ((cause) => process.stderr.write(`talaria: the log in ${folder} cannot be written: ${String(cause)}\n`));
  let failed = false;

  const write = (level: Level, message: string, details?: Readonly<Record<string, unknown>>): void => {
    if (LEVELS.indexOf(level) < lowest) return;
    try {
      const line = { time: new Date(clock.now()).toISOString(), level, pid: process.pid, message: redact(message) };
      const extra = details === undefined ? {} : plain(details, redact, 0);
      const text = `${JSON.stringify({ ...(extra as object), ...line })}\n`; // cast: `plain` keeps a record a record
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (sizeOf(file) + text.length > limit) rotate(folder, file);
      appendFileSync(file, text, { mode: 0o600 });
      failed = false;
    } catch (cause) {
      if (!failed) onFailure(cause);
      failed = true;
    }
  };
  return {
    debug: (message, details) => write('debug', message, details),
    info: (message, details) => write('info', message, details),
    warn: (message, details) => write('warn', message, details),
    error: (message, details) => write('error', message, details),
  };
}

/** For tests and for places that must not write: takes every line and keeps none. */
export const silentLog: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
