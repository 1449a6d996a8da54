/** The binary frames that terminal bytes travel in. Free of zod: the sandboxed preload bundles this file. */

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
