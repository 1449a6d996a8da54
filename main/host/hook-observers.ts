/** Hooks around what tools do through services: the output of a command, and a question to the person (hermes-runtime 3.3). */
import type { ApprovalRequest } from '../../preload/contract/approvals.ts';
import type { TerminalService } from '../../tools/context.ts';
import type { HookBus } from '../calls/hooks.ts';
import type { EventBus, Log } from '../ports.ts';

const MOST_REMEMBERED = 1_000;

/** Terminals whose output plugins may replace before a tool cuts it and hides secrets in it: the first text counts. */
export function hookOutput<Service extends TerminalService>(terminals: Service, hooks: Pick<HookBus, 'has' | 'firstText'>): Service {
  return {
    ...terminals,
    async run(request) {
      const result = await terminals.run(request);
      if (!hooks.has('transform_terminal_output')) return result;
      const output = await hooks.firstText('transform_terminal_output', {
        command: request.command, output: result.output, returncode: result.exitCode, task_id: request.taskId, env_type: terminals.backend(request.taskId),
      });
      return output === undefined ? result : { ...result, output };
    },
  };
}

/** Observers cannot veto: they are told beside the question, not before it. Returns the way to stop. */
export function observeApprovals(events: Pick<EventBus, 'subscribe'>, hooks: Pick<HookBus, 'has' | 'observe'>, log: Log): () => void {
  /** How far each request was told; events of one that has settled may come late. */
  const told = new Map<string, 'asked' | 'answered'>();
  const tell = (name: string, payload: object): void => {
    if (hooks.has(name)) hooks.observe(name, payload).catch((error: unknown) => { log.error('an observer of approvals failed', { name, error }); });
  };
  const mark = (id: string, how: 'asked' | 'answered'): void => {
    told.delete(id);
    told.set(id, how);
    const oldest = told.keys().next();
    if (told.size > MOST_REMEMBERED && oldest.done !== true) told.delete(oldest.value);
  };
  return events.subscribe('approvals', ({ request }) => {
    // What a rule or a mode decided was never a question; what the reviewing model decided was one.
    if (request.automatic === true && request.decidedBy !== 'smart') return;
    if (!told.has(request.id)) {
      mark(request.id, 'asked');
      tell('pre_approval_request', payloadOf(request));
    }
    if (request.choice === undefined || told.get(request.id) === 'answered') return;
    mark(request.id, 'answered');
    tell('post_approval_response', { ...payloadOf(request), choice: choiceOf(request) });
  });
}

/** Who is asked: the reviewing model, the command line, or a screen. */
function surfaceOf({ decidedBy }: ApprovalRequest): string {
  return decidedBy === 'smart' || decidedBy === 'cli' ? decidedBy : decidedBy === undefined ? 'gateway' : `transport:${decidedBy}`;
}

function choiceOf({ choice, decidedBy }: ApprovalRequest): string | undefined {
  if (decidedBy !== 'smart') return choice;
  return choice === 'deny' ? 'smart_deny' : 'smart_approve';
}

function payloadOf(request: ApprovalRequest): object {
  const keys = request.review.findings.map(({ key }) => key);
  return { command: request.command, description: request.reason, pattern_key: keys[0] ?? '', pattern_keys: keys, session_key: request.sessionId, surface: surfaceOf(request) };
}
