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

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function distance(given: string, candidate: string): number {
  const from = plain(given);
  const to = plain(candidate);
  if (from === to) return 0;
  // `file_path` for `path`, `search` for `web_search`: one holds the other as a whole word.
  const within = from.length > 2 && to.length > 2 && (`_${candidate.toLowerCase()}_`.includes(`_${given.toLowerCase()}_`) || `_${given.toLowerCase()}_`.includes(`_${candidate.toLowerCase()}_`));
  return within ? 1 : editDistance(from, to);
}

/** The closest of the candidates, best first, at most `count`; none when nothing is close. */
export function nearestNames(given: string, candidates: Iterable<string>, count = 3): string[] {
  if (given.length > LONGEST_NAME) return [];
  const limit = Math.max(1, Math.floor(given.length / 3));
  return [...candidates].filter((name) => name.length <= LONGEST_NAME)
    .map((name) => ({ name, distance: distance(given, name) }))
    .filter((candidate) => candidate.distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count).map(({ name }) => name);
}
