/** How many Talarias stand around a process, each having started the next as an MCP server. */

const DEPTH = 'TALARIA_MCP_DEPTH';

export function depthOf(environment: Readonly<Record<string, string | undefined>>): number {
  const depth = Number(environment[DEPTH]);
  return Number.isInteger(depth) && depth > 0 ? depth : 0;
}

/** What the processes of our servers are told. */
export function deeper(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return { [DEPTH]: String(depthOf(environment) + 1) };
}
