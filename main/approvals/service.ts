/** The approval pipeline behind the `Approvals` seam: gathers the facts, has them judged, asks, and carries the answer out. */
import { join } from 'node:path';
import type { ApprovalId, ApprovalRequest, CommandReview, SessionId } from '../../preload/contract/index.ts';
import type { ReviewOutcome, ReviewRequest } from '../../tools/context.ts';
import { parseUnattended } from '../config/settings.ts';
import { chainOf } from '../lineage.ts';
import type { Approvals, Clock, ConfigStore, EventBus, Ids, Log, Storage } from '../ports.ts';
import { createAllowlist } from './allowlist.ts';
import { createAnswering } from './answering.ts';
import { createAsking } from './asking.ts';
import { createAutomatic, type AutomaticFacts } from './automatic.ts';
import { savedScript } from './blocked-scripts.ts';
import type { BlastLook } from './blast.ts';
import { DANGEROUS_PATTERNS, inspectCommand, reviewCommand, type DetectPolicy, type ReviewPlace } from './detect.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { exportedHistory } from './history-export.ts';
import { createJudging, DETECTOR_KEYS, type Judged } from './judging.ts';
import { openOne, takeYes } from './left-open.ts';
import * as outcomes from './outcome.ts';
import { ownerHere, type Owner } from './owners.ts';
import { OPEN } from './open-states.ts';
import type { PlaceFacts } from './place-facts.ts';
import { createPresence } from './presence.ts';
import { ApprovalQueue } from './queue.ts';
import { createRequests } from './request-row.ts';
import { shownReview } from './review.ts';
import { ownProcess, selfHarm, type OwnProcess } from './self-protection.ts';
import { insideEnvelope } from './smart-envelope.ts';
import { createRulesDesk } from './standing/desk.ts';
import { programIn } from './standing/program.ts';
import { createRules } from './standing/rules.ts';
import { askJudge, DenialBreaker, judgePrompt, type Judge } from './smart.ts';
import type { Scan } from './tirith.ts';
import { triedOut } from './try-out.ts';
import { userPatterns } from './user-patterns.ts';
import * as words from './wording.ts';
import { createYolo } from './yolo.ts';

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
  /** Plugins that watch questions and answers. Never rejects. */
  readonly observe?: (name: string, payload: object) => Promise<void>;
  /** What this program is to the system, so that no command ends it. */
  readonly self?: OwnProcess;
  /** `HERMES_EXEC_ASK` as it was at start: where nobody is there, questions stay open instead of being refused. */
  readonly askMode?: boolean;
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
  const { clock, ids, log, events, storage, config, place, detect = reviewCommand, self = ownProcess() } = parts;
  const here = ownerHere(ids.approval());
  const queue = new ApprovalQueue({ clock, events, storage, log, owner: parts.owner ?? here });
  const allowlist = createAllowlist({ config, storage, clock, events, log, redact: parts.redact, keys: DETECTOR_KEYS });
  const resolve = programIn(parts.which);
  const rules = createRules({ storage, clock, ids, events, log, redact: parts.redact, inspect: inspectCommand });
  const rulesDesk = createRulesDesk({ rules, allowlist, storage, clock, inspect: inspectCommand, place, resolve });
  const yolo = createYolo({ storage, events, process: parts.yolo === true });
  const judge = createJudging({
    config, storage, log, allowlist, rules, inspect: inspectCommand, resolve, detect, isYolo: yolo.isOn, selfHarm: (found) => selfHarm(found, self, gateway.serving),
  });
  const breaker = new DenialBreaker();
  const decide = createAnswering({ queue, allowlist, storage, rules: rulesDesk, judgeEdited: (request, command) =>
    judge({ tool: request.tool, command, sessionId: request.sessionId }, place({ backend: request.backend, cwd: request.cwd })) });
  const seen = (id: ApprovalId): void => {
    queue.open(id, words.settledText);
    queue.change(id, ['created', 'delivered'], { state: 'seen' });
  };
  const gateway = createGateway({
    list: () => queue.list(), decide, seen, redact: parts.redact, log, chain: (sessionId) => chainOf(storage.values, sessionId),
    abandon: (sessionId) => { if (queue.screens === 0) queue.cancelSession(sessionId); },
  });
  const canAsk = (sessionId: SessionId): boolean => queue.screens > 0 || gateway.reaches(sessionId);
  const presenceOf = createPresence({ storage, canAsk, askMode: parts.askMode === true });
  const requestFor = createRequests({ clock, ids, storage, config });
  const asking = createAsking({
    queue, gateway, clock, config, log, requestFor, redact: parts.redact, onApproved: (sessionId) => { breaker.approved(sessionId); },
    ...(parts.blast === undefined ? {} : { blast: parts.blast }), ...(parts.observe === undefined ? {} : { observe: parts.observe }),
  });
  const note = createAutomatic({ clock, storage, events, log, requestFor });

  /** Nothing that looks at commands besides has a say where a floor, a rule or a mode has settled it. */
  const wantsScan = (request: ReviewRequest, { evaluation }: Judged): boolean =>
    request.tool === 'terminal' && request.requirePerson === undefined && (evaluation.kind === 'ask' || (evaluation.kind === 'allow' && !evaluation.settled));

  const reviewOnce = async (request: ReviewRequest): Promise<ReviewOutcome | 'again'> => {
    const where = place({ taskId: request.taskId, cwd: request.cwd });
    let found = judge(request, where);
    if (parts.scan !== undefined && wantsScan(request, found)) {
      const also = await parts.scan(request.command, request.signal);
      if (request.signal.aborted) return outcomes.interrupted(request.command);
      if (also.length > 0) found = judge({ ...request, also }, where);
    }
    const { detected, evaluation } = found;
    const facts = (by: string, rule: string, findings = detected.findings): AutomaticFacts => ({ request, where, detected, findings, by, rule });
    if (evaluation.kind === 'allow') {
      // A rule that was taken back or used up meanwhile: judged without it.
      if (!rules.consume(evaluation.rules)) return 'again';
      evaluation.entries.forEach(allowlist.noteUse);
      const outcome = outcomes.allowed(request.command);
      return detected.findings.length === 0 || evaluation.way === 'sandbox' ? outcome : note(outcome, facts(evaluation.way, evaluation.rule));
    }
    if (evaluation.kind === 'block') {
      const outcome = outcomes.blocked(request.command, evaluation, savedScript(request, evaluation, { folder: join(config.home, 'cache', 'blocked-scripts'), now: clock.now(), hex: ids.hex(4), log }));
      return evaluation.why === 'floor' ? note(outcome, facts('floor', 'This is never run.', [...evaluation.findings])) : note(outcome, facts('deny rule', `${evaluation.rule} (${evaluation.where})`));
    }
    const { findings } = evaluation;
    const presence = presenceOf(request.sessionId);
    if (presence.kind === 'nobody') {
      const approves = parseUnattended(config.get(presence.setting)) === 'approve' && request.requirePerson === undefined;
      const outcome = approves ? outcomes.unattendedAllowed(request.command, findings, presence.setting) : outcomes.unattended(request.command, findings, presence.setting);
      return note(outcome, facts('unattended', `${presence.setting}: ${approves ? 'approve' : 'deny'}`, [...findings]));
    }
    const left = takeYes(storage, { ...request, backend: where.backend });
    if (left !== undefined) return outcomes.allowedLater(request.command, findings, left.id);
    const question = { request, where, detected, findings, smartDenied: false };
    if (presence.kind === 'later') {
      const open = openOne(queue.list(), { ...request, backend: where.backend });
      return open === undefined ? asking.leave(question) : outcomes.pending(request.command, findings, open);
    }
    const inside = config.settings().approvals.mode === 'smart' && request.requirePerson === undefined && insideEnvelope(findings, detected.parts, where, () => inspectCommand(request.command, where));
    if (!inside || parts.judge === undefined) return asking.ask(question);
    const policy = config.get('approvals.smart_policy');
    const smart = await askJudge(parts.judge, judgePrompt(request.command, findings, typeof policy === 'string' ? policy : ''), request.signal, log);
    if (request.signal.aborted) return outcomes.interrupted(request.command);
    if (smart === 'escalate') return asking.ask(question);
    if (smart === 'approve') {
      breaker.approved(request.sessionId);
      return note(outcomes.smartApproved(request.command, findings), facts('smart', 'The reviewing model let it pass.', [...findings]));
    }
    const addition = breakerText(breaker.denied(request.sessionId));
    // Whoever was there may have left while the model thought.
    if (presenceOf(request.sessionId).kind !== 'person') return note(outcomes.smartDenied(request.command, findings, addition), facts('smart', 'The reviewing model refused it.', [...findings]));
    const answer = await asking.ask({ ...question, smartDenied: true });
    return answer === 'again' || answer.approved || addition === '' ? answer : { ...answer, message: (answer.message ?? '') + addition, smart_denied: true };
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
      return { text: exportedHistory(requests, format, parts.redact), count: requests.length };
    },
    hold: (id, held) => {
      queue.open(id, words.settledText);
      const changed = held
        ? queue.change(id, OPEN, { state: 'held', expiresAt: null })
        : queue.change(id, ['held'], { state: 'seen', expiresAt: clock.now() + config.settings().approvals.timeoutSeconds * 1_000 });
      return changed ?? queue.open(id, words.settledText);
    },
    seen,
    addSurface: (name) => queue.addScreen(name),
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
    restoreEntry: async (entry) => {
      await allowlist.restore(entry);
      return allowlist.list();
    },
    patterns: () => [
      ...DANGEROUS_PATTERNS.map((pattern) => ({ ...pattern, own: false })),
      ...userPatterns(config.get('approvals.patterns'), (message) => { log.warn(message); }).map((pattern) => ({ ...pattern, tier: 'danger' as const, own: true })),
    ],
    clearSession: (sessionId) => {
      storage.approvals.clearSession(sessionId);
      yolo.set(sessionId, false);
      breaker.approved(sessionId);
      queue.cancelSession(sessionId);
    },
    setYolo: yolo.set,
    yolo: yolo.state,
    onOrphanDecided: (listener) => queue.onOrphanDecided(listener),
    close: () => {
      asking.close();
      queue.close();
      here.end();
      allowlist.close();
    },
  };
}
