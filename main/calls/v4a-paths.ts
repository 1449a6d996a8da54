const HEADER = /^\*\*\*\s*(?:Update|Add|Delete) File:\s*(.+?)\s*$/;
const MOVE_FILE = /^\*\*\*\s*Move File(?: to)?:\s*(.+?)\s*$/;
const MOVE_TO = /^\*\*\*\s*Move to:\s*(.+?)\s*$/;

/** Both paths of `from -> to`. An arrow may also stand in a name: then all that it could mean. */
function bothPaths(move: string): string[] {
  const parts = move.split(/\s+->\s+/);
  return parts.length === 2 ? parts : [move, ...move.split('->').map((part) => part.trim()).filter((part) => part !== '')];
}

/** Paths that a V4A patch touches, from its headers; a move touches both of its paths. */
export function pathsOfPatch(patch: string): string[] {
  const paths = new Set<string>();
  for (const line of patch.split(/\r?\n/)) {
    const path = HEADER.exec(line.trim())?.[1] ?? MOVE_TO.exec(line.trim())?.[1];
    if (path !== undefined) paths.add(path);
    const move = MOVE_FILE.exec(line.trim())?.[1];
    if (move !== undefined) for (const each of bothPaths(move)) paths.add(each);
  }
  return [...paths];
}
