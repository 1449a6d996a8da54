/** `mcp.*`: the servers of config.yaml. */
import type { McpDesk } from '../mcp/mcp.ts';
import type { AreaHandlers } from './handlers.ts';

export function mcpRequests(desk: McpDesk): AreaHandlers<'mcp'> {
  return {
    'mcp.list': () => desk.list(),
    'mcp.signIn': async ({ server }) => {
      await desk.signIn(server);
      return desk.list();
    },
    'mcp.signOut': async ({ server }) => {
      await desk.signOut(server);
      return desk.list();
    },
    'mcp.restart': async ({ server }) => {
      await desk.restart(server);
      return desk.list();
    },
    'mcp.setTool': async ({ server, tool, enabled }) => {
      await desk.setTool(server, tool, enabled);
      return desk.list();
    },
  };
}
