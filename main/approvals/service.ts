/** The approval pipeline behind the `Approvals` seam: gathers the facts, has them judged, asks, and carries the answer out. */
import { join } from 'node:path';
import { CallId, SessionId, type ApprovalId, type ApprovalRequest, type CommandReview, type Finding } from '../../preload/contract/index.ts';
import type { ReviewOutcome, ReviewRequest } from '../../tools/context.ts';
import { parseUnattended } from '../config/settings.ts';
import type { Approvals, Clock, ConfigStore, EventBus, Ids, Log, Storage } from '../ports.ts';
import { createAllowlist } from './allowlist.ts';
import { createAnswering } from './answering.ts';
import { saveBlockedScript } from './blocked-scripts.ts';
import { deniedBefore } from './denied-before.ts';
import { reviewCommand, type DetectPolicy, type ReviewPlace } from './detect.ts';
import { createJudging, DETECTOR_KEYS } from './judging.ts';
import * as outcomes from './outcome.ts';
import { ownerHere, type Owner } from './owners.ts';
import { ApprovalQueue } from './queue.ts';
import { shownReview, type Evaluation } from './review.ts';
import { keysOf, ONLY_ONCE, scopeFor, type Scope } from './scope.ts';
import { askJudge, DenialBreaker, judgePrompt, type Judge, type SmartVerdict } from './smart.ts';
import * as words from './wording.ts';

/** Where a command would run, as the detector needs it and as the card shows it. */
export interface PlaceFacts extends ReviewPlace { readonly host: string; readonly user: string }

export interface ApprovalsParts {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'approval' | 'hex'>;
  readonly log: Log;
  readonly events: Pick<EventBus, 'publish'>;
  readonly storage: Pick<Storage, 'approvals' | 'sessions' | 'values' | 'transaction'>;
  readonly config: Pick<ConfigStore, 'home' | 'get' | 'update' | 'onChange' | 'settings'> & { refresh?(): void };
  readonly redact: (text: string) => string;
  /** Where a task's commands run; `backend` names another place to judge for. Reads no disk. */
  readonly place: (wanted: { readonly taskId?: string; readonly backend?: string; readonly cwd?: string }) => PlaceFacts;
  /** `--yolo` or HERMES_YOLO_MODE as it was at start; nothing that runs later can set it. */
  readonly yolo?: boolean;
  /** The reviewing model of smart mode; without one every flagged command goes to the person. */
  readonly judge?: Judge;
  readonly detect?: (command: string, place: ReviewPlace, policy?: DetectPolicy) => CommandReview;
  /** Which process owns open requests; tests stand in for processes that died. */
  readonly owner?: Owner;
}

export interface ApprovalsService extends Approvals {
  /** Approves everything but floors and deny rules in one chat until it is cleared or the app ends. */
  setYolo(sessionId: SessionId, on: boolean): void;
  /** Told of answers to requests whose waiting call died with its process: the agent carries them out. */
  onOrphanDecided(listener: (request: ApprovalRequest) => void): () => void;
}

/** Refusals of a chat that are looked through for the same effect. */
const REMEMBERED = 50;
const HISTORY_LIMIT = 200;
/** Hermes' number of refusals in a row after which the model is told to stop (hermes-runtime 4.9). */
const BREAKER_THRESHOLD = 3;

