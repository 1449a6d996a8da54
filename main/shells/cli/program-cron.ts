/** `cron …`: scheduled work on the command line. */
import { InvalidArgumentError, type Command } from 'commander';
import type { CommandContext, ExitCode } from './command.ts';
import type { DraftChoices } from './commands/cron-draft.ts';

type Run = (command: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

const collect = (text: string, before: readonly string[] = []): string[] => [...before, ...text.split(',').map((name) => name.trim()).filter((name) => name !== '')];

function count(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('A number from 1 to 9999999.');
  return Number(text);
}

export function addCronCommands(program: Command, run: Run): void {
  const cron = program.command('cron').description('scheduled work: what is set up, and when it runs next')
    .action(() => run(async (context) => (await import('./commands/cron.ts')).list(context)));
  cron.command('list').description('the jobs, and when each runs next')
    .action(() => run(async (context) => (await import('./commands/cron.ts')).list(context)));
  withDraft(cron.command('create').alias('add').description('make a job')
    .argument('<schedule>', "when: '30m', 'every 2h', 'daily at 9:00', '0 9 * * 1-5'").argument('[prompt]', 'what to ask the model'))
    .action((schedule: string, prompt: string | undefined, choices: DraftChoices) =>
      run(async (context) => (await import('./commands/cron.ts')).create(context, { ...choices, schedule, ...(prompt === undefined ? {} : { prompt }) })));
  withDraft(cron.command('update').alias('edit').description('change a job; what is not named stays').argument('<job>', 'id or name'))
    .option('--schedule <when>', 'when it runs').option('--prompt <text>', 'what to ask the model')
    .action((job: string, choices: DraftChoices) => run(async (context) => (await import('./commands/cron.ts')).update(context, job, choices)));
  for (const [name, words] of [['pause', 'keep a job from running'], ['resume', 'let a paused job run again'], ['remove', 'delete a job; its history stays']] as const) {
    cron.command(name).description(words).argument('<job>', 'id or name')
      .action((job: string) => run(async (context) => (await import('./commands/cron.ts')).act(context, name, job)));
  }
  cron.command('run').description('run a job now, here, and wait for its result').argument('<job>', 'id or name')
    .action((job: string) => run(async (context) => (await import('./commands/cron.ts')).runNow(context, job)));
  cron.command('history').description('what became of the runs, newest first').argument('[job]', 'id or name')
    .option('--limit <number>', 'how many', count, 20)
    .action((job: string | undefined, { limit }: { limit: number }) => run(async (context) => (await import('./commands/cron.ts')).history(context, job, limit)));
  cron.command('serve').description('run what is due, here in the terminal, until Ctrl-C; the app does the same while it is open')
    .action(() => run(async (context) => (await import('./commands/cron.ts')).serve(context)));
}

function withDraft(command: Command): Command {
  return command.option('--name <name>', 'what it is called').option('--repeat <number>', 'runs in all, then it is done', count)
    .option('--deliver <where>', "where results go: 'local', or a messenger's name").option('--skills <names>', 'skills to give the model, separated by commas', collect)
    .option('--script <file>', 'file below <home>/scripts that runs first; the model reads its output')
    .option('--no-agent', "ask no model: the script's output is the result").option('--agent', 'ask the model again')
    .option('--context-from <jobs>', 'jobs whose last result the model reads, separated by commas', collect)
    .option('--toolsets <names>', 'only these toolsets, separated by commas', collect).option('--workdir <dir>', 'directory it works in').option('--model <name>', 'model to use');
}
