/** Lines `MEDIA:<path>` of a reply: files that are shown in their place, as messengers send them. Pure. */

export type ReplyPart = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'file'; readonly path: string };

const MEDIA_LINE = /^[ \t]*MEDIA:[ \t]*(.+?)[ \t]*$/;
/** Words for messengers only: how a file is to be sent. */
const SENDING_WORDS = /\[\[(?:as_document|audio_as_voice)\]\]/g;
const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})/;
/** A reply that names more is a list, and stays one. */
const MOST_FILES = 20;

/** What stands in code is left alone, and so is the last line while more of it may come. */
export function replyParts(text: string, streaming: boolean): readonly ReplyPart[] {
  if (!text.includes('MEDIA:')) return [{ kind: 'text', text }];
  const lines = text.split('\n');
  const parts: ReplyPart[] = [];
  let kept: string[] = [];
  let fence: string | undefined;
  let files = 0;
  const flush = (): void => {
    const words = kept.join('\n').replaceAll(SENDING_WORDS, '');
    if (words.trim() !== '') parts.push({ kind: 'text', text: words });
    kept = [];
  };
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || (mark.startsWith(fence) && line.trim() === mark))) fence = fence === undefined ? mark : undefined;
    const path = fence === undefined && mark === undefined ? MEDIA_LINE.exec(line)?.[1] : undefined;
    const mayGrow = streaming && index === lines.length - 1;
    if (path === undefined || files === MOST_FILES) kept.push(line);
    else if (!mayGrow) {
      flush();
      parts.push({ kind: 'file', path: path.replace(/^(['"`])(.*)\1$/, '$2') });
      files += 1;
    }
  }
  flush();
  return parts;
}
