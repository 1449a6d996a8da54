/** `allowlist list | add | remove | test`: the permanent rules in `command_allowlist` of config.yaml. */
import type { AllowlistEntry } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';
import { check } from './check.ts';

export function allowlist(context: CommandContext, action: string, value: string | undefined): Promise<ExitCode> {
  switch (action) {
    case 'list': return context.withHost({}, async (host) => show(context, await host.handle('allowlist.list', {}, CALLER)));
    case 'add': {
      const entry = needed(value, 'add', 'the entry to add');
      return context.withHost({}, async (host) => show(context, await host.handle('allowlist.add', { entry }, CALLER)));
    }
    case 'remove': {
      const entry = needed(value, 'remove', 'the entry to remove');
      return context.withHost({}, async (host) => show(context, await host.handle('allowlist.remove', { entry }, CALLER)));
    }
    case 'test': return check(context, needed(value, 'test', 'the command to test'), {});
    default: throw new UsageError(`allowlist knows no action ${JSON.stringify(action)}`, 'Actions: list, add ENTRY, remove ENTRY, test COMMAND.');
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
