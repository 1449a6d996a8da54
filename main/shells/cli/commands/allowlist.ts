/** `allowlist list | rules | add | remove | test | export | import`: `command_allowlist` of config.yaml, and the rules of our own. */
import { RuleId, type AllowlistEntry, type ListedRule } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';
import { exportRules, importRules } from './allowlist-exchange.ts';
import { testCommand } from './allowlist-test.ts';

/** `accept`: the option of `import`; true when it names no items. */
export function allowlist(context: CommandContext, action: string, value: string | undefined, accept?: string | true): Promise<ExitCode> {
  if (accept !== undefined && action !== 'import') throw new UsageError('--accept goes with allowlist import');
  switch (action) {
    case 'list': return context.withHost({}, async (host) => show(context, await host.handle('allowlist.list', {}, CALLER)));
    case 'rules': return context.withHost({}, async (host) => showRules(context, await host.handle('approvalRules.list', {}, CALLER)));
    case 'add': {
      const entry = needed(value, 'add', 'the entry to add');
      return context.withHost({}, async (host) => show(context, await host.handle('allowlist.add', { entry }, CALLER)));
    }
    case 'remove': {
      const entry = needed(value, 'remove', 'the entry or the id of the rule to remove');
      const rule = RuleId.safeParse(entry);
      if (rule.success) return context.withHost({}, async (host) => showRules(context, await host.handle('approvalRules.remove', { id: rule.data }, CALLER)));
      return context.withHost({}, async (host) => show(context, await host.handle('allowlist.remove', { entry }, CALLER)));
    }
    case 'test': return testCommand(context, needed(value, 'test', 'the command to test'));
    case 'export': return exportRules(context);
    case 'import': return importRules(context, needed(value, 'import', 'the file to import'), accept);
    default: throw new UsageError(`allowlist knows no action ${JSON.stringify(action)}`, 'Actions: list, rules, add ENTRY, remove ENTRY|RULE-ID, test COMMAND, export, import FILE [--accept IDS].');
  }
}

function needed(value: string | undefined, action: string, what: string): string {
  if (value === undefined) throw new UsageError(`allowlist ${action} needs ${what}`);
  return value;
}

function show({ streams, json, paint }: CommandContext, entries: readonly AllowlistEntry[]): ExitCode {
  if (json) printJson(streams.stdout, entries);
  else if (entries.length === 0) print(streams.stdout, 'The allowlist is empty: every flagged command is asked about.');
  else for (const entry of entries) print(streams.stdout, `${visibleLine(entry.entry)}  ${paint('dim', entry.kind)}${entry.warning === undefined ? '' : `  ${paint('yellow', visibleLine(entry.warning))}`}`);
  return EXIT.done;
}

function showRules({ streams, json, paint }: CommandContext, rules: readonly ListedRule[]): ExitCode {
  if (json) printJson(streams.stdout, rules);
  else if (rules.length === 0) print(streams.stdout, 'There are no rules of our own; "allowlist list" shows command_allowlist.');
  else for (const { rule, text, holds, remarks } of rules) {
    print(streams.stdout, `${paint('dim', rule.id)}  ${paint(holds ? 'bold' : 'dim', visibleLine(text))}${rule.uses === 0 ? '' : paint('dim', `  used ${rule.uses} ×`)}`);
    for (const remark of remarks) print(streams.stdout, `  ${paint('yellow', visibleLine(remark.text))}`);
  }
  return EXIT.done;
}
