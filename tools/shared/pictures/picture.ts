/** A picture as bytes: what it is by its own first bytes, how large, and the part or size of it that a model is shown. */
import { imageSize } from 'image-size';

/** Of hermes-runtime 7.11. */
export const MAX_PICTURE_BYTES = 20 * 1024 * 1024;
/** What vision models read at most without scaling down themselves. */
const MAX_SIDE = 2_048;
/** Sent as they are up to here; the JSON of a request grows by a third for base64. */
const MAX_SENT_BYTES = 4 * 1024 * 1024;
/** Decoding takes 4 bytes a pixel: 400 MB. */
const MAX_PIXELS = 100_000_000;
const JPEG_QUALITY = 88;

export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' | 'image/avif' | 'image/bmp';
const TYPES: Readonly<Partial<Record<string, PictureType>>> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', gif: 'image/gif', avif: 'image/avif', bmp: 'image/bmp' };
/** What every vision endpoint takes. */
const SENT_AS_IS: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

export interface Picture { readonly type: PictureType; readonly width: number; readonly height: number; readonly bytes: Uint8Array }
/** `message` names cause and next step. */
export class PictureError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PictureError';
  }
}

/** Looks at the first bytes, never at a name. Throws PictureError for anything that is no picture of a known kind, or too large to decode. */
export function readPicture(bytes: Uint8Array): Picture {
  if (bytes.length === 0) throw new PictureError('The picture is empty: 0 bytes. Check how it was made.');
  if (bytes.length > MAX_PICTURE_BYTES) throw new PictureError(`The picture has ${(bytes.length / 1024 / 1024).toFixed(1)} MB, more than 20 MB. Make it smaller first.`);
  let found: { type?: string | undefined; width: number; height: number };
  try {
    found = imageSize(bytes);
  } catch {
    throw new PictureError(looksLikeText(bytes) ? 'This is text, not a picture. Read it with read_file or web_extract.' : 'This is no picture of a known kind (PNG, JPEG, WebP, GIF, AVIF, BMP), or its beginning is damaged. Convert it first.');
  }
  const type = TYPES[found.type ?? ''];
  if (type === undefined) throw new PictureError(`Pictures of kind '${found.type ?? 'unknown'}' cannot be looked at. Convert it to PNG first.`);
  const { width, height } = found;
  if (!(width > 0 && height > 0)) throw new PictureError('The picture has no size: its beginning is damaged.');
  if (width * height > MAX_PIXELS) throw new PictureError(`The picture has ${String(width)}×${String(height)} pixels, more than can be decoded. Make it smaller first.`);
  return { type, width, height, bytes };
}

function looksLikeText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, 512).includes(0) && /^\s*[<{#\w]/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}

export type Region = readonly [x: number, y: number, width: number, height: number];

/** The picture as a model gets it: cut to the region, at most 2,048 pixels a side, of a kind every endpoint takes. Throws PictureError. */
export async function forModel(picture: Picture, region?: Region): Promise<Picture> {
  const { type, width, height, bytes } = picture;
  if (region === undefined && Math.max(width, height) <= MAX_SIDE && bytes.length <= MAX_SENT_BYTES && SENT_AS_IS.has(type)) return picture;
  const [x, y, wide, high] = clip(region ?? [0, 0, width, height], picture);
  const scale = Math.min(1, MAX_SIDE / Math.max(wide, high));
  const size = { width: Math.max(1, Math.round(wide * scale)), height: Math.max(1, Math.round(high * scale)) };
  const { createCanvas, loadImage } = await import('@napi-rs/canvas');
  let image;
  try {
    image = await loadImage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  } catch (error) {
    throw new PictureError(`The picture is damaged and cannot be decoded: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const canvas = createCanvas(size.width, size.height);
  canvas.getContext('2d').drawImage(image, x, y, wide, high, 0, 0, size.width, size.height);
  const png = await canvas.encode('png');
  if (png.length <= MAX_SENT_BYTES) return { ...size, type: 'image/png', bytes: png };
  return { ...size, type: 'image/jpeg', bytes: await canvas.encode('jpeg', JPEG_QUALITY) };
}

function clip([x, y, wide, high]: Region, { width, height }: Picture): Region {
  const left = Math.min(x, width);
  const top = Math.min(y, height);
  const clipped: Region = [left, top, Math.min(wide, width - left), Math.min(high, height - top)];
  if (clipped[2] < 1 || clipped[3] < 1) throw new PictureError(`The region [${[x, y, wide, high].join(', ')}] lies outside the picture, which has ${String(width)}×${String(height)} pixels.`);
  return clipped;
}

export function dataUrl({ type, bytes }: Picture): string {
  return `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')}`;
}