export function createApprovals(parts: ApprovalsParts): ApprovalsService {
  const { clock, ids, log, events, storage, config, place, detect = reviewCommand } = parts;
  const here = ownerHere(ids.approval());
  const queue = new ApprovalQueue({ clock, events, storage, log, owner: parts.owner ?? here });
  const allowlist = createAllowlist({ config, storage, clock, events, log, redact: parts.redact, keys: DETECTOR_KEYS });
  const yoloSessions = new Set<string>();
  const judge = createJudging({
    config, storage, allowlist, detect, isYolo: (sessionId) => parts.yolo === true || (sessionId !== undefined && yoloSessions.has(sessionId)),
  });
  const breaker = new DenialBreaker();
  /** The open request of each (chat, command, keys): identical ones that come meanwhile follow it. */
  const leaders = new Map<string, { readonly id: ApprovalId; readonly settled: Promise<ApprovalRequest> }>();

  /** The setting that decides where nobody can be asked; undefined where somebody can. Scheduled work is never put to a person. */
  const unattendedSetting = (sessionId: string): string | undefined => {
    const origin = storage.sessions.get(SessionId.parse(sessionId))?.origin;
    if (origin === 'cron') return 'approvals.cron_mode';
    if (queue.screens > 0) return undefined;
    return origin === 'cli' ? 'approvals.single_query_mode' : 'approvals.unattended_mode';
  };

  // --- asking --------------------------------------------------------------------------------------------------------

  const requestFor = (request: ReviewRequest, where: PlaceFacts, detected: CommandReview, findings: readonly Finding[], scope: Scope, advice: string): ApprovalRequest => {
    const sessionId = SessionId.parse(request.sessionId);
    const session = storage.sessions.get(sessionId);
    const callId = CallId.safeParse(request.toolCallId);
    const now = clock.now();
    const history = storage.approvals.history({ sessionId, limit: REMEMBERED });
    const before = deniedBefore(request.command, findings, history, now);
    const asker = session?.origin === 'delegate' ? { agent: session.title } : {};
    return {
      id: ids.approval(), sessionId, sessionTitle: session?.title ?? sessionId, ...(callId.success ? { callId: callId.data } : {}), ...asker,
      tool: request.tool, command: request.command, cwd: request.cwd, backend: where.backend, host: where.host, user: where.user,
      review: { verdict: 'ask', findings: [...findings], parts: detected.parts },
      reason: [before, advice, words.reasonFor(findings)].filter((text) => text !== undefined && text !== '').join(' '),
      ...(request.wants === undefined ? {} : { wants: request.wants }),
      state: queue.screens > 0 ? 'delivered' : 'created', createdAt: now, expiresAt: now + config.settings().approvals.timeoutSeconds * 1_000, ...scope,
    };
  };

  const tellWaiting = (request: ReviewRequest, id: ApprovalId, waiting: boolean): void => {
    try {
      request.onWaiting?.(id, waiting);
    } catch (error) {
      log.error('who waits for an approval could not be told', { approval: id, error });
    }
  };

  const askPerson = async (request: ReviewRequest, where: PlaceFacts, detected: CommandReview, findings: readonly Finding[], smart: SmartVerdict | undefined): Promise<ReviewOutcome | 'again'> => {
    const key = JSON.stringify([request.sessionId, request.tool, request.command, request.cwd, where.backend, keysOf(findings)]);
    const leader = leaders.get(key);
    if (leader !== undefined) return follow(request, leader, findings);
    const scope = smart === 'deny' ? ONLY_ONCE : scopeFor(request.command, findings);
    const row = requestFor(request, where, detected, findings, scope, smart === 'deny' ? 'The reviewing model advises against it.' : '');
    const seconds = config.settings().approvals.timeoutSeconds;
    const settled = queue.ask(row, request.signal);
    leaders.set(key, { id: row.id, settled });
    tellWaiting(request, row.id, true);
    try {
      const answer = await settled;
      if (answer.state === 'approved') breaker.approved(request.sessionId);
      return outcomes.fromSettled(answer, findings, seconds);
    } finally {
      leaders.delete(key);
      tellWaiting(request, row.id, false);
    }
  };

  /** One question for identical requests: a refusal or silence holds for all, "once" only for the first; the others are judged anew. */
  const follow = async (request: ReviewRequest, leader: { readonly id: ApprovalId; readonly settled: Promise<ApprovalRequest> }, findings: readonly Finding[]): Promise<ReviewOutcome | 'again'> => {
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

  /** Where a command was put that nothing but its size or tangle stands against. */
  const savedScript = ({ tool, command }: ReviewRequest, evaluation: Evaluation): string | undefined => {
    if (tool !== 'terminal' || evaluation.kind !== 'block' || evaluation.why !== 'floor' || evaluation.findings.some((finding) => finding.class !== 'limit')) return undefined;
    try {
      return saveBlockedScript(join(config.home, 'cache', 'blocked-scripts'), command, clock.now(), ids.hex(4));
    } catch (error) {
      log.warn('a blocked command could not be saved as a script', { error });
      return undefined;
    }
  };

  const reviewOnce = async (request: ReviewRequest): Promise<ReviewOutcome | 'again'> => {
    const where = place({ taskId: request.taskId, cwd: request.cwd });
    const { detected, evaluation } = judge(request, where);
    if (evaluation.kind === 'allow') {
      evaluation.entries.forEach(allowlist.noteUse);
      return outcomes.allowed(request.command);
    }
    if (evaluation.kind === 'block') return outcomes.blocked(request.command, evaluation, savedScript(request, evaluation));
    const { findings } = evaluation;
    const setting = unattendedSetting(request.sessionId);
    if (setting !== undefined) {
      const approves = parseUnattended(config.get(setting)) === 'approve' && request.requirePerson === undefined;
      return approves ? outcomes.unattendedAllowed(request.command, findings, setting) : outcomes.unattended(request.command, findings, setting);
    }
    let smart: SmartVerdict | undefined;
    if (config.settings().approvals.mode === 'smart' && parts.judge !== undefined && request.requirePerson === undefined) {
      const policy = config.get('approvals.smart_policy');
      smart = await askJudge(parts.judge, judgePrompt(request.command, findings, typeof policy === 'string' ? policy : ''), request.signal, log);
      if (request.signal.aborted) return outcomes.interrupted(request.command);
      if (smart === 'approve') {
        breaker.approved(request.sessionId);
        return outcomes.smartApproved(request.command, findings);
      }
      if (smart === 'deny') {
        const addition = breakerText(breaker.denied(request.sessionId));
        if (queue.screens === 0) return outcomes.smartDenied(request.command, findings, addition);
        const answer = await askPerson(request, where, detected, findings, smart);
        return answer === 'again' || answer.approved || addition === '' ? answer : { ...answer, message: (answer.message ?? '') + addition, smart_denied: true };
      }
    }
    return askPerson(request, where, detected, findings, smart);
  };

  const breakerText = (count: number): string => {
    const wanted = Number(config.get('approvals.denial_breaker_threshold') ?? BREAKER_THRESHOLD);
    const threshold = Number.isFinite(wanted) ? wanted : BREAKER_THRESHOLD;
    return threshold > 0 && count >= threshold ? words.breakerMessage(count) : '';
  };

  return {
    review: async (request) => {
      try {
        for (;;) {
          if (request.signal.aborted) return outcomes.interrupted(request.command);
          const outcome = await reviewOnce(request);
          if (outcome !== 'again') return outcome;
        }
      } catch (error) {
        log.error('a command could not be reviewed and is not run', { tool: request.tool, session: request.sessionId, error });
        return outcomes.failed(request.command);
      }
    },
    recordExit: (id, exitCode) => {
      try {
        storage.approvals.transition(id as ApprovalId, ['approved'], { exitCode }); // cast: an unknown id is refused by the store
        const request = storage.approvals.get(id as ApprovalId); // cast: as above
        if (request !== undefined) events.publish('approvals', { type: 'changed', request });
      } catch (error) {
        log.warn('the exit code of an approved command could not be kept', { approval: id, error });
      }
    },
    list: () => queue.list(),
    history: ({ query, limit }) => storage.approvals.history({ limit: limit ?? HISTORY_LIMIT, ...(query === undefined ? {} : { query }) }),
    decide: createAnswering({ queue, allowlist, storage, judgeEdited: (request, command) =>
      judge({ tool: request.tool, command, sessionId: request.sessionId }, place({ backend: request.backend, cwd: request.cwd })) }),
    hold: (id, held) => {
      queue.open(id, words.settledText);
      const changed = held
        ? queue.change(id, ['created', 'delivered', 'seen', 'held'], { state: 'held', expiresAt: null })
        : queue.change(id, ['held'], { state: 'seen', expiresAt: clock.now() + config.settings().approvals.timeoutSeconds * 1_000 });
      return changed ?? queue.open(id, words.settledText);
    },
    seen: (id) => {
      queue.open(id, words.settledText);
      queue.change(id, ['created', 'delivered'], { state: 'seen' });
    },
    addSurface: () => queue.addScreen(),
    test: (command, { backend, sessionId }) => {
      const { detected, evaluation } = judge({ tool: 'terminal', command, ...(sessionId === undefined ? {} : { sessionId }) }, place(backend === undefined ? {} : { backend }));
      return shownReview(detected, evaluation);
    },
    allowlist: () => allowlist.list(),
    allow: async (entry, from) => {
      await allowlist.add([entry], from);
      return allowlist.list();
    },
    disallow: async (entry) => {
      await allowlist.remove(entry);
      return allowlist.list();
    },
    clearSession: (sessionId) => {
      storage.approvals.clearSession(sessionId);
      yoloSessions.delete(sessionId);
      breaker.approved(sessionId);
      queue.cancelSession(sessionId);
    },
    setYolo: (sessionId, on) => { if (on) yoloSessions.add(sessionId); else yoloSessions.delete(sessionId); },
    onOrphanDecided: (listener) => queue.onOrphanDecided(listener),
    close: () => {
      queue.close();
      here.end();
      allowlist.close();
    },
  };
}
