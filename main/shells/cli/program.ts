/** The commands and their options. What a command does is loaded when it is chosen, so that the others cost nothing. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { UsageError, type CommandContext, type ExitCode } from './command.ts';
import { addApprovalCommands } from './program-approvals.ts';
import { addCronCommands } from './program-cron.ts';
import { addGatewayCommands } from './program-gateway.ts';
import { addMcpCommands } from './program-mcp.ts';
import type { CheckpointChoices } from './commands/checkpoints.ts';
import type { CallChoices } from './commands/call.ts';
import type { ChatChoices } from './commands/chat.ts';
import type { RunChoices } from './commands/run.ts';
import type { SkillChoices } from './commands/skills.ts';
import type { Streams } from './streams.ts';

export interface Globals { readonly home?: string; readonly json?: boolean; readonly yolo?: boolean }

export interface ServeChoices { readonly port: number; readonly open: boolean; readonly beyondLoopback: boolean; readonly yolo: boolean }

export interface Actions {
  /** Runs the chosen command with the options that every command takes. */
  run(globals: Globals, command: (context: CommandContext) => Promise<ExitCode>): Promise<void>;
  /** `serve` belongs to the browser shell; the launcher hands it in. */
  serve(choices: ServeChoices, context: CommandContext): Promise<ExitCode>;
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('A port is a number from 0 (any free one) to 65535.');
  return value;
}

const list = (text: string): string[] => text.split(',').map((name) => name.trim()).filter((name) => name !== '');

function sessionName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) throw new InvalidArgumentError('A session name has up to 64 letters, digits, dots, dashes and underscores, and starts with a letter or digit.');
  return text;
}

const sessionOption = (): Option => new Option('--session <id>', 'chat to go on with, made when there is none of that name').argParser(sessionName);

