/** What in a terminal's text can be followed: web addresses, and places in files. */
import type { IBufferRange, ILink, ILinkProvider, Terminal } from '@xterm/xterm';

export type LinkTarget =
  | { readonly kind: 'web'; readonly url: string; /** The text on screen, when it is not the address itself. */ readonly shown: string | undefined }
  | { readonly kind: 'file'; readonly path: string; readonly line: number | undefined }
  | { readonly kind: 'refused'; readonly url: string };

/** `src/a.ts:12:4`, `/etc/hosts:3`, `./x.py`: a path with a slash or an extension, followed by a line where the text names one. */
const FILE_PLACE = /(?<![\w/.:@-])((?:\.{0,2}\/)?(?:[\w.@+-]+\/)*[\w@+-][\w.@+-]*\.[A-Za-z][\w]{0,9}|(?:\.{1,2})?\/(?:[\w.@+-]+\/)*[\w.@+-]+)(?::(\d{1,7}))?(?::\d{1,7})?/g;
/** Longer lines are output, not messages. */
const LONGEST_LINE = 2_000;

export interface FoundFile { readonly path: string; readonly line: number | undefined; readonly start: number; readonly end: number }

/** Places in files within one line of text. Only such with a line number, or an explicit path, are taken: bare words are not. */
export function findFiles(text: string): FoundFile[] {
  if (text.length > LONGEST_LINE) return [];
  return [...text.matchAll(FILE_PLACE)].flatMap((match) => {
    const [whole, path = '', line] = match;
    if (line === undefined && !path.startsWith('/') && !path.startsWith('./') && !path.startsWith('../')) return [];
    if (/^\w+:\/\//.test(text.slice(Math.max(0, match.index - 8), match.index + 3))) return [];
    return [{ path, line: line === undefined ? undefined : Number(line), start: match.index, end: match.index + whole.length }];
  });
}

/** An address that a program marked by OSC 8. Only http and https can be opened. */
export function targetOf(url: string, shown: string | undefined): LinkTarget {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol !== 'http:' && protocol !== 'https:') return { kind: 'refused', url };
  return { kind: 'web', url, shown: shown === url ? undefined : shown };
}

export function fileLinks(terminal: Terminal, onFollow: (target: LinkTarget) => void): ILinkProvider {
  return {
    provideLinks(y, callback) {
      const line = terminal.buffer.active.getLine(y - 1);
      const text = line?.translateToString(true) ?? '';
      const links: ILink[] = findFiles(text).map((found) => {
        const range: IBufferRange = { start: { x: found.start + 1, y }, end: { x: found.end, y } };
        return { range, text: text.slice(found.start, found.end), activate: () => { onFollow({ kind: 'file', path: found.path, line: found.line }); } };
      });
      callback(links.length === 0 ? undefined : links);
    },
  };
}
