/** Names that an MCP server's tools get here (hermes-runtime 7.13). */
import { createHash } from 'node:crypto';

/** Model servers take no longer name of a function. */
const LONGEST_NAME = 64;
const DIGEST_CHARS = 8;

const plain = (text: string): string => text.replace(/\W/g, '_');

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS);

/** A name that is too long ends in a digest of the whole, which keeps it apart from others that begin like it. */
function bounded(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  return `${name.slice(0, LONGEST_NAME - DIGEST_CHARS - 1)}_${digestOf(name)}`;
}

export const toolName = (server: string, tool: string): string => bounded(`mcp_${plain(server)}_${plain(tool)}`);

/**
 * A server's own name → the name here, for all tools of one server. Names that would be the same here, such as two in another script, each end in
 * a digest of their own, so that it does not depend on the order of the list which is which.
 */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Map(tools.map((tool) => [tool, toolName(server, tool)]));
  const uses = new Map<string, number>();
  for (const name of wanted.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map([...wanted].map(([tool, name]) => [tool, uses.get(name) === 1 ? name : bounded(`${name.slice(0, LONGEST_NAME - DIGEST_CHARS - 1)}_${digestOf(tool)}`)]));
}
/** Stands for a server of which no tool is known yet. */
export const placeholderName = (server: string): string => bounded(`mcp_${plain(server)}`);
export const toolsetName = (server: string): string => `mcp-${server}`;

function globMatches(pattern: string, name: string): boolean {
  const source = pattern.split(/([*?])/).map((part) => (part === '*' ? '.*' : part === '?' ? '.' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))).join('');
  return new RegExp(`^${source}$`, 's').test(name);
}

/** Whether the configuration wants a tool, by its own name; `include` beats `exclude`. */
export function isWanted(name: string, { include, exclude }: { readonly include?: readonly string[] | undefined; readonly exclude?: readonly string[] | undefined }): boolean {
  if (include !== undefined) return include.some((pattern) => globMatches(pattern, name));
  return exclude?.some((pattern) => globMatches(pattern, name)) !== true;
}
