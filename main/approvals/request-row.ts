/** Makes the durable row of a question out of what is known when it is asked. */
import { CallId, SessionId, type ApprovalRequest, type CommandReview, type Finding } from '../../preload/contract/index.ts';
import type { ReviewRequest } from '../../tools/context.ts';
import { chainOf } from '../lineage.ts';
import type { Clock, ConfigStore, Ids, Storage } from '../ports.ts';
import { deniedBefore } from './denied-before.ts';
import type { Scope } from './scope.ts';
import * as words from './wording.ts';

/** Refusals of a chat that are looked through for the same effect. */
const REMEMBERED = 50;

export interface RequestParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'approval'>;
  readonly storage: Pick<Storage, 'approvals' | 'sessions' | 'values'>;
  readonly config: Pick<ConfigStore, 'settings'>;
}

export interface RequestFacts {
  readonly request: ReviewRequest;
  readonly where: { readonly backend: string; readonly host: string; readonly user: string; readonly sandbox?: string };
  readonly detected: CommandReview;
  /** What the person is asked about. */
  readonly findings: readonly Finding[];
  readonly scope: Scope;
  /** What somebody else says about it; may be empty. */
  readonly advice: string;
  /** Somebody can see it now. */
  readonly delivered: boolean;
}

export function createRequests({ clock, ids, storage, config }: RequestParts): (facts: RequestFacts) => ApprovalRequest {
  return ({ request, where, detected, findings, scope, advice, delivered }) => {
    const sessionId = SessionId.parse(request.sessionId);
    const session = storage.sessions.get(sessionId);
    const callId = CallId.safeParse(request.toolCallId);
    const now = clock.now();
    const chain = chainOf(storage.values, sessionId);
    const chat = chain.at(-1) ?? sessionId;
    const refusals = chain.flatMap((chat) => storage.approvals.history({ sessionId: chat, query: 'deny', limit: REMEMBERED }));
    const before = deniedBefore(request.command, findings, refusals.sort((one, other) => (other.decidedAt ?? 0) - (one.decidedAt ?? 0)), now);
    const asker = session?.origin === 'delegate' ? { agent: session.title } : {};
    return {
      id: ids.approval(), sessionId, sessionTitle: session?.title ?? sessionId, ...(chat === sessionId ? {} : { chatId: chat }), ...(callId.success ? { callId: callId.data } : {}), ...asker,
      tool: request.tool, command: request.command, cwd: request.cwd, backend: where.backend, host: where.host, user: where.user, ...(where.sandbox === undefined ? {} : { sandbox: where.sandbox }),
      review: { verdict: 'ask', findings: [...findings], parts: detected.parts },
      reason: [advice, words.reasonFor(findings)].filter((text) => text !== '').join(' '),
      ...(before === undefined ? {} : { deniedBefore: before }),
      ...(request.wants === undefined ? {} : { wants: request.wants }),
      state: delivered ? 'delivered' : 'created', createdAt: now, expiresAt: now + config.settings().approvals.timeoutSeconds * 1_000, ...scope,
    };
  };
}
