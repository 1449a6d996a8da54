/** The approval pipeline behind the `Approvals` seam: gathers the facts, has them judged, asks, and carries the answer out. */
import { join } from 'node:path';
import { SessionId, type ApprovalId, type ApprovalRequest, type CommandReview, type Finding } from '../../preload/contract/index.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { ReviewOutcome, ReviewRequest } from '../../tools/context.ts';
import { parseUnattended } from '../config/settings.ts';
import type { Approvals, Clock, ConfigStore, EventBus, Ids, Log, Storage } from '../ports.ts';
import { createAllowlist } from './allowlist.ts';
import { createAnswering } from './answering.ts';
import { savedScript } from './blocked-scripts.ts';
import type { BlastLook } from './blast.ts';
import { inspectCommand, reviewCommand, type DetectPolicy, type ReviewPlace } from './detect.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { exportedHistory } from './history-export.ts';
import { createJudging, DETECTOR_KEYS } from './judging.ts';
import * as outcomes from './outcome.ts';
import { ownerHere, type Owner } from './owners.ts';
import { ApprovalQueue } from './queue.ts';
import { createRequests } from './request-row.ts';
import { shownReview } from './review.ts';
import { keysOf, ONLY_ONCE, scopeFor } from './scope.ts';
import { createRulesDesk } from './standing/desk.ts';
import { programIn } from './standing/program.ts';
import { createRules } from './standing/rules.ts';
import { askJudge, DenialBreaker, judgePrompt, type Judge, type SmartVerdict } from './smart.ts';
import type { Scan } from './tirith.ts';
import { triedOut } from './try-out.ts';
import * as words from './wording.ts';

/** Where a command would run, as the detector needs it and as the card shows it. */
export interface PlaceFacts extends ReviewPlace { readonly host: string; readonly user: string }

export interface ApprovalsParts {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'approval' | 'hex'>;
  readonly log: Log;
  readonly events: Pick<EventBus, 'publish'>;
  readonly storage: Pick<Storage, 'approvals' | 'approvalRules' | 'sessions' | 'values' | 'transaction'>;
  readonly config: Pick<ConfigStore, 'home' | 'get' | 'update' | 'onChange' | 'settings'> & { refresh?(): void };
  readonly redact: (text: string) => string;
  /** Where a task's commands run; `backend` names another place to judge for. Reads no disk. */
  readonly place: (wanted: { readonly taskId?: string; readonly backend?: string; readonly cwd?: string }) => PlaceFacts;
  /** `--yolo` or HERMES_YOLO_MODE as it was at start; nothing that runs later can set it. */
  readonly yolo?: boolean;
  /** The reviewing model of smart mode; without one every flagged command goes to the person. */
  readonly judge?: Judge;
  /** Absolute path of a program of this machine; undefined for one that is not there. Stored rules hold for that file. */
  readonly which?: (program: string) => string | undefined;
  /** Another scanner of commands, such as Tirith. */
  readonly scan?: Scan;
  /** Looks at what a command reaches, for its card. */
  readonly blast?: BlastLook;
  readonly detect?: (command: string, place: ReviewPlace, policy?: DetectPolicy) => CommandReview;
  /** Which process owns open requests; tests stand in for processes that died. */
  readonly owner?: Owner;
}

export interface ApprovalsService extends Approvals {
  /** For messengers: chats that no screen shows. */
  readonly gateway: Gateway;
  /** Told of answers to requests whose waiting call died with its process: the agent carries them out. */
  onOrphanDecided(listener: (request: ApprovalRequest) => void): () => void;
}

const HISTORY_LIMIT = 200;
const EXPORT_LIMIT = 100_000;
/** Hermes' number of refusals in a row after which the model is told to stop (hermes-runtime 4.9). */
const BREAKER_THRESHOLD = 3;

