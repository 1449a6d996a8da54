/** A chat's name from its first exchange, without asking a model. */

const TITLE_CHARS = 60;
const UNTITLED = 'New chat';

/** First sentence of what the person wrote, without markdown and line breaks, cut at a word. */
export function titleOf(text: string): string {
  const tool = /^\/tool\s+\S+/.exec(text.trim())?.[0];
  if (tool !== undefined) return tool.replace(/\s+/, ' ');
  const plain = text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .replaceAll(/^[#>*\-\s]+/gm, '')
    .replaceAll(/[`*]/g, '')
    // Emphasis only: a name such as read_file keeps its underscores.
    .replaceAll(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replaceAll(/\p{Cc}+|\s+/gu, ' ')
    .trim();
  const sentence = /^.*?(?:[.!?…](?=\s|$)|[。！？])/u.exec(plain)?.[0] ?? plain;
  const base = (sentence === '' ? text.trim() : sentence).replaceAll(/\s+/g, ' ').replace(/[.。]$/u, '');
  if (base === '') return UNTITLED;
  const letters = [...base];
  if (letters.length <= TITLE_CHARS) return base;
  const cut = letters.slice(0, TITLE_CHARS - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > TITLE_CHARS / 2 ? cut.slice(0, space) : cut}…`;
}

export function untitled(): string {
  return UNTITLED;
}
