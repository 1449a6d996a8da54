/** What a script printed, as the model sees it. */
import { open } from 'node:fs/promises';

/** Hermes: 50,000 bytes, two fifths of them from the head. */
const MAX_OUTPUT_BYTES = 50_000;
const HEAD_SHARE = 0.4;
/** Of a file that holds more than twice this, only the ends are read: a script can print gigabytes. Escape sequences may be most of what it prints, so more than is shown. */
const END_BYTES = 2 * 1024 * 1024;

/** The text of a file, or its two ends one behind the other and how many bytes between them were not read. Rejects when it cannot be read. */
export async function readEnds(path: string): Promise<{ readonly text: string; readonly omittedBytes?: number }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size <= 2 * END_BYTES) return { text: await file.readFile('utf8') };
    const [head, tail] = await Promise.all([0, size - END_BYTES].map(async (position) => (await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, position)).buffer.toString('utf8')));
    return { text: `${head ?? ''}${tail ?? ''}`, omittedBytes: size - 2 * END_BYTES };
  } finally {
    await file.close();
  }
}

/** At most 50,000 bytes of UTF-8: head and tail, and how much there was (`unread`: bytes that the middle of `text` lacks already). Never splits a character. */
export function capOutput(text: string, unread = 0): { readonly text: string; readonly totalBytes: number; readonly truncated: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_OUTPUT_BYTES) return { text, totalBytes: bytes.length, truncated: false };
  const head = bytes.subarray(0, boundary(bytes, MAX_OUTPUT_BYTES * HEAD_SHARE));
  const tail = bytes.subarray(boundary(bytes, bytes.length - MAX_OUTPUT_BYTES * (1 - HEAD_SHARE)));
  const totalBytes = bytes.length + unread;
  const omitted = totalBytes - head.length - tail.length;
  return { text: `${head.toString()}\n\n[… ${omitted.toLocaleString('en-US')} of ${totalBytes.toLocaleString('en-US')} bytes left out …]\n\n${tail.toString()}`, totalBytes, truncated: true };
}

/** The next place at or after `at` where a character begins. */
function boundary(bytes: Uint8Array, at: number): number {
  let place = Math.floor(at);
  while (place < bytes.length && ((bytes[place] ?? 0) & 0xc0) === 0x80) place += 1;
  return place;
}
