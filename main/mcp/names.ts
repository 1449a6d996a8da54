/** Names that an MCP server's tools get here (hermes-runtime 7.13). */

const plain = (text: string): string => text.replace(/\W/g, '_');

export const toolName = (server: string, tool: string): string => `mcp_${plain(server)}_${plain(tool)}`;
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