/** `streams` get help and complaints. Parsing throws a `CommanderError` instead of ending the process. */
export function createProgram(version: string, streams: Pick<Streams, 'stdout' | 'stderr'>, actions: Actions): Command {
  const program = new Command('talaria');
  program
    .description('The Hermes tool runtime on the command line.')
    .version(version)
    .option('--home <dir>', 'home folder (else HERMES_HOME, else ~/.hermes)')
    .option('--json', 'machine-readable output')
    .option('--yolo', 'ask nothing in this run: only what never runs and your deny rules are stopped')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .configureOutput({ writeOut: (text) => { streams.stdout.write(text); }, writeErr: (text) => { streams.stderr.write(text); } })
    .exitOverride();
  const run = (command: (context: CommandContext) => Promise<ExitCode>): Promise<void> => actions.run(program.opts<Globals>(), command);

  const tools = program.command('tools').description('list the tools')
    .action(() => run(async (context) => (await import('./commands/lists.ts')).tools(context)));
  tools.command('trust').description('trust a user tool, a plugin or the changed tools of an MCP server as it is now')
    .argument('<name>', 'file, plugin or toolset')
    .action((name: string) => run(async (context) => (await import('./commands/trust.ts')).trust(context, name)));
  tools.command('explain').description('why the model does not get a toolset or tool, and how to mend it')
    .argument('<name>', 'toolset or tool').addOption(sessionOption())
    .action((name: string, { session }: { session?: string }) => run(async (context) => (await import('./commands/explain.ts')).explain(context, name, session)));
  program.command('plugins').description('list the plugins, switch them, install them from npm')
    .argument('[action]', 'list, enable, disable, install or remove', 'list').argument('[name]', 'plugin, or package to install')
    .action((action: string, name: string | undefined) => run(async (context) => (await import('./commands/plugins.ts')).plugins(context, action, name)));
  program.command('skills').description('list the skills, read one, switch it on or off')
    .argument('[action]', 'list, show, enable or disable', 'list').argument('[name]', 'skill, or category/skill')
    .option('--file <path>', 'with show: one of its other files').option('--platform <name>', 'with enable and disable: only for chats there, such as telegram (cli = this computer)')
    .action((action: string, name: string | undefined, choices: SkillChoices) => run(async (context) => (await import('./commands/skills.ts')).skills(context, action, name, choices)));
  program.command('toolsets').description('list the toolsets')
    .action(() => run(async (context) => (await import('./commands/lists.ts')).toolsets(context)));
  program.command('call').description('call one tool; its result goes to stdout')
    .argument('<name>', 'tool').argument('<json>', 'arguments as one JSON object')
    .addOption(new Option('--approve <choice>', 'answer every approval like this').choices(['once', 'deny']))
    .addOption(sessionOption()).option('--cwd <dir>', 'directory to start in').option('--backend <name>', 'terminal backend of the chat from now on, such as docker')
    .action((name: string, json: string, choices: CallChoices) => run(async (context) => (await import('./commands/call.ts')).call(context, name, json, choices)));
  program.command('check').description('the verdict on a command, without running it')
    .argument('[command]', 'shell command').option('--stdin', 'read one JSON string per line, answer one JSON object per line')
    .option('--backend <name>', 'terminal backend it would run on')
    .action((command: string | undefined, options: { stdin?: boolean; backend?: string }) => run(async (context) => {
      const { check, checkLines } = await import('./commands/check.ts');
      if ((options.stdin === true) === (command !== undefined)) throw new UsageError('check takes either a command or --stdin');
      return command === undefined ? checkLines(context, options) : check(context, command, options);
    }));
  program.command('run').description('one prompt, streamed to stdout')
    .argument('<prompt>', 'what to ask')
    .option('--model <name>', 'model to use').option('--base-url <url>', 'OpenAI-compatible endpoint')
    .option('--toolsets <names>', 'leave exactly these on, separated by commas', list).option('--disable <names>', 'take these away, separated by commas', list)
    .addOption(new Option('--approvals <rule>', 'ask on the terminal, deny all, or off: consent to each once').choices(['ask', 'deny', 'off']).default('ask'))
    .addOption(sessionOption()).option('--cwd <dir>', 'directory to start in').option('--backend <name>', 'terminal backend of the chat from now on, such as docker')
    .action((prompt: string, choices: RunChoices) => run(async (context) => (await import('./commands/run.ts')).run(context, prompt, choices)));
  program.command('chat').description('a conversation on the terminal')
    .option('--model <name>', 'model to use').option('--base-url <url>', 'OpenAI-compatible endpoint')
    .addOption(sessionOption()).option('--cwd <dir>', 'directory to start in').option('--backend <name>', 'terminal backend of the chat from now on, such as docker')
    .action((choices: ChatChoices) => run(async (context) => (await import('./commands/chat.ts')).chat(context, choices)));
  program.command('serve').description('serve the app to a browser on this machine; the first line is its link')
    .option('--port <number>', 'port (0 = any free one)', port, 0).option('--no-open', 'do not open a browser')
    .option('--listen-beyond-loopback', 'let other machines connect; anybody who has the link can run commands here', false)
    .action((options: { port: number; open: boolean; listenBeyondLoopback: boolean }) =>
      run((context) => actions.serve({ port: options.port, open: options.open, beyondLoopback: options.listenBeyondLoopback, yolo: program.opts<Globals>().yolo ?? false }, context)));
  program.command('sessions').description('list the chats, search their messages, print one of them whole, or fork it')
    .argument('[action]', 'search, export or fork').argument('[query]', 'words to find, or the chat')
    .addOption(new Option('--format <name>', 'of an export').choices(['markdown', 'json']).default('markdown'))
    .option('--from <message>', 'of a fork: the last message to take along (else all of the chat)')
    .action((action: string | undefined, query: string | undefined, { format, from }: { format: 'markdown' | 'json'; from?: string }) => run(async (context) => {
      if (action !== undefined && (!['search', 'export', 'fork'].includes(action) || query === undefined)) throw new UsageError('sessions takes nothing, or: search QUERY, export CHAT, fork CHAT');
      if (from !== undefined && action !== 'fork') throw new UsageError('--from goes with sessions fork CHAT');
      if (action === 'export' && query !== undefined) return (await import('./commands/export-chat.ts')).exportChat(context, query, format);
      if (action === 'fork' && query !== undefined) return (await import('./commands/fork-chat.ts')).forkChat(context, query, from);
      return (await import('./commands/lists.ts')).sessions(context, query);
    }));
  addApprovalCommands(program, run);
  addMcpCommands(program, run);
  addGatewayCommands(program, run);
  addCronCommands(program, run);
  program.command('checkpoints').description('files as they were before tools changed them')
    .argument('[action]', 'list, diff or restore', 'list').argument('[id]', 'checkpoint').argument('[path]', 'only this file')
    .addOption(new Option('--session <id>', 'with list: only of this chat').argParser(sessionName))
    .option('--since', 'with restore: back to before this and all later changes of its chat')
    .action((action: string, id: string | undefined, path: string | undefined, choices: CheckpointChoices) =>
      run(async (context) => (await import('./commands/checkpoints.ts')).checkpoints(context, action, id, path, choices)));
  program.command('doctor').description('what works on this machine, what does not, and how to mend it')
    .action(() => run(async (context) => (await import('./commands/lists.ts')).doctor(context)));
  return program;
}
