/** Output of a process whose host is gone: its end of the pipe is still open, and can be read again by that. Linux only. */
import { constants, fstatSync, openSync, closeSync } from 'node:fs';
import { Socket } from 'node:net';

/**
 * Reads what the process writes from now on, so that it is not held up by a full pipe. Resolves nothing and never throws: without such a
 * pipe (a terminal, another system) there is just no output. Returns the function that stops reading.
 */
export function readAdoptedOutput(pid: number, onText: (text: string) => void): () => void {
  let descriptor: number;
  try {
    descriptor = openSync(`/proc/${pid}/fd/1`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return () => undefined; // no /proc, or it has ended
  }
  if (!fstatSync(descriptor).isFIFO()) {
    closeSync(descriptor);
    return () => undefined;
  }
  const reader = new Socket({ fd: descriptor, readable: true, writable: false });
  const decoder = new TextDecoder();
  reader.on('data', (chunk: Buffer) => onText(decoder.decode(chunk, { stream: true })));
  reader.on('error', () => reader.destroy()); // it has ended meanwhile
  reader.unref();
  return () => { reader.destroy(); };
}
