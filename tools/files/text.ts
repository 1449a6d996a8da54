/** Bytes to text and back without changing what was not edited: byte-order mark, encoding and line ends are kept. */
import { dominantEol } from '../shared/eol.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface TextFile {
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** The line end most lines have. */
  readonly eol: '\n' | '\r\n';
}

/** UTF-16 files above this are refused (hermes-runtime 7.1). */
export const MAX_UTF16_BYTES = 10 * 1024 * 1024;
const SNIFF_BYTES = 8_192;

const BINARY_EXTENSIONS = new Set((
  '7z a apk ar avi bin bmp bz2 class db dll dmg doc dylib eot exe flac gif gz ico iso jar jpeg jpg lz lz4 m4a mkv mov mp3 mp4 mpeg mpg o odt ogg '
  + 'otf parquet pdf png ppt pptx pyc rar so sqlite sqlite3 tar tgz tif tiff ttf wasm wav webm webp woff woff2 xls xz zip zst'
).split(' '));

export const IMAGE_EXTENSIONS = new Set(['bmp', 'gif', 'ico', 'jpeg', 'jpg', 'png', 'tif', 'tiff', 'webp']);

export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** True when the name or the first 8 KiB say that this is not text. UTF-16 with a byte-order mark is text. */
export function isBinary(path: string, bytes: Uint8Array): boolean {
  if (sniffEncoding(bytes).encoding !== 'utf-8') return false;
  const head = bytes.subarray(0, SNIFF_BYTES);
  if (head.includes(0)) return true;
  if (BINARY_EXTENSIONS.has(extensionOf(path))) return !isPlainAscii(head);
  let odd = 0;
  for (const byte of head) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd += 1;
  return head.length > 0 && odd / head.length > 0.1;
}

function isPlainAscii(bytes: Uint8Array): boolean {
  return bytes.length > 0 && bytes.every((byte) => byte < 128 && (byte >= 32 || byte === 9 || byte === 10 || byte === 13));
}

function sniffEncoding(bytes: Uint8Array): { readonly encoding: Encoding; readonly bomBytes: number } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', bomBytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', bomBytes: 2 };
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf-8', bomBytes: 3 };
  return { encoding: 'utf-8', bomBytes: 0 };
}

/** Undefined when the bytes are not valid in their encoding: such a file must not be rewritten from decoded text. */
export function decodeText(bytes: Uint8Array): TextFile | undefined {
  const { encoding, bomBytes } = sniffEncoding(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes.subarray(bomBytes));
    return { text, encoding, bom: bomBytes > 0, eol: dominantEol(text) };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** For reading only: bytes that are not valid become U+FFFD. */
export function decodeLossy(bytes: Uint8Array): string {
  const { encoding, bomBytes } = sniffEncoding(bytes);
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(bomBytes));
}

export function encodeText(text: string, like: Pick<TextFile, 'encoding' | 'bom'>): Uint8Array {
  const marked = like.bom ? `\uFEFF${text}` : text;
  if (like.encoding === 'utf-8') return new TextEncoder().encode(marked);
  const bytes = Buffer.from(marked, 'utf16le');
  return like.encoding === 'utf-16be' ? bytes.swap16() : bytes;
}
