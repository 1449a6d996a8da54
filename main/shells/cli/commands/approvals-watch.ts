/** `approvals watch`: the queue of this home, live, whichever process asks; on a terminal each question is put here too. */
import { AppError, type ApprovalRequest } from '../../../../preload/contract/index.ts';
import { approvalCard } from '../approval-card.ts';
import { askApproval } from '../approval-prompt.ts';
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import type { CliHost } from '../host-port.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

const OPEN = new Set<ApprovalRequest['state']>(['created', 'delivered', 'seen', 'held']);

/** Ends at Ctrl-C. With `--json`, or without a terminal: one line for each change, and nothing is asked. */
export function watchApprovals(context: CommandContext): Promise<ExitCode> {
  const { streams, json, paint, signal } = context;
  const asks = streams.interactive && !json;
  return context.withHost({}, async (host) => {
    const shown = new Map<string, AbortController>();
    let left = false;
    const ended = new Promise<void>((resolve) => { signal.addEventListener('abort', () => { resolve(); }, { once: true }); });
    const leave = Promise.withResolvers<undefined>();
    let questions = Promise.resolve();
    const show = (request: ApprovalRequest): void => {
      if (json) printJson(streams.stdout, { type: 'approval', request });
      const before = shown.get(request.id);
      if (!OPEN.has(request.state)) {
        before?.abort();
        shown.delete(request.id);
        if (!json && before !== undefined) print(streams.stdout, `${paint('dim', request.id)}  ${request.state}${request.decidedBy === undefined ? '' : ` by ${visibleLine(request.decidedBy)}`}`);
        return;
      }
      if (before !== undefined) return;
      const withdrawn = new AbortController();
      shown.set(request.id, withdrawn);
      if (asks) questions = questions.then(async () => { if (!left && !withdrawn.signal.aborted && await answer(context, host, request, withdrawn.signal) === 'left') { left = true; leave.resolve(undefined); } }).catch((error: unknown) => { leave.reject(error); });
      else if (!json) print(streams.stdout, `${paint('bold', request.id)}  ${visibleLine(request.sessionTitle)}\n${approvalCard(request, paint)}`);
    };
    // A screen: questions of other processes are looked for, and told when they are settled elsewhere.
    const off = [host.approvals.addSurface('cli'), host.events.subscribe('approvals', ({ request }) => { show(request); })];
    try {
      for (const request of await host.handle('approvals.list', {}, CALLER)) show(request);
      if (!json) print(streams.stderr, paint('dim', 'Watching what waits for consent. Ctrl-C ends.'));
      await Promise.race([ended, leave.promise]);
    } finally {
      for (const end of off) end();
      for (const question of shown.values()) question.abort();
    }
    return EXIT.done;
  });
}

/** `left`: Ctrl-C at the question ends the watching; whose process it is goes on waiting. */
async function answer({ streams }: CommandContext, host: CliHost, request: ApprovalRequest, withdrawn: AbortSignal): Promise<'answered' | 'left'> {
  const given = await askApproval(request, streams, withdrawn);
  if (given.kind === 'interrupted') return 'left';
  if (given.kind === 'withdrawn') return 'answered';
  try {
    await host.handle('approvals.decide', { id: request.id, choice: given.choice, ...(given.reason === undefined ? {} : { reason: given.reason }) }, CALLER);
  } catch (error) {
    /** Somebody elsewhere was faster, or its time ran out: the first answer counts. */
    if (!(error instanceof AppError)) throw error;
    print(streams.stderr, `  ${visibleLine(error.message)}`);
  }
  return 'answered';
}
