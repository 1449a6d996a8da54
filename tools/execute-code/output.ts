/** What a script printed, as the model sees it. Pure. */
import { stripVTControlCharacters } from 'node:util';

/** Hermes: 50,000 bytes, two fifths of them from the head. */
const MAX_OUTPUT_BYTES = 50_000;
const HEAD_SHARE = 0.4;

/** Without escape sequences and control characters; a line that was written over shows its last state. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r\n', '\n').replace(/^.*\r(?!\n)/gm, '').replace(/[^\P{Cc}\n\t]/gu, '');
}

/** At most 50,000 bytes of UTF-8: head and tail, and how much there was. Never splits a character. */
export function capOutput(text: string): { readonly text: string; readonly totalBytes: number; readonly truncated: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_OUTPUT_BYTES) return { text, totalBytes: bytes.length, truncated: false };
  const head = bytes.subarray(0, boundary(bytes, MAX_OUTPUT_BYTES * HEAD_SHARE));
  const tail = bytes.subarray(boundary(bytes, bytes.length - MAX_OUTPUT_BYTES * (1 - HEAD_SHARE)));
  const omitted = bytes.length - head.length - tail.length;
  return { text: `${head.toString()}\n\n[… ${omitted.toLocaleString('en-US')} of ${bytes.length.toLocaleString('en-US')} bytes left out …]\n\n${tail.toString()}`, totalBytes: bytes.length, truncated: true };
}

/** The next place at or after `at` where a character begins. */
function boundary(bytes: Uint8Array, at: number): number {
  let place = Math.floor(at);
  while (place < bytes.length && ((bytes[place] ?? 0) & 0xc0) === 0x80) place += 1;
  return place;
}
