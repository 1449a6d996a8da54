/** A reply in the form a messenger takes: files out of the text, and the text in pieces. */
import type { OutgoingFile } from './platform.ts';

const AS_DOCUMENT = '[[as_document]]';
const MEDIA_LINE = /^[ \t]*MEDIA:[ \t]*(.+?)[ \t]*$/gm;

export function takeFiles(written: string): { readonly text: string; readonly files: readonly OutgoingFile[] } {
  const asDocument = written.includes(AS_DOCUMENT);
  const files: OutgoingFile[] = [];
  const text = written.replaceAll(AS_DOCUMENT, '').replaceAll(MEDIA_LINE, (_line, path: string) => {
    files.push({ path: path.replace(/^(['"`])(.*)\1$/, '$2'), asDocument });
    return '';
  });
  return { text: text.replaceAll(/\n{3,}/g, '\n\n').trim(), files };
}

const FENCE = /^```/gm;

/** Pieces of at most `limit` UTF-16 units, cut at paragraphs, lines, words, in that order; never inside a surrogate pair. An open code block is closed and opened again. */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  let reopen = '';
  while (rest !== '') {
    const room = limit - reopen.length;
    if (rest.length <= room) {
      pieces.push(reopen + rest);
      break;
    }
    const space = room - 4; // for the closing fence
    const cut = cutAt(rest, space);
    let piece = reopen + rest.slice(0, cut).trimEnd();
    rest = rest.slice(cut).replace(/^(?: |\n+)/, '');
    const open = (piece.match(FENCE) ?? []).length % 2 === 1;
    if (open) piece += '\n```';
    reopen = open ? '```\n' : '';
    pieces.push(piece);
  }
  return pieces;
}

function cutAt(text: string, space: number): number {
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, space);
    if (at > space / 2) return at;
  }
  const unit = text.charCodeAt(space - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? space - 1 : space;
}
