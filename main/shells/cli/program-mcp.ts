/** The commands about MCP in both directions. */
import type { Command } from 'commander';
import type { CommandContext, ExitCode } from './command.ts';
import type { McpServerChoices } from './commands/mcp-server.ts';

type Run = (command: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

const list = (text: string): string[] => text.split(',').map((name) => name.trim()).filter((name) => name !== '');

export function addMcpCommands(program: Command, run: Run): void {
  const mcp = program.command('mcp').description('list the MCP servers of config.yaml and their tools')
    .action(() => run(async (context) => (await import('./commands/mcp.ts')).listServers(context)));
  mcp.command('login').description('sign in to a remote server; the page to open stands on stderr').argument('<server>', 'name in config.yaml')
    .action((server: string) => run(async (context) => (await import('./commands/mcp.ts')).login(context, server)));
  mcp.command('logout').description('forget the tokens of a server').argument('<server>', 'name in config.yaml')
    .action((server: string) => run(async (context) => (await import('./commands/mcp.ts')).logout(context, server)));
  for (const [name, enabled] of [['enable', true], ['disable', false]] as const) {
    mcp.command(name).description(`switch one tool of a server ${enabled ? 'on' : 'off'} for all chats`).argument('<server>', 'name in config.yaml').argument('<tool>', 'the server\'s own name for it')
      .action((server: string, tool: string) => run(async (context) => (await import('./commands/mcp.ts')).switchTool(context, server, tool, enabled)));
  }
  program.command('mcp-server').description('offer the tools to another agent over MCP, on stdin and stdout')
    .option('--toolsets <names>', 'offer exactly these toolsets, separated by commas', list)
    .option('--ask-client', 'approvals are put to the calling agent\'s person as well, where it can ask', false)
    .option('--session <id>', 'chat to run the calls in, made when there is none of that name').option('--cwd <dir>', 'directory to start in')
    .action((choices: McpServerChoices) => run(async (context) => (await import('./commands/mcp-server.ts')).mcpServer(context, choices)));
}
