/** The approvals of this window as a value, and the pure steps between two such values. Same object when nothing changes. */
import type { ApprovalRequest, ApprovalState } from '../../../preload/contract/approvals.ts';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { AlwaysForm } from './always-form.ts';

/** What a person is doing on one card. `confirm` waits for Enter after Y. */
export type CardStep =
  | { readonly kind: 'confirm'; readonly id: ApprovalId }
  | { readonly kind: 'always'; readonly id: ApprovalId; readonly form: AlwaysForm; readonly confirm: boolean }
  | { readonly kind: 'reason'; readonly id: ApprovalId; readonly text: string }
  | { readonly kind: 'edit'; readonly id: ApprovalId; readonly text: string; readonly confirm: boolean };

export interface ApprovalsModel {
  readonly status: 'loading' | 'ready' | 'failed';
  /** Why the list could not be read. */
  readonly failure: string | undefined;
  readonly byId: ReadonlyMap<ApprovalId, ApprovalRequest>;
  /** Oldest first: what is open, and what was settled while this window watched. New ones are added at the end, so nothing above moves. */
  readonly queue: readonly ApprovalId[];
  /** The one card that keys act on. */
  readonly armed: ApprovalId | undefined;
  readonly step: CardStep | undefined;
  readonly picked: ReadonlySet<ApprovalId>;
  /** Words under a card: a late answer, a refused edit. */
  readonly notes: ReadonlyMap<ApprovalId, string>;
  /** Answers on their way to the host. */
  readonly busy: ReadonlySet<ApprovalId>;
  /** Cards whose command is taller than its view: what is below the edge has not been seen yet. */
  readonly tall: ReadonlySet<ApprovalId>;
  /** Cards whose long or tall command was read to its end. */
  readonly readInFull: ReadonlySet<ApprovalId>;
  /** Last thing told to screen readers. */
  readonly announcement: string;
}

export const emptyApprovals: ApprovalsModel = {
  status: 'loading', failure: undefined, byId: new Map(), queue: [], armed: undefined, step: undefined, picked: new Set(),
  notes: new Map(), busy: new Set(), tall: new Set(), readInFull: new Set(), announcement: '',
};

/** Above this many characters a card offers no "always", and Run waits until the command was read to its end, as for any that its view cuts off (anchors B1). */
export const LONG_COMMAND_CHARS = 10_000;

const OPEN_STATES: readonly ApprovalState[] = ['created', 'delivered', 'seen', 'held'];

export function isOpen(request: Pick<ApprovalRequest, 'state'>): boolean {
  return OPEN_STATES.includes(request.state);
}

export function openIds(model: ApprovalsModel): ApprovalId[] {
  return model.queue.filter((id) => { const request = model.byId.get(id); return request !== undefined && isOpen(request); });
}

/** The first question alone arms itself; with others open a person chooses, so that a key never lands on a card that pushed in. */
function armFirst(model: ApprovalsModel): ApprovalsModel {
  const open = openIds(model);
  if (model.armed !== undefined && open.includes(model.armed)) return model;
  const armed = open.length === 1 && model.armed === undefined ? open[0] : undefined;
  return armed === model.armed ? model : { ...model, armed };
}

/** The host's list replaces what is open. Settled ones seen by this window stay; open ones that are gone were settled elsewhere and leave. */
export function withList(model: ApprovalsModel, requests: readonly ApprovalRequest[]): ApprovalsModel {
  const byId = new Map([...model.byId].filter(([, request]) => !isOpen(request)));
  for (const request of requests) byId.set(request.id, request);
  const kept = model.queue.filter((id) => byId.has(id));
  const added = [...requests].filter((request) => !kept.includes(request.id)).sort((left, right) => left.createdAt - right.createdAt);
  const queue = [...kept, ...added.map((request) => request.id)];
  const step = model.step !== undefined && byId.has(model.step.id) ? model.step : undefined;
  return armFirst({ ...model, status: 'ready', failure: undefined, byId, queue, step, picked: onlyOpen(model.picked, byId) });
}

export function withFailure(model: ApprovalsModel, failure: string): ApprovalsModel {
  return { ...model, status: 'failed', failure };
}

