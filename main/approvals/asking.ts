/** One question from the moment it is asked to its answer: the row, who is told, identical ones that follow it, and the signs of life meanwhile. */
import type { ApprovalId, ApprovalRequest, CommandReview, Finding } from '../../preload/contract/index.ts';
import type { ReviewOutcome, ReviewRequest } from '../../tools/context.ts';
import type { Clock, ConfigStore, Log } from '../ports.ts';
import type { BlastLook } from './blast.ts';
import type { GatewayDesk } from './gateway.ts';
import { OPEN } from './open-states.ts';
import * as outcomes from './outcome.ts';
import type { PlaceFacts } from './place-facts.ts';
import type { ApprovalQueue } from './queue.ts';
import type { RequestFacts } from './request-row.ts';
import { keysOf, ONLY_ONCE, scopeFor } from './scope.ts';
import { describe } from './wording.ts';

/** Hermes tells who watches for idleness every 10 s that a chat only waits (hermes-runtime 4.10). */
const HEARTBEAT_MS = 10_000;

export interface AskingParts {
  readonly queue: ApprovalQueue;
  readonly gateway: GatewayDesk;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly config: Pick<ConfigStore, 'settings'>;
  readonly log: Log;
  readonly requestFor: (facts: RequestFacts) => ApprovalRequest;
  readonly redact: (text: string) => string;
  readonly blast?: BlastLook;
  /** Plugins that watch (`pre_approval_request`, `post_approval_response`); what they do changes nothing. Never rejects. */
  readonly observe?: (name: string, payload: object) => Promise<void>;
  /** Told of each yes of a person. */
  readonly onApproved: (sessionId: string) => void;
}

export interface Question {
  readonly request: ReviewRequest;
  readonly where: PlaceFacts;
  readonly detected: CommandReview;
  readonly findings: readonly Finding[];
  /** The reviewing model advises against it: it can be allowed this once only. */
  readonly smartDenied: boolean;
}

/** `again`: the question is settled for others, and this command has to be judged anew. */
export type Ask = (question: Question) => Promise<ReviewOutcome | 'again'>;

type Leader = { readonly id: ApprovalId; readonly settled: Promise<ApprovalRequest> };

export function createAsking(parts: AskingParts): { readonly ask: Ask; readonly leave: (question: Question) => ReviewOutcome; close(): void } {
  const { queue, gateway, clock, config, log, requestFor } = parts;
  /** The open request of each (chat, command, keys): identical ones that come meanwhile follow it. */
  const leaders = new Map<string, Leader>();
  let closed = false;

  const tellWaiting = (request: ReviewRequest, id: ApprovalId, waiting: boolean): void => {
    try {
      request.onWaiting?.(id, waiting);
    } catch (error) {
      log.error('who waits for an approval could not be told', { approval: id, error });
    }
  };

  /** What the command reaches comes a moment later; a card without it is a card all the same. */
  const lookAtBlast = (row: ApprovalRequest, where: PlaceFacts): void => {
    if (parts.blast === undefined || row.tool !== 'terminal') return;
    void parts.blast({ command: row.command, place: where }, (blast) => {
      if (!closed) queue.change(row.id, OPEN, { blast });
    }).catch((error: unknown) => { log.warn('what a command reaches could not be looked at', { approval: row.id, error }); });
  };

  /** False when the chat's client failed and nobody else can see the question: it is taken back. */
  const bringToChat = async (row: ApprovalRequest): Promise<boolean> => {
    const told = await gateway.notify(row);
    if (!told && queue.screens === 0) queue.cancel(row.id);
    return told;
  };

  const heartbeat = (row: ApprovalRequest): (() => void) => {
    let stop = (): void => undefined;
    const beat = (): void => {
      stop = clock.after(HEARTBEAT_MS, () => {
        gateway.stillWaiting(row, clock.now() - row.createdAt);
        beat();
      });
    };
    beat();
    return () => { stop(); };
  };

  const observe = (name: string, row: ApprovalRequest, choice?: string): void => {
    if (parts.observe === undefined) return;
    const surface = gateway.reaches(row.sessionId) ? 'gateway' : queue.surface;
    const keys = keysOf(row.review.findings);
    void parts.observe(name, {
      command: parts.redact(row.command), description: describe(row.review.findings), pattern_key: keys[0] ?? '', pattern_keys: keys, session_key: row.sessionId, surface, ...(choice === undefined ? {} : { choice }),
    });
  };

  const rowFor = ({ request, where, detected, findings, smartDenied }: Question): ApprovalRequest => {
    const row = requestFor({
      request, where, detected, findings, scope: smartDenied ? ONLY_ONCE : scopeFor(request.command, findings),
      advice: smartDenied ? 'The reviewing model advises against it.' : '', delivered: queue.screens > 0,
    });
    return smartDenied ? { ...row, smartDenied: true } : row;
  };

  /** One question for identical requests: a refusal or silence holds for all, "once" only for the first; the others are judged anew. */
  const follow = async (request: ReviewRequest, leader: Leader, findings: readonly Finding[]): Promise<ReviewOutcome | 'again'> => {
    tellWaiting(request, leader.id, true);
    const aborted = Promise.withResolvers<'aborted'>();
    const onAbort = (): void => aborted.resolve('aborted');
    request.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const answer = request.signal.aborted ? 'aborted' : await Promise.race([leader.settled, aborted.promise]);
      if (answer === 'aborted') return outcomes.interrupted(request.command);
      return answer.state === 'denied' || answer.state === 'expired' ? outcomes.fromSettled(answer, findings, config.settings().approvals.timeoutSeconds) : 'again';
    } finally {
      request.signal.removeEventListener('abort', onAbort);
      tellWaiting(request, leader.id, false);
    }
  };

  const ask: Ask = async (question) => {
    const { request, where, findings } = question;
    const key = JSON.stringify([request.sessionId, request.tool, request.command, request.cwd, where.backend, keysOf(findings)]);
    const leader = leaders.get(key);
    if (leader !== undefined) return follow(request, leader, findings);
    const row = rowFor(question);
    const seconds = config.settings().approvals.timeoutSeconds;
    const settled = queue.ask(row, request.signal);
    observe('pre_approval_request', row);
    lookAtBlast(row, where);
    const told = bringToChat(row);
    leaders.set(key, { id: row.id, settled });
    tellWaiting(request, row.id, true);
    const stopBeating = heartbeat(row);
    try {
      const answer = await settled;
      const failed = answer.state === 'cancelled' && !request.signal.aborted && !(await told);
      observe('post_approval_response', answer, failed ? 'notify_failed' : answer.choice ?? 'cancelled');
      gateway.settled(answer);
      if (answer.state === 'approved') parts.onApproved(request.sessionId);
      return failed ? outcomes.failed(request.command) : outcomes.fromSettled(answer, findings, seconds);
    } finally {
      stopBeating();
      leaders.delete(key);
      tellWaiting(request, row.id, false);
    }
  };

  return {
    ask,
    leave: (question) => {
      const row: ApprovalRequest = { ...rowFor(question), state: 'held', expiresAt: null, leftOpen: 'waiting' };
      queue.leave(row);
      observe('pre_approval_request', row);
      lookAtBlast(row, question.where);
      return outcomes.pending(row.command, question.findings, row);
    },
    close: () => { closed = true; },
  };
}

