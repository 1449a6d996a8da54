/** What the file of a command holds, for a terminal whose screen was not saved any more: its host was killed first. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES = 200_000;

/** The end of the file as a terminal shows it; empty when there is no file. */
export function capturedTail(path: string, mode: 'pty' | 'pipe'): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const text = bytes.toString('utf8', 0, read);
    return mode === 'pty' ? text : text.replaceAll(/\r?\n/g, '\r\n');
  } finally {
    closeSync(file);
  }
}
