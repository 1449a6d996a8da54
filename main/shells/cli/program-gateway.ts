/** The command about messengers. */
import type { Command } from 'commander';
import { PLATFORM_NAMES } from '../../../preload/contract/gateway.ts';
import type { CommandContext, ExitCode } from './command.ts';

type Run = (command: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

export function addGatewayCommands(program: Command, run: Run): void {
  const names = PLATFORM_NAMES.join(', ');
  const gateway = program.command('gateway').description('messengers: who is connected, and who may talk to the agent')
    .action(() => run(async (context) => (await import('./commands/gateway.ts')).status(context)));
  gateway.command('run').description('serve the messengers and scheduled work until Ctrl-C')
    .action(() => run(async (context) => (await import('./commands/gateway.ts')).serve(context)));
  gateway.command('status').description('state of each messenger, and the people who are let in')
    .action(() => run(async (context) => (await import('./commands/gateway.ts')).status(context)));
  gateway.command('pair').description('show a code that lets one person in, who sends it to the bot within the hour').argument('<platform>', names)
    .action((platform: string) => run(async (context) => (await import('./commands/gateway.ts')).pair(context, platform)));
  for (const action of ['allow', 'revoke'] as const) {
    gateway.command(action).description(action === 'allow' ? 'let a person in by the id that the messenger gives them' : 'take that back').argument('<platform>', names).argument('<sender>', 'id of the person')
      .action((platform: string, sender: string) => run(async (context) => (await import('./commands/gateway.ts')).changePerson(context, action, platform, sender)));
  }
}
