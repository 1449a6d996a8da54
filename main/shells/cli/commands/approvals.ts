/** `approvals`: what waits for a person, whichever process asked, and the answer to it. */
import { AppError, type ApprovalRequest } from '../../../../preload/contract/index.ts';
import { approvalCard } from '../approval-card.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import type { CliHost } from '../host-port.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

type Choice = 'once' | 'session' | 'always' | 'deny';

/** With `--json`: the requests as they cross the contract. */
export function listApprovals(context: CommandContext): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const open = await host.handle('approvals.list', {}, CALLER);
    if (context.json) printJson(context.streams.stdout, open);
    else if (open.length === 0) print(context.streams.stdout, 'Nothing waits for you.');
    else for (const request of open) print(context.streams.stdout, `${context.paint('bold', request.id)}  ${visibleLine(request.sessionTitle)}\n${approvalCard(request, context.paint)}`);
    return EXIT.done;
  });
}

/** `id` may be shortened as long as it is clear. */
export function answerApproval(context: CommandContext, id: string, choice: Choice, reason: string | undefined): Promise<ExitCode> {
  if (reason !== undefined && choice !== 'deny') throw new UsageError('--reason goes with deny');
  return context.withHost({}, async (host) => {
    const request = await find(host, id);
    const settled = await host.handle('approvals.decide', { id: request.id, choice, ...(reason === undefined ? {} : { reason }) }, CALLER);
    if (context.json) printJson(context.streams.stdout, settled);
    else print(context.streams.stdout, `${choice === 'deny' ? 'Denied' : 'Approved'}: ${visibleLine(request.command)}${choice === 'always' ? `\nFrom now on without asking: ${request.alwaysEntries.map(visibleLine).join('; ')}` : ''}`);
    return EXIT.done;
  });
}

/** Holding stops the clock; `held: false` starts the whole time again. */
export function holdApproval(context: CommandContext, id: string, held: boolean): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const request = await find(host, id);
    const changed = await host.handle('approvals.hold', { id: request.id, held }, CALLER);
    if (context.json) printJson(context.streams.stdout, changed);
    else print(context.streams.stdout, held ? 'Its clock stands: it waits until somebody answers.' : 'Its clock runs again.');
    return EXIT.done;
  });
}

async function find(host: CliHost, id: string): Promise<ApprovalRequest> {
  const open = await host.handle('approvals.list', {}, CALLER);
  const exact = open.filter((request) => request.id === id);
  const found = exact.length > 0 ? exact : open.filter((request) => request.id.startsWith(id));
  const [only] = found;
  if (only === undefined) throw new AppError('not-found', `No open request has the id ${id}.`, { hint: 'See `talaria approvals` for what waits.' });
  if (found.length > 1) throw new UsageError(`${id} stands for several open requests`, 'Give more of the id.');
  return only;
}
