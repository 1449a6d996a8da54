/** Fuzzy search over paths: every typed character must come in order; where they come decides the rank. Pure. */

export interface Candidate {
  readonly path: string;
  readonly lower: string;
  /** Where the last part of the path begins. */
  readonly nameAt: number;
}

export function candidate(path: string): Candidate {
  return { path, lower: path.toLowerCase(), nameAt: path.lastIndexOf('/', path.length - 2) + 1 };
}

const SEPARATORS = new Set(['/', '-', '_', '.', ' ']);
/** Points for a hit: any, directly after the one before, at the beginning of a word or a part, in the last part. */
const HIT = 1;
const NEXT = 5;
const WORD = 4;
const IN_NAME = 2;
/** The words as they were typed, in one piece, beat any scattered hit of the same length. */
const WHOLE_IN_NAME = 60;
const WHOLE_IN_PATH = 30;
const NAME_BEGINS = 40;

/** The larger, the better; undefined where a character is missing. `query` is in lower case. */
export function score({ path, lower, nameAt }: Candidate, query: string): number | undefined {
  let points = 0;
  let at = -1;
  for (let index = 0; index < query.length; index += 1) {
    const wanted = query.charAt(index);
    const found = lower.indexOf(wanted, at + 1);
    if (found < 0) return undefined;
    points += HIT;
    if (found === at + 1 && index > 0) points += NEXT;
    if (found === 0 || SEPARATORS.has(lower.charAt(found - 1)) || isHump(path, found)) points += WORD;
    if (found >= nameAt) points += IN_NAME;
    at = found;
  }
  const whole = lower.indexOf(query, nameAt);
  if (whole >= 0) points += WHOLE_IN_NAME + (whole === nameAt ? NAME_BEGINS : 0);
  else if (lower.includes(query)) points += WHOLE_IN_PATH;
  return points - path.length / 50;
}

/** The large letter of `chatView`. */
function isHump(path: string, at: number): boolean {
  const letter = path.charAt(at);
  const before = path.charAt(at - 1);
  return letter !== letter.toLowerCase() && before === before.toLowerCase();
}

/** How many are looked at before others get a turn: some 2 ms. */
const SLICE = 8_000;

const nextTurn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

/** The best `limit` of them, best first; with the same rank the shorter path, then the alphabet. Long lists do not hold up what else runs. */
export async function bestMatches(candidates: readonly Candidate[], typed: string, limit: number): Promise<string[]> {
  const query = typed.toLowerCase().replaceAll(/\s+/g, '');
  const best: { readonly path: string; readonly points: number }[] = [];
  const isBetter = (one: { path: string; points: number }, other: { path: string; points: number }): boolean =>
    one.points > other.points || (one.points === other.points && (one.path.length < other.path.length || (one.path.length === other.path.length && one.path < other.path)));
  for (let index = 0; index < candidates.length; index += 1) {
    if (index % SLICE === SLICE - 1) await nextTurn();
    const looked = candidates[index];
    const points = looked === undefined ? undefined : score(looked, query);
    if (looked === undefined || points === undefined) continue;
    const found = { path: looked.path, points };
    const last = best.at(-1);
    if (best.length === limit && last !== undefined && !isBetter(found, last)) continue;
    const place = best.findIndex((other) => isBetter(found, other));
    best.splice(place < 0 ? best.length : place, 0, found);
    if (best.length > limit) best.pop();
  }
  return best.map(({ path }) => path);
}
