/** `allowlist export` and `allowlist import FILE [--accept [ids]]`: rules out of a home and into another one. */
import { readFile } from 'node:fs/promises';
import type { ImportItem, ImportPreview } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

/** Writes the export to stdout. */
export function exportRules(context: CommandContext): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const { text } = await host.handle('approvalRules.export', {}, CALLER);
    context.streams.stdout.write(text);
    return EXIT.done;
  });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, 'Give the file that "talaria allowlist export" has written.');
  }
}

/**
 * Without `accept`: shows what the file would change, and changes nothing. `accept` names items of that look, separated by commas; `true` stands
 * for every new rule that asks or forbids, since what allows is named by its id, so that nobody allows what they have not seen.
 */
export async function importRules(context: CommandContext, file: string, accept: string | true | undefined): Promise<ExitCode> {
  const text = await textOf(file);
  const { streams, json } = context;
  return context.withHost({}, async (host) => {
    const look = await host.handle('approvalRules.importPreview', { text }, CALLER);
    if (accept === undefined) {
      show(context, look, file);
      return EXIT.done;
    }
    const ids = accept === true ? look.items.filter(({ state, kind }) => state === 'new' && kind !== 'allow').map(({ id }) => id)
      : accept.split(',').map((id) => id.trim()).filter((id) => id !== '');
    const after = await host.handle('approvalRules.importAccept', { text, ids }, CALLER);
    if (json) printJson(streams.stdout, after);
    else print(streams.stdout, `${ids.length} taken over.`);
    const left = after.items.filter(({ state }) => state === 'new');
    if (!json && left.length > 0) show(context, { ...after, items: left, removed: [] }, file);
    return EXIT.done;
  });
}

const SIGNS = { new: '+', same: '=', refused: '!' } as const;

function show({ streams, json, paint }: CommandContext, look: ImportPreview, file: string): void {
  if (json) return printJson(streams.stdout, look);
  const colours = { new: 'green', same: 'dim', refused: 'yellow' } as const;
  const line = ({ id, what, text, state, why }: ImportItem): string =>
    `${paint(colours[state], SIGNS[state])} ${paint('dim', id)}  ${visibleLine(what === 'entry' ? `${text}  (command_allowlist)` : text)}${why === undefined ? '' : `  ${paint('yellow', visibleLine(why))}`}`;
  for (const item of look.items) print(streams.stdout, line(item));
  for (const removed of look.removed) print(streams.stdout, `${paint('dim', '  only here, stays:')} ${visibleLine(removed)}`);
  const fresh = look.items.filter(({ state }) => state === 'new');
  if (fresh.length === 0) print(streams.stdout, 'Nothing new in it.');
  else print(streams.stdout, `Nothing was changed. To take these over: talaria allowlist import ${visibleLine(file)} --accept ${fresh.map(({ id }) => id).join(',')}`);
}
