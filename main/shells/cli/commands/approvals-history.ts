/** `approvals history` and `approvals export`: what was decided, by a person or by a rule. */
import type { ApprovalRequest } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

const MARKS: ReadonlyMap<ApprovalRequest['state'], 'green' | 'red' | 'yellow'> = new Map([['approved', 'green'], ['denied', 'red'], ['expired', 'yellow'], ['cancelled', 'yellow']]);
const NO_FILTER = {};

/** Newest first. With `--json`: the requests as they cross the contract. */
export function history(context: CommandContext, words: string | undefined, limit: number): Promise<ExitCode> {
  const { streams, json, paint } = context;
  return context.withHost({}, async (host) => {
    const rows = await host.handle('approvals.history', { limit, ...(words === undefined ? NO_FILTER : { query: words }) }, CALLER);
    if (json) printJson(streams.stdout, rows);
    else if (rows.length === 0) print(streams.stdout, words === undefined ? 'Nothing was decided yet.' : 'Nothing has these words.');
    else {
      for (const row of rows) {
        const at = new Date(row.decidedAt ?? row.createdAt).toISOString().slice(0, 19).replace('T', ' ');
        const about = [row.choice, `by ${row.decidedBy ?? 'nobody'}`, ...(row.review.rule === undefined ? [] : [row.review.rule]), ...row.savedRules ?? [], ...(row.exitCode === undefined || row.exitCode === null ? [] : [`exit ${row.exitCode}`])];
        print(streams.stdout, `${at}  ${paint(MARKS.get(row.state) ?? 'yellow', row.state.padEnd(9))}  ${visibleLine(row.editedCommand ?? row.command)}\n  ${paint('dim', visibleLine(`${row.sessionTitle} · ${row.backend} · ${about.join(' · ')}`))}`);
      }
    }
    return EXIT.done;
  });
}

/** The text as it is, so that it can be sent into a file. */
export function exportHistory(context: CommandContext, words: string | undefined, format: 'json' | 'csv'): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const { text, count } = await host.handle('approvals.export', { format, ...(words === undefined ? NO_FILTER : { query: words }) }, CALLER);
    context.streams.stdout.write(text);
    if (context.streams.interactive) print(context.streams.stderr, `${count} decisions.`);
    return EXIT.done;
  });
}