/** One request is new or different. Settled ones that this window never showed are only remembered, not queued. */
export function withRequest(model: ApprovalsModel, request: ApprovalRequest): ApprovalsModel {
  /** What is decided by a rule is no question: the history shows it when it is looked at. */
  if (request.automatic === true) return model;
  const known = model.byId.get(request.id);
  const byId = new Map(model.byId).set(request.id, request);
  const queue = model.queue.includes(request.id) || !isOpen(request) ? model.queue : [...model.queue, request.id];
  let next: ApprovalsModel = { ...model, byId, queue };
  if (isOpen(request)) {
    /** What comes later to a card that is there, such as what its command reaches, arms nothing. */
    if (known !== undefined && isOpen(known)) return next;
    return armFirst({ ...withoutOldLines(next), announcement: askedAnnouncement(request, openIds(next).length) });
  }
  next = { ...next, picked: onlyOpen(next.picked, byId), busy: without(next.busy, request.id) };
  if (next.step?.id === request.id) next = { ...next, step: undefined };
  if (next.armed === request.id) next = { ...next, armed: undefined };
  if (known !== undefined && isOpen(known)) next = { ...next, announcement: settledWords(request) };
  return next;
}

/** Settled lines leave the queue; what is open stays. */
export function withoutSettled(model: ApprovalsModel): ApprovalsModel {
  const queue = openIds(model);
  return queue.length === model.queue.length ? model : { ...model, queue };
}

/** When a question comes into a queue without one, all old verdict lines but the last make room for it. Beside other open ones nothing moves. */
function withoutOldLines(model: ApprovalsModel): ApprovalsModel {
  if (openIds(model).length !== 1) return model;
  return { ...model, queue: model.queue.slice(-2) };
}

export function arm(model: ApprovalsModel, id: ApprovalId | undefined): ApprovalsModel {
  if (model.armed === id) return model;
  const request = id === undefined ? undefined : model.byId.get(id);
  if (id !== undefined && (request === undefined || !isOpen(request))) return model;
  return { ...model, armed: id, step: model.step?.id === id ? model.step : undefined };
}

/** The next (1) or previous (-1) open card becomes the armed one; stops at the ends. */
export function moveArmed(model: ApprovalsModel, by: 1 | -1): ApprovalsModel {
  const open = openIds(model);
  if (open.length === 0) return model;
  const current = model.armed === undefined ? -1 : open.indexOf(model.armed);
  const target = current === -1 ? (by === 1 ? 0 : open.length - 1) : Math.min(Math.max(current + by, 0), open.length - 1);
  return arm(model, open[target]);
}

export function withStep(model: ApprovalsModel, step: CardStep | undefined): ApprovalsModel {
  if (step === model.step) return model;
  return { ...model, step, armed: step?.id ?? model.armed };
}

/** A change of the rule that is being put together on this card; a yes that waited for Enter was about the rule before it. */
export function withAlwaysForm(model: ApprovalsModel, id: ApprovalId, change: (form: AlwaysForm) => AlwaysForm): ApprovalsModel {
  const { step } = model;
  if (step?.kind !== 'always' || step.id !== id) return model;
  return { ...model, step: { ...step, form: change(step.form), confirm: false } };
}

export function withNote(model: ApprovalsModel, id: ApprovalId, note: string | undefined): ApprovalsModel {
  const notes = new Map(model.notes);
  if (note === undefined) notes.delete(id); else notes.set(id, note);
  return { ...model, notes, announcement: note ?? model.announcement };
}

export function withBusy(model: ApprovalsModel, id: ApprovalId, busy: boolean): ApprovalsModel {
  return { ...model, busy: busy ? new Set(model.busy).add(id) : without(model.busy, id) };
}

export function markReadInFull(model: ApprovalsModel, id: ApprovalId): ApprovalsModel {
  return model.readInFull.has(id) ? model : { ...model, readInFull: new Set(model.readInFull).add(id) };
}

export function markTall(model: ApprovalsModel, id: ApprovalId): ApprovalsModel {
  return model.tall.has(id) ? model : { ...model, tall: new Set(model.tall).add(id) };
}

export function togglePicked(model: ApprovalsModel, id: ApprovalId): ApprovalsModel {
  const request = model.byId.get(id);
  if (request === undefined || !isOpen(request)) return model;
  return { ...model, picked: model.picked.has(id) ? without(model.picked, id) : new Set(model.picked).add(id) };
}

/** Everything open except what matched a danger pattern: those are only picked one by one, by hand. */
export function pickAll(model: ApprovalsModel): ApprovalsModel {
  const picked = openIds(model).filter((id) => { const request = model.byId.get(id); return request !== undefined && !isRed(request); });
  return { ...model, picked: new Set(picked) };
}

