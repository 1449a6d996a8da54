/** `mcp-server`: stdout and stdin are the protocol; everything for people goes to stderr. */
import { VERSION } from '../../../version.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print } from '../streams.ts';

export interface McpServerChoices { readonly toolsets?: readonly string[]; readonly askClient: boolean; readonly session?: string; readonly cwd?: string }

/** Serves until the client closes its end, or a signal comes. */
export function mcpServer(context: CommandContext, choices: McpServerChoices): Promise<ExitCode> {
  const { streams, signal } = context;
  if (streams.interactive) throw new UsageError('mcp-server speaks a protocol on stdin and stdout; it is started by another agent', 'Put `talaria mcp-server` into that agent\'s list of MCP servers.');
  return context.withHost(choices.cwd === undefined ? {} : { cwd: choices.cwd }, async (host) => {
    const { serveTools } = await import('../../../mcp/serve.ts');
    const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
    const session = await host.openSession(choices.session, choices.cwd === undefined ? {} : { cwd: choices.cwd });
    if (choices.session === undefined) await host.handle('sessions.rename', { sessionId: session.id, title: 'Calls of another agent (MCP)' }, CALLER);
    // Requests wait for people elsewhere: in the app's window, or at another command line.
    const offSurface = host.approvals.addSurface('mcp-server');
    try {
      print(streams.stderr, `talaria: serving MCP on stdio; approvals wait in the app and in \`talaria approvals\`${choices.askClient ? ', and are put to the client' : ''}`);
      await serveTools({
        version: VERSION, sessionId: session.id, toolsets: choices.toolsets, askClient: choices.askClient, clock: streams.clock, log: host.log, events: host.events,
        listToolsets: () => host.handle('toolsets.list', { sessionId: session.id }, CALLER),
        callTool: (name, args, call) => host.callTool(name, args, call),
        decide: async (request, choice, reason) => {
          await host.handle('approvals.decide', { id: request.id, choice, ...(choice === 'deny' ? { reason } : {}) }, { via: 'cli', client: 'mcp-client' });
        },
      }, new StdioServerTransport(), signal);
      return EXIT.done;
    } finally {
      offSurface();
    }
  });
}
