/** Small facts about streams of terminal bytes. */

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const ESCAPE = 27;

export function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

/** Turns the bare line feeds of a pipe into CR LF, as a terminal driver would, over any split into chunks. */
export class LineFeeds {
  #afterReturn = false;

  /** Takes note of bytes that need no conversion because nobody watches. */
  pass(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#afterReturn = bytes[bytes.length - 1] === CARRIAGE_RETURN;
  }

  convert(bytes: Uint8Array): Uint8Array {
    const result = Buffer.allocUnsafe(bytes.length * 2);
    let length = 0;
    let previous = this.#afterReturn ? CARRIAGE_RETURN : 0;
    for (const byte of bytes) {
      if (byte === LINE_FEED && previous !== CARRIAGE_RETURN) result[length++] = CARRIAGE_RETURN;
      result[length++] = byte;
      previous = byte;
    }
    this.pass(bytes);
    return result.subarray(0, length);
  }
}

/** An escape sequence that has begun at index 0 and is not complete: CSI without its final byte, a string without its end, … */
// eslint-disable-next-line no-control-regex -- control bytes are the subject
const OPEN_SEQUENCE = /^\x1b(?:$|\[[\x20-\x3f]*$|[\x20-\x2f]+$|[\]PX^_][^\x07\x1b]*(?:\x1b)?$)/;

function unfinishedCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

/**
 * Number of bytes at the end that a terminal has swallowed without effect so far: an incomplete escape sequence or character.
 * A screen copied at this moment lacks them, so whoever continues from the copy must be given them again.
 */
export function unfinishedTail(recent: Uint8Array): number {
  const source = Buffer.from(recent.buffer, recent.byteOffset, recent.length);
  let at = source.lastIndexOf(ESCAPE);
  if (at !== -1) {
    // `ESC \` may be the end of a string that began before it.
    if (at > 0) {
      const earlier = source.lastIndexOf(ESCAPE, at - 1);
      if (earlier !== -1 && OPEN_SEQUENCE.test(source.toString('latin1', earlier))) at = earlier;
    }
    if (OPEN_SEQUENCE.test(source.toString('latin1', at))) return source.length - at;
  }
  return unfinishedCharacter(source);
}