export function pickNone(model: ApprovalsModel): ApprovalsModel {
  return model.picked.size === 0 ? model : { ...model, picked: new Set() };
}

/** Red: a danger pattern or a floor matched. Amber: only unknown. */
export function isRed(request: Pick<ApprovalRequest, 'review'>): boolean {
  return request.review.verdict === 'block' || request.review.findings.some((finding) => finding.tier !== 'unknown');
}

/** Why "always" is not offered for a request, in words; undefined when it is. */
export function whyNoAlways(request: ApprovalRequest): string | undefined {
  if (request.command.length > LONG_COMMAND_CHARS) return 'This command is too long to allow for good.';
  if (!request.allowAlways) return `It cannot be allowed for good: ${whyOnlyOnce(request)}.`;
  if (request.alwaysEntries.length === 0) return 'There is no rule that would mean exactly this.';
  return undefined;
}

/** As the host decides it: what cannot be judged, own ask rules, here-documents and secrets are never allowed for good. */
function whyOnlyOnce({ command, review: { findings } }: ApprovalRequest): string {
  if (findings.some(({ tier }) => tier === 'unknown')) return 'a part of it cannot be judged before it runs';
  if (findings.some((finding) => finding.class === 'user-rule')) return 'a rule of yours asks about it each time';
  if (findings.some(({ tier }) => tier === 'floor')) return 'this kind never is';
  return command.includes('<<') ? 'it holds a here-document' : 'it may hold a secret, or is of a kind that is asked about each time';
}

/** True while a command that is long, or that its view cuts off, was not yet read to its end: Run stays off. */
export function mustReadFirst(model: ApprovalsModel, request: ApprovalRequest): boolean {
  return (request.command.length > LONG_COMMAND_CHARS || model.tall.has(request.id)) && !model.readInFull.has(request.id);
}

function askedAnnouncement(request: ApprovalRequest, waiting: number): string {
  return `Approval needed in ${request.sessionTitle}: ${request.reason} ${waiting === 1 ? 'One request waits' : `${waiting} requests wait`} for you. `
    + 'Choices: run once, run for this chat, always, deny, deny and say why.';
}

/** Answers from a window of the app need no mention. */
const WINDOWS: readonly string[] = ['desktop', 'electron', 'browser'];

/** The verdict line of a settled request. */
export function settledWords(request: ApprovalRequest): string {
  if (request.automatic === true) return automaticWords(request);
  const by = request.decidedBy === undefined || WINDOWS.includes(request.decidedBy) ? '' : ` from ${request.decidedBy}`;
  switch (request.state) {
    case 'approved': {
      const scope = { session: ' for this chat', always: ' and always allowed from now on', once: ' once', deny: '', timeout: '', cancelled: '' }[request.choice ?? 'once'];
      return `Approved${scope}${request.editedCommand === undefined ? '' : ', modified by you'}${by}`;
    }
    case 'denied': return request.denyReason === undefined || request.denyReason === '' ? `Denied${by}` : `Denied${by}: ${request.denyReason}`;
    case 'expired': return 'Time ran out: silence counts as no, and the command did not run';
    case 'cancelled': return 'Withdrawn: nothing ran and nothing was refused';
    case 'created': case 'delivered': case 'seen': return 'Waiting for you';
    case 'held': return 'On hold: the clock is stopped';
  }
}

const AUTOMATIC: ReadonlyMap<string, string> = new Map([
  ['rule', 'a rule'], ['smart', 'the reviewing model'], ['off', 'approvals are off'], ['yolo', 'nothing is asked there'], ['unattended', 'nobody was there'], ['floor', 'never run'], ['deny rule', 'your deny rule'],
]);

function automaticWords({ state, decidedBy = '' }: ApprovalRequest): string {
  return `${state === 'approved' ? 'Ran without asking' : 'Stopped without asking'}: ${AUTOMATIC.get(decidedBy) ?? decidedBy}`;
}

function onlyOpen(ids: ReadonlySet<ApprovalId>, byId: ReadonlyMap<ApprovalId, ApprovalRequest>): ReadonlySet<ApprovalId> {
  const kept = [...ids].filter((id) => { const request = byId.get(id); return request !== undefined && isOpen(request); });
  return kept.length === ids.size ? ids : new Set(kept);
}

function without<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  if (!set.has(value)) return set;
  const next = new Set(set);
  next.delete(value);
  return next;
}