export function createApprovals(parts: ApprovalsParts): ApprovalsService {
  const { clock, ids, log, events, storage, config, place, detect = reviewCommand } = parts;
  const here = ownerHere(ids.approval());
  const queue = new ApprovalQueue({ clock, events, storage, log, owner: parts.owner ?? here });
  const allowlist = createAllowlist({ config, storage, clock, events, log, redact: parts.redact, keys: DETECTOR_KEYS });
  const yoloSessions = new Set<SessionId>();
  const setYolo = (sessionId: SessionId, on: boolean): void => {
    if (on === yoloSessions.has(sessionId)) return;
    if (on && storage.sessions.get(sessionId) === undefined) throw new AppError('not-found', `there is no chat with the id ${sessionId}`);
    if (on) yoloSessions.add(sessionId); else yoloSessions.delete(sessionId);
    events.publish('yolo', { type: 'changed', ...yoloState() });
  };
  const resolve = programIn(parts.which);
  const rules = createRules({ storage, clock, ids, events, log, redact: parts.redact, inspect: inspectCommand });
  const rulesDesk = createRulesDesk({ rules, allowlist, storage, clock, inspect: inspectCommand, place, resolve });
  const yoloState = (): { process: boolean; sessions: SessionId[] } => ({ process: parts.yolo === true, sessions: [...yoloSessions] });
  const judge = createJudging({
    config, storage, allowlist, rules, inspect: inspectCommand, resolve, detect, isYolo: (sessionId) => parts.yolo === true || (sessionId !== undefined && yoloSessions.has(SessionId.parse(sessionId))),
  });
  const breaker = new DenialBreaker();
  const decide = createAnswering({ queue, allowlist, storage, rules: rulesDesk, judgeEdited: (request, command) =>
    judge({ tool: request.tool, command, sessionId: request.sessionId }, place({ backend: request.backend, cwd: request.cwd })) });
  const seen = (id: ApprovalId): void => {
    queue.open(id, words.settledText);
    queue.change(id, ['created', 'delivered'], { state: 'seen' });
  };
  const gateway = createGateway({
    list: () => queue.list(), decide, seen, redact: parts.redact, log, abandon: (sessionId) => { if (queue.screens === 0) queue.cancelSession(sessionId); },
  });
  const canAsk = (sessionId: string): boolean => queue.screens > 0 || gateway.reaches(sessionId);
  let closed = false;
  /** The open request of each (chat, command, keys): identical ones that come meanwhile follow it. */
  const leaders = new Map<string, { readonly id: ApprovalId; readonly settled: Promise<ApprovalRequest> }>();

  /** The setting that decides where nobody can be asked; undefined where somebody can. Scheduled work is never put to a person. */
  const unattendedSetting = (sessionId: string): string | undefined => {
    const origin = storage.sessions.get(SessionId.parse(sessionId))?.origin;
    if (origin === 'cron') return 'approvals.cron_mode';
    if (canAsk(sessionId)) return undefined;
    return origin === 'cli' ? 'approvals.single_query_mode' : 'approvals.unattended_mode';
  };

  // --- asking --------------------------------------------------------------------------------------------------------

  const requestFor = createRequests({ clock, ids, storage, config });

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
    void parts.blast({ command: row.command, place: where }).then((blast) => {
      if (!closed) queue.change(row.id, ['created', 'delivered', 'seen', 'held'], { blast });
    }).catch((error: unknown) => { log.warn('what a command reaches could not be looked at', { approval: row.id, error }); });
  };

  /** False when the chat's notifier failed and nobody else can see the question: it is taken back. */
  const bringToChat = async (row: ApprovalRequest): Promise<boolean> => {
    const told = await gateway.notify(row);
    if (!told && queue.screens === 0) queue.cancel(row.id);
    return told;
  };

  const askPerson = async (request: ReviewRequest, where: PlaceFacts, detected: CommandReview, findings: readonly Finding[], smart: SmartVerdict | undefined): Promise<ReviewOutcome | 'again'> => {
    const key = JSON.stringify([request.sessionId, request.tool, request.command, request.cwd, where.backend, keysOf(findings)]);
    const leader = leaders.get(key);
    if (leader !== undefined) return follow(request, leader, findings);
    const scope = smart === 'deny' ? ONLY_ONCE : scopeFor(request.command, findings);
    const row = requestFor({ request, where, detected, findings, scope, advice: smart === 'deny' ? 'The reviewing model advises against it.' : '', delivered: queue.screens > 0 });
    const seconds = config.settings().approvals.timeoutSeconds;
    const settled = queue.ask(row, request.signal);
    lookAtBlast(row, where);
    const told = bringToChat(row);
    leaders.set(key, { id: row.id, settled });
    tellWaiting(request, row.id, true);
    try {
      const answer = await settled;
      if (answer.state === 'approved') breaker.approved(request.sessionId);
      if (answer.state === 'cancelled' && !request.signal.aborted && !(await told)) return outcomes.failed(request.command);
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

  const reviewOnce = async (request: ReviewRequest): Promise<ReviewOutcome | 'again'> => {
    const where = place({ taskId: request.taskId, cwd: request.cwd });
    let { detected, evaluation } = judge(request, where);
    const scanned = parts.scan !== undefined && request.tool === 'terminal' && request.requirePerson === undefined && (evaluation.kind === 'ask' || (evaluation.kind === 'allow' && !evaluation.settled));
    const also = scanned ? await parts.scan(request.command, request.signal) : [];
    if (scanned && request.signal.aborted) return outcomes.interrupted(request.command);
    if (also.length > 0) ({ detected, evaluation } = judge({ ...request, also }, where));
    if (evaluation.kind === 'allow') {
      // A rule that was taken back or used up meanwhile: judged without it.
      if (!rules.consume(evaluation.rules)) return 'again';
      evaluation.entries.forEach(allowlist.noteUse);
      return outcomes.allowed(request.command);
    }
    if (evaluation.kind === 'block') return outcomes.blocked(request.command, evaluation, savedScript(request, evaluation, { folder: join(config.home, 'cache', 'blocked-scripts'), now: clock.now(), hex: ids.hex(4), log }));
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
        if (!canAsk(request.sessionId)) return outcomes.smartDenied(request.command, findings, addition);
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
    decide,
    rules: rulesDesk,
    gateway,
    exportHistory: ({ format, query }) => {
      const requests = storage.approvals.history({ limit: EXPORT_LIMIT, ...(query === undefined ? {} : { query }) });
      return { text: exportedHistory(requests, format), count: requests.length };
    },
    hold: (id, held) => {
      queue.open(id, words.settledText);
      const changed = held
        ? queue.change(id, ['created', 'delivered', 'seen', 'held'], { state: 'held', expiresAt: null })
        : queue.change(id, ['held'], { state: 'seen', expiresAt: clock.now() + config.settings().approvals.timeoutSeconds * 1_000 });
      return changed ?? queue.open(id, words.settledText);
    },
    seen,
    addSurface: () => queue.addScreen(),
    test: (command, { backend, sessionId }) => triedOut((name) => {
      const cwd = sessionId === undefined ? '' : storage.sessions.get(sessionId)?.cwd ?? '';
      const where = place({ ...(name === undefined ? {} : { backend: name }), ...(cwd === '' ? {} : { cwd }) });
      const { detected, evaluation } = judge({ tool: 'terminal', command, ...(sessionId === undefined ? {} : { sessionId }) }, where);
      return shownReview(detected, evaluation);
    }, backend),
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
      setYolo(sessionId, false);
      breaker.approved(sessionId);
      queue.cancelSession(sessionId);
    },
    setYolo,
    yolo: yoloState,
    onOrphanDecided: (listener) => queue.onOrphanDecided(listener),
    close: () => {
      closed = true;
      queue.close();
      here.end();
      allowlist.close();
    },
  };
}
