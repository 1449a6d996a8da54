const HEADER = /^\*\*\*\s*(?:Update|Add|Delete) File:\s*(.+?)\s*$/;
const MOVE = /^\*\*\*\s*Move(?: File)?(?: to)?:\s*(.+?)\s*$/;

/** Paths that a V4A patch touches, from its headers; a move touches both of its paths. */
export function pathsOfPatch(patch: string): string[] {
  const paths = new Set<string>();
  for (const line of patch.split(/\r?\n/)) {
    const header = HEADER.exec(line.trim());
    if (header?.[1] !== undefined) paths.add(header[1]);
    const move = MOVE.exec(line.trim());
    for (const path of move?.[1]?.split('->') ?? []) if (path.trim() !== '') paths.add(path.trim());
  }
  return [...paths];
}
