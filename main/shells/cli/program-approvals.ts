/** The commands about what waits for consent, what was decided, and what runs without asking. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CommandContext, ExitCode } from './command.ts';
import type { AllowlistChoices } from './commands/allowlist.ts';

type Run = (command: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

function count(most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most) throw new InvalidArgumentError(`It is a whole number from 1 to ${most}.`);
    return value;
  };
}

const more = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export function addApprovalCommands(program: Command, run: Run): void {
  addAllowlist(program, run);
  const approvals = program.command('approvals').description('list what waits for your consent, in whichever process')
    .action(() => run(async (context) => (await import('./commands/approvals.ts')).listApprovals(context)));
  approvals.command('approve').description('let a waiting command run').argument('<id>', 'from the list; its beginning will do')
    .addOption(new Option('--for <scope>', 'how far the consent reaches').choices(['once', 'session', 'always']).default('once'))
    .action((id: string, choices: { for: 'once' | 'session' | 'always' }) => run(async (context) => (await import('./commands/approvals.ts')).answerApproval(context, id, choices.for, undefined)));
  approvals.command('deny').description('refuse a waiting command').argument('<id>', 'from the list; its beginning will do')
    .option('--reason <words>', 'what the model reads')
    .action((id: string, choices: { reason?: string }) => run(async (context) => (await import('./commands/approvals.ts')).answerApproval(context, id, 'deny', choices.reason)));
  approvals.command('hold').description('stop the clock of a waiting command, or start it again').argument('<id>', 'from the list; its beginning will do')
    .option('--off', 'start the clock again', false)
    .action((id: string, choices: { off: boolean }) => run(async (context) => (await import('./commands/approvals.ts')).holdApproval(context, id, !choices.off)));
  approvals.command('watch').description('answer what waits, in whichever process, as it comes; Ctrl-C ends')
    .action(() => run(async (context) => (await import('./commands/approvals-watch.ts')).watchApprovals(context)));
  approvals.command('history').description('what was decided: when, by whom or what, which rule, how it ended').argument('[words]', 'in the command, chat, reason, rule, verdict or who decided')
    .addOption(new Option('--limit <number>', 'newest ones').argParser(count(1_000)).default(50))
    .action((words: string | undefined, choices: { limit: number }) => run(async (context) => (await import('./commands/approvals-history.ts')).history(context, words, choices.limit)));
  approvals.command('export').description('the whole history on stdout').argument('[words]', 'only what has these words')
    .addOption(new Option('--format <kind>', 'JSON, or a table that no spreadsheet runs').choices(['json', 'csv']).default('json'))
    .action((words: string | undefined, choices: { format: 'json' | 'csv' }) => run(async (context) => (await import('./commands/approvals-history.ts')).exportHistory(context, words, choices.format)));
}

function addAllowlist(program: Command, run: Run): void {
  program.command('allowlist').description('what runs without asking, what is always asked about, what never runs')
    .argument('[action]', 'list, rules, patterns, add, ask, deny, edit, remove, test, export or import', 'list').argument('[value]', 'entry, command, pattern, id of a rule, or file')
    .option('--accept [ids]', 'with import: take these items over; without ids only what asks or forbids')
    .option('--any-args', 'with edit: any further words may follow').option('--exact', 'with edit: no further words may follow')
    .option('--project <dir>', 'with ask, deny and edit: only below this directory').option('--everywhere', 'with edit: in every directory')
    .option('--backend <name>', 'with ask, deny and edit: only there; any = wherever')
    .addOption(new Option('--days <number>', 'with ask, deny and edit: for so long').argParser(count(36_500)))
    .addOption(new Option('--uses <number>', 'with ask, deny and edit: so often').argParser(count(1_000_000)))
    .option('--for-good', 'with edit: without an end')
    .option('--example <command>', 'with ask, deny and edit: it must match this; may be given again', more)
    .option('--not <command>', 'with ask, deny and edit: it must never match this; may be given again', more)
    .action((action: string, value: string | undefined, choices: AllowlistChoices) => run(async (context) => (await import('./commands/allowlist.ts')).allowlist(context, action, value, choices)));
}
