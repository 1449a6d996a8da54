/** Names that an MCP server's tools get here (hermes-runtime 7.13). */
import { createHash } from 'node:crypto';

/** Model servers take no longer name of a function. */
const LONGEST_NAME = 64;
const DIGEST_CHARS = 8;

const plain = (text: string): string => text.replace(/\W/g, '_');

/** A name that is too long ends in a digest of the whole, which keeps it apart from others that begin like it. */
function bounded(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  return `${name.slice(0, LONGEST_NAME - DIGEST_CHARS - 1)}_${createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARS)}`;
}

export const toolName = (server: string, tool: string): string => bounded(`mcp_${plain(server)}_${plain(tool)}`);
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
