/** Cuts a text into pieces that a service takes, in order, at ends of paragraphs, sentences or words. Pure. */

const ENDS = [/\n\s*\n/g, /[.!?…。！？]["')\]]*\s/g, /\n/g, /[,;:]\s/g, /\s/g] as const;

/** Every piece has 1 to `most` UTF-16 units; together they hold every word of the text. */
export function pieces(text: string, most: number): string[] {
  const found: string[] = [];
  let rest = text.trim();
  while (rest.length > most) {
    const cut = cutPoint(rest, most);
    found.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  if (rest !== '') found.push(rest);
  return found.filter((piece) => piece !== '');
}

function cutPoint(text: string, most: number): number {
  const head = text.slice(0, most);
  for (const end of ENDS) {
    const last = [...head.matchAll(end)].at(-1);
    // An end near the beginning would make many small pieces.
    if (last !== undefined && last.index + last[0].length > most / 2) return last.index + last[0].length;
  }
  const unit = text.charCodeAt(most - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? most - 1 : most;
}
