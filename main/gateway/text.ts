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

/** Longer marks are no work of a model that writes code, and would leave no room. */
const FENCE = /^[ ]{0,3}(`{3,8}(?!`)|~{3,8}(?!~))(.*)$/gm;
const LANGUAGE = /^[\w+#.-]{1,16}$/;

/** The line that opened the block of code in which the text ends, and what closes it; undefined when it ends outside. */
function openBlock(text: string): { readonly opener: string; readonly closer: string } | undefined {
  let open: { readonly opener: string; readonly closer: string } | undefined;
  for (const [, marks = '', rest = ''] of text.matchAll(FENCE)) {
    if (open === undefined) open = { opener: LANGUAGE.test(rest) ? marks + rest : marks, closer: marks };
    else if (marks.startsWith(open.closer) && rest.trim() === '') open = undefined;
  }
  return open;
}

/** Pieces of at most `limit` (60 or more) UTF-16 units, cut at paragraphs, lines, words, in that order; never inside a surrogate pair. A block of code that is cut is closed, and opened again as it was. */
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
    // Room for the closing line of whatever is open in what goes out now.
    const longest = openBlock(reopen + rest.slice(0, room))?.closer.length ?? 0;
    const cut = cutAt(rest, room - Math.max(4, longest + 1));
    const piece = reopen + rest.slice(0, cut).trimEnd();
    rest = rest.slice(cut).replace(/^(?: |\n+)/, '');
    const open = openBlock(piece);
    pieces.push(open === undefined ? piece : `${piece}\n${open.closer}`);
    reopen = open === undefined ? '' : `${open.opener}\n`;
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
