/** Hides known secret shapes in a file of captured output, once it is complete. */
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** One slice takes a few milliseconds to look through; between slices everything else has its turn. */
const SLICE_BYTES = 256 * 1024;
/** A line without an end is looked at in pieces of this size: far longer than any secret that is known by its shape. */
const MAX_CARRY_BYTES = 1024 * 1024;

const BLOCK_BEGIN = '-----BEGIN ';
const BLOCK_END = '-----END ';

/**
 * Whole lines of the file from a byte on, in order. Latin-1, so that bytes of every value survive: the shapes are ASCII. A block of lines that is
 * one secret stays in one piece.
 */
export async function* slices(file: FileHandle, from = 0): AsyncGenerator<string> {
  let carry = '';
  let position = from;
  const buffer = Buffer.alloc(SLICE_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, SLICE_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const text = carry + buffer.toString('latin1', 0, bytesRead);
    const end = text.length > MAX_CARRY_BYTES ? text.length : endOfLines(text);
    carry = text.slice(end);
    if (end > 0) yield text.slice(0, end);
    await nextTurn();
  }
  if (carry !== '') yield carry;
}

/** Where the last whole line ends, or the one before a block that is not complete. */
function endOfLines(text: string): number {
  const begin = text.lastIndexOf(BLOCK_BEGIN);
  const isOpen = begin !== -1 && !text.includes(BLOCK_END, begin);
  return (isOpen ? text.lastIndexOf('\n', begin) : text.lastIndexOf('\n')) + 1;
}

/** Rewrites the file, atomically and only when it holds something to hide. Throws what the file system throws. */
export async function cleanFile(path: string, redact: (text: string) => string): Promise<void> {
  const file = await open(path, 'r');
  try {
    let found = false;
    for await (const slice of slices(file)) {
      if (redact(slice) === slice) continue;
      found = true;
      break;
    }
    if (!found) return;
    const temporary = `${path}.clean`;
    const target = await open(temporary, 'w', 0o600);
    try {
      for await (const slice of slices(file)) await target.write(redact(slice), undefined, 'latin1');
      await target.close();
      await rename(temporary, path);
    } catch (error) {
      await target.close().catch(() => undefined); // the first error is the one that is told
      await rm(temporary, { force: true });
      throw error;
    }
  } finally {
    await file.close();
  }
}
