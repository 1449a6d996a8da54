/** `allowlist ACTION`: `command_allowlist` of config.yaml, and the rules of our own. */
import { RuleId, type AllowlistEntry, type ListedRule } from '../../../../preload/contract/index.ts';
import type { RequestOutput } from '../../../../preload/contract/requests.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';
import { exportRules, importRules } from './allowlist-exchange.ts';
import { testCommand } from './allowlist-test.ts';
import { editedRule, newRule, type RuleChoices } from './rule-choices.ts';

/** `accept`: true when it names no items. */
export interface AllowlistChoices extends RuleChoices { readonly accept?: string | true }

export function allowlist(context: CommandContext, action: string, value: string | undefined, choices: AllowlistChoices = {}): Promise<ExitCode> {
  const { accept } = choices;
  if (accept !== undefined && action !== 'import') throw new UsageError('--accept goes with allowlist import');
  switch (action) {
    case 'ask': case 'deny': {
      const draft = newRule(action, needed(value, action, 'the pattern, such as "npm publish*"'), choices);
      return context.withHost({}, async (host) => showRules(context, await host.handle('approvalRules.add', { rule: draft }, CALLER)));
    }
    case 'edit': {
      const id = RuleId.safeParse(needed(value, 'edit', 'the id of the rule: see allowlist rules'));
      if (!id.success) throw new UsageError(`${JSON.stringify(value)} is no id of a rule`, 'Ids stand in: talaria allowlist rules');
      return context.withHost({}, async (host) => {
        const listed = (await host.handle('approvalRules.list', {}, CALLER)).find(({ rule }) => rule.id === id.data);
        if (listed === undefined) throw new UsageError(`there is no rule ${id.data}`, 'Ids stand in: talaria allowlist rules');
        return showRules(context, await host.handle('approvalRules.update', { id: id.data, rule: editedRule(listed.rule, choices) }, CALLER));
      });
    }
    case 'patterns': return context.withHost({}, async (host) => showPatterns(context, await host.handle('allowlist.patterns', {}, CALLER)));
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
    default: throw new UsageError(`allowlist knows no action ${JSON.stringify(action)}`, 'Actions: list, rules, patterns, add ENTRY, ask PATTERN, deny PATTERN, edit RULE-ID, remove ENTRY|RULE-ID, test COMMAND, export, import FILE [--accept IDS].');
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

function showPatterns({ streams, json, paint }: CommandContext, patterns: RequestOutput<'allowlist.patterns'>): ExitCode {
  if (json) printJson(streams.stdout, patterns);
  const colours = { floor: 'red', danger: 'yellow', unknown: 'yellow' } as const;
  const words = { floor: 'never runs', danger: 'asks', unknown: 'asks' } as const;
  if (!json) for (const { pattern, description, tier, own } of patterns) print(streams.stdout, `${paint(colours[tier], words[tier].padEnd(10))} ${visibleLine(description)}${own ? paint('dim', '  (config.yaml)') : ''}\n             ${paint('dim', visibleLine(pattern))}`);
  return EXIT.done;
}
