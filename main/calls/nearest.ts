/** Names that were probably meant. */

/** Longer names are not compared: the work is quadratic and names of tools and arguments are short. */
const LONGEST_NAME = 80;

/** Edits (insert, delete, replace, swap of neighbours) from one word to the other. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? from.length;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
/** `functions.web_search` and `web-search` in the words that they are made of, between underscores. */
const inWords = (name: string): string => `_${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_')}_`;

/** The closest of the candidates, best first, at most `count`; none when nothing is close. */
export function nearestNames(given: string, candidates: Iterable<string>, count = 3): string[] {
  if (given.length > LONGEST_NAME) return [];
  // One letter in two is no likeness.
  const limit = given.length < 3 ? 0 : Math.max(1, Math.floor(given.length / 3));
  const from = plain(given);
  const words = inWords(given);
  const distance = (candidate: string): number => {
    const to = plain(candidate);
    if (from === to) return 0;
    // `file_path` for `path`, `search` for `web_search`: one holds the other as a whole word.
    const others = from.length > 2 && to.length > 2 ? inWords(candidate) : '';
    if (others !== '' && (others.includes(words) || words.includes(others))) return 1;
    return Math.abs(from.length - to.length) > limit ? Number.POSITIVE_INFINITY : editDistance(from, to);
  };
  return [...candidates].filter((name) => name.length <= LONGEST_NAME)
    .map((name) => ({ name, distance: distance(name) }))
    .filter((candidate) => candidate.distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count).map(({ name }) => name);
}
