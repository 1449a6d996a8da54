/** Marks what strangers wrote, so that a model can tell it from what the person said. Pure. */

const TAG = 'untrusted_web_content';
const TAG_INSIDE = /<(\/?)\s*untrusted_web_content/gi;
/** Control, zero-width, bidirectional and tag characters: text that a person would not see. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** The text between marks that it cannot close itself. */
export function markUntrusted(text: string, url: string): string {
  return `<${TAG} source="${url.replaceAll('"', '%22').replaceAll('<', '%3C').replaceAll('>', '%3E')}">\n${visibleText(text).replace(TAG_INSIDE, '&lt;$1untrusted_web_content')}\n</${TAG}>`;
}

export function visibleText(text: string): string {
  return text.replace(UNSEEN, '');
}

/** One line of plain text without tags, at most so many characters. */
export function plainLine(text: string, chars: number): string {
  const line = visibleText(text.replace(/<\/?[a-z][^<>]{0,200}>/gi, '')).replace(/\s+/g, ' ').trim();
  return line.length > chars ? `${line.slice(0, chars - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
