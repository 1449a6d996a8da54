/** The model's words as a plain quote: what marks them up is taken off, what they say stays, in its order. Pure. */

const FENCE = /^ {0,3}(?:```|~~~)[^\n]*$/gm;
const HEADING = /^ {0,3}#{1,6}[ \t]+/gm;
const QUOTE = /^ {0,3}(?:>[ \t]?)+/gm;
const BULLET = /^([ \t]*)[*+-][ \t]+(?=\S)/gm;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/gm;
const LINK = /!?\[([^\]\n]{1,300})\]\(<?([^()\s<>]{1,2000})>?(?:[ \t]+"[^"\n]*")?\)/g;
const CODE = /(`{1,3})(?!`)([^`\n]+)\1(?!`)/g;
const STRONG = /(\*\*|__)(?=\S)([^\n]*?\S)\1/g;
const STRESSED = /(?<![\w*])\*(?=\S)([^*\n]*?\S)\*(?![\w*])/g;

/** An address behind a link stays in sight: words alone could name another one. */
export function plainQuote(text: string): string {
  return text
    .replace(FENCE, '').replace(RULE, '').replace(HEADING, '').replace(QUOTE, '').replace(BULLET, '$1• ')
    .replace(LINK, (_all, words: string, address: string) => (words === address ? address : `${words} (${address})`))
    .replace(CODE, '$2').replace(STRONG, '$2').replace(STRESSED, '$1').replace(/\n{3,}/g, '\n\n').trim();
}
