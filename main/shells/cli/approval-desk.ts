/** Answers the approval requests of one command: by asking on the terminal, or by the rule the command line gave. */
import { AppError, type ApprovalRequest, type SessionId } from '../../../preload/contract/index.ts';
import { CALLER } from './command.ts';
import { askApproval } from './approval-prompt.ts';
import type { CliHost } from './host-port.ts';
import { print } from './streams.ts';
import type { Streams } from './streams.ts';

/** `ask` on the terminal (denied where there is none), `deny` all, `once` = consent to each once. Floors block before anybody is asked. */
export type ApprovalRule = 'ask' | 'deny' | 'once';

const OPEN_STATES = new Set<ApprovalRequest['state']>(['created', 'delivered', 'seen', 'held']);

export interface DeskOptions {
  readonly host: CliHost;
  readonly streams: Streams;
  readonly rule: ApprovalRule;
  /** Only what this chat and its sub-agents ask is answered here: other processes of the home have their own people. */
  readonly sessionId: SessionId;
  /** Told of each request once, when it opens. */
  readonly onOpened?: (request: ApprovalRequest) => void;
  /** Ctrl-C at a question. */
  readonly onInterrupt: () => void;
  /** Called before a question is shown, so that a half-written line can be ended. */
  readonly beforeQuestion?: () => void;
}

/** Starts answering; the returned function stops it and withdraws a question that is on the screen. */
export function openApprovalDesk(options: DeskOptions): () => void {
  const { host, streams, rule } = options;
  const seen = new Map<string, AbortController>();
  let queue = Promise.resolve();
  /** With nobody to ask no surface is offered: the host then refuses by itself, in words made for the model. */
  const canAnswer = rule !== 'ask' || streams.interactive;
  const offSurface = canAnswer ? host.approvals.addSurface('cli') : () => undefined;

  const decide = async (request: ApprovalRequest, choice: 'once' | 'session' | 'always' | 'deny', reason?: string): Promise<void> => {
    try {
      await host.handle('approvals.decide', reason === undefined ? { id: request.id, choice } : { id: request.id, choice, reason }, CALLER);
    } catch (error) {
      /** Somebody in another window was faster, or its time ran out: the first answer counts. */
      if (!(error instanceof AppError) || (error.code !== 'approval/late' && error.code !== 'not-found')) throw error;
      print(streams.stderr, `  This was already settled: ${error.message}`);
    }
  };

  const ask = async (request: ApprovalRequest, withdrawn: AbortSignal): Promise<void> => {
    if (withdrawn.aborted) return;
    options.beforeQuestion?.();
    const answer = await askApproval(request, streams, withdrawn);
    if (answer.kind === 'decided') await decide(request, answer.choice, answer.reason);
    if (answer.kind === 'interrupted') {
      options.onInterrupt();
      await decide(request, 'deny', 'Interrupted by the user.');
    }
  };

  const settle = (request: ApprovalRequest, withdrawn: AbortSignal): Promise<void> => {
    if (rule === 'once') return decide(request, 'once');
    if (rule === 'deny') return decide(request, 'deny', 'Commands that need consent are denied in this run.');
    return streams.interactive ? ask(request, withdrawn) : decide(request, 'deny', 'Nobody can be asked: this run has no terminal.');
  };

  const offEvents = host.events.subscribe('approvals', ({ request }) => {
    if (request.sessionId !== options.sessionId && request.chatId !== options.sessionId) return;
    const known = seen.get(request.id);
    if (!OPEN_STATES.has(request.state)) {
      known?.abort();
      return;
    }
    if (known) return;
    const withdrawn = new AbortController();
    seen.set(request.id, withdrawn);
    options.onOpened?.(request);
    queue = queue.then(() => settle(request, withdrawn.signal)).catch((error: unknown) => {
      host.log.error('an approval could not be answered', { approval: request.id, error });
      print(streams.stderr, `talaria: the answer could not be given: ${error instanceof Error ? error.message : String(error)}`);
    });
  });

  return () => {
    offEvents();
    offSurface();
    for (const controller of seen.values()) controller.abort();
  };
}
