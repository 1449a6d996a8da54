/**
 * Requests that wait for a person: one durable row each, answered by id, exactly once, by whichever process of this home the person sits at.
 * The process that asked owns the row and its time limit; a row whose owner died is an orphan: held, listed, still answerable.
 */
import { AppError } from '../../preload/contract/errors.ts';
import type { ApprovalId } from '../../preload/contract/ids.ts';
import type { ApprovalRequest, ApprovalState } from '../../preload/contract/index.ts';
import type { Clock, EventBus, Log, Storage } from '../ports.ts';
import { isOpen, OPEN, TICKING } from './open-states.ts';
import { Owners, type Owner } from './owners.ts';
import { Screens } from './screens.ts';

/** How often answers given elsewhere are looked for, in ms, while somebody here waits; else while a screen is open. */
const WAITING_LOOK_MS = 250;
const SCREEN_LOOK_MS = 1_000;

export interface QueueParts {
  readonly clock: Clock;
  readonly events: Pick<EventBus, 'publish'>;
  readonly storage: Pick<Storage, 'approvals' | 'values' | 'transaction'>;
  readonly log: Log;
  readonly owner: Owner;
}

interface Waiter { readonly request: ApprovalRequest; readonly settle: (request: ApprovalRequest) => void; stopTimer: () => void }

export class ApprovalQueue {
  readonly #parts: QueueParts;
  readonly #owners: Owners;
  readonly #waiters = new Map<ApprovalId, Waiter>();
  /** Answers being carried out here: the time limit does not overtake them. */
  readonly #deciding = new Set<ApprovalId>();
  readonly #orphans = new Set<ApprovalId>();
  readonly #orphanListeners = new Set<(request: ApprovalRequest) => void>();
  /** Answered orphans that nobody was there to hear of yet. */
  #unheard: ApprovalRequest[] = [];
  /** What screens of this process last heard of each open request. */
  #told = new Map<ApprovalId, string>();
  readonly #screens = new Screens();
  #stopLooking: (() => void) | undefined;
  #closed = false;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#owners = new Owners(parts.storage.values, parts.owner);
    this.#adoptOrphans();
    for (const request of this.list()) this.#told.set(request.id, JSON.stringify(request));
    this.#look();
  }

  /**
   * Stores the request, then resolves with its settled row; aborting settles it as cancelled. Throws what storage throws, and then nothing waits.
   * After `close` the promise stays open, as it would after a kill: the row is what remains.
   */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalRequest> {
    const { storage } = this.#parts;
    storage.transaction(() => {
      storage.approvals.insert(request);
      this.#owners.claim(request.id);
    });
    return new Promise((resolve) => {
      const onAbort = (): void => { this.cancel(request.id); };
      this.#waiters.set(request.id, {
        request,
        settle: (settled) => {
          signal.removeEventListener('abort', onAbort);
          resolve(settled);
        },
        stopTimer: () => undefined,
      });
      this.#arm(request);
      this.#tell(request);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      this.#look();
    });
  }

  /** Stores a request that nobody waits for: it stays open without a limit until somebody answers it. */
  leave(request: ApprovalRequest): void {
    this.#parts.storage.approvals.insert(request);
    this.#tell(request);
  }

  list(): ApprovalRequest[] { return this.#parts.storage.approvals.open(); }

  /** The open request. Throws `not-found`, or `approval/late` with what `describe` says of the settled one. */
  open(id: ApprovalId, describe: (request: ApprovalRequest) => string): ApprovalRequest {
    const request = this.#parts.storage.approvals.get(id);
    if (request === undefined) throw new AppError('not-found', `there is no approval request with the id ${id}`);
    if (!isOpen(request) || this.#deciding.has(id)) {
      throw new AppError('approval/late', `this answer came too late and changed nothing: ${describe(request)}`, { hint: 'The history shows what was decided.' });
    }
    return request;
  }

  /** Runs `work` while neither a second answer nor the time limit can touch the request. */
  async whileDeciding<Result>(id: ApprovalId, work: () => Promise<Result>): Promise<Result> {
    this.#deciding.add(id);
    try {
      return await work();
    } finally {
      this.#deciding.delete(id);
      const request = this.#closed ? undefined : this.#parts.storage.approvals.get(id);
      if (request !== undefined && this.#waiters.has(id)) this.#arm(request);
    }
  }

  /** The answer: false when another process was first. `also` happens in the same transaction. */
  answer(id: ApprovalId, change: Partial<ApprovalRequest>, also: () => void): boolean {
    if (this.#owners.ownerOf(id) !== 'living') this.#adopt(id);
    return this.#settle(id, OPEN, change, also);
  }

  /** Changes an open request without settling it. Undefined when it is not open any more. */
  change(id: ApprovalId, from: readonly ApprovalState[], change: Partial<ApprovalRequest>): ApprovalRequest | undefined {
    const { storage } = this.#parts;
    if (!storage.approvals.transition(id, from, change)) return undefined;
    const request = storage.approvals.get(id);
    if (request === undefined) return undefined;
    if (this.#waiters.has(id)) this.#arm(request);
    this.#tell(request);
    return request;
  }

  /** Settles the open requests of a chat that wait in this process, and those that nobody waits for. */
  cancelSession(sessionId: string): void {
    for (const request of this.list()) {
      if (request.sessionId === sessionId && (this.#waiters.has(request.id) || request.leftOpen !== undefined)) this.cancel(request.id);
    }
  }

  get screens(): number { return this.#screens.count; }

  get surface(): string { return this.#screens.surface; }

  addScreen(name: string): () => void {
    const off = this.#screens.add(name);
    for (const request of this.list()) if (request.state === 'created') this.change(request.id, ['created'], { state: 'delivered' });
    this.#look();
    return off;
  }

  /** Told once of each answer to a request whose waiter died with its process, those given before it listened included. */
  onOrphanDecided(listener: (request: ApprovalRequest) => void): () => void {
    this.#orphanListeners.add(listener);
    for (const request of this.#unheard.splice(0)) this.#tellOrphanDecided(request);
    return () => { this.#orphanListeners.delete(listener); };
  }

  close(): void {
    this.#closed = true;
    this.#stopLooking?.();
    for (const waiter of this.#waiters.values()) waiter.stopTimer();
  }

  cancel(id: ApprovalId): void {
    try {
      this.#settle(id, OPEN, { state: 'cancelled', choice: 'cancelled' });
    } catch (error) {
      // Whoever asked must not wait for a store that fails; the row is found at the next start.
      this.#parts.log.error('a cancelled request could not be stored as such', { approval: id, error });
      const waiter = this.#waiters.get(id);
      if (waiter !== undefined) this.#finish({ ...waiter.request, state: 'cancelled', choice: 'cancelled', expiresAt: null });
    }
  }

  #settle(id: ApprovalId, from: readonly ApprovalState[], change: Partial<ApprovalRequest>, also: () => void = () => undefined): boolean {
    if (this.#closed) return false;
    const { storage, clock } = this.#parts;
    const won = storage.transaction(() => {
      if (!storage.approvals.transition(id, from, { decidedAt: clock.now(), expiresAt: null, ...change })) return false;
      if (this.#owners.isOwn(id)) this.#owners.drop(id);
      also();
      return true;
    });
    const request = storage.approvals.get(id);
    if (request !== undefined && !isOpen(request)) this.#takeUp(request);
    return won;
  }

  /** Brings a settled row to whoever waits for it here. */
  #finish(request: ApprovalRequest): void {
    this.#tell(request);
    const waiter = this.#waiters.get(request.id);
    waiter?.stopTimer();
    this.#waiters.delete(request.id);
    waiter?.settle(request);
    if (this.#orphans.delete(request.id)) this.#tellOrphanDecided(request);
  }

  #tellOrphanDecided(request: ApprovalRequest): void {
    if (this.#orphanListeners.size === 0) this.#unheard.push(request);
    for (const listener of this.#orphanListeners) {
      try {
        listener(request);
      } catch (error) {
        this.#parts.log.error('what follows a late decision failed', { approval: request.id, error });
      }
    }
  }

  #arm(request: ApprovalRequest): void {
    const waiter = this.#waiters.get(request.id);
    if (waiter === undefined) return;
    waiter.stopTimer();
    waiter.stopTimer = request.expiresAt === null || !isOpen(request) ? () => undefined
      : this.#parts.clock.after(Math.max(0, request.expiresAt - this.#parts.clock.now()), () => this.#expire(request.id));
  }

  #expire(id: ApprovalId): void {
    const { storage, clock, log } = this.#parts;
    // An answer that is being carried out counts, though its time ran out meanwhile.
    if (this.#closed || this.#deciding.has(id)) return;
    try {
      const request = storage.approvals.get(id);
      if (request === undefined) return;
      if (isOpen(request) && (request.expiresAt === null || request.expiresAt > clock.now())) this.#arm(request);
      else this.#settle(id, TICKING, { state: 'expired', choice: 'timeout' });
    } catch (error) {
      log.error('a request could not be ended in time; it goes on waiting', { approval: id, error });
      const waiter = this.#waiters.get(id);
      if (waiter !== undefined) waiter.stopTimer = clock.after(SCREEN_LOOK_MS, () => this.#expire(id));
    }
  }

  #tell(request: ApprovalRequest): void {
    if (isOpen(request)) this.#told.set(request.id, JSON.stringify(request));
    else this.#told.delete(request.id);
    this.#parts.events.publish('approvals', { type: 'changed', request });
  }

  /** Keeps looking for what other processes did, as long as somebody here cares. */
  #look(): void {
    if (this.#stopLooking !== undefined || this.#closed || (this.#waiters.size === 0 && this.screens === 0 && this.#orphans.size === 0)) return;
    this.#stopLooking = this.#parts.clock.after(this.#waiters.size > 0 ? WAITING_LOOK_MS : SCREEN_LOOK_MS, () => {
      this.#stopLooking = undefined;
      try {
        this.#catchUp();
      } catch (error) {
        this.#parts.log.error('the approval requests could not be read; tried again', { error });
      }
      this.#look();
    });
  }

  #catchUp(): void {
    const { storage } = this.#parts;
    this.#adoptOrphans();
    const open = new Map(this.list().map((request) => [request.id, request]));
    for (const id of new Set([...this.#told.keys(), ...this.#waiters.keys(), ...this.#orphans])) {
      if (open.has(id) || this.#deciding.has(id)) continue;
      const request = storage.approvals.get(id);
      if (request === undefined) this.#vanished(id);
      else this.#takeUp(request);
    }
    for (const request of open.values()) {
      if (this.#told.get(request.id) === JSON.stringify(request)) continue;
      this.#arm(request);
      this.#tell(request);
    }
  }

  /** A settled row, wherever it was answered: when it is this process' to carry out, it is so from here on, and once. */
  #takeUp(request: ApprovalRequest): void {
    if (this.#waiters.has(request.id) || this.#orphans.has(request.id)) this.#parts.storage.transaction(() => { this.#owners.drop(request.id); });
    this.#finish(request);
  }

  /** Its chat was purged: nobody can answer any more. */
  #vanished(id: ApprovalId): void {
    for (const known of [this.#told, this.#orphans]) known.delete(id);
    const waiter = this.#waiters.get(id);
    if (waiter !== undefined) this.#finish({ ...waiter.request, state: 'cancelled', choice: 'cancelled', expiresAt: null });
  }

  #adoptOrphans(): void {
    for (const id of this.#owners.orphaned()) this.#adopt(id);
  }

  /**
   * Takes over a row whose process is dead, so that exactly one living process carries its answer out. An open one is held from then on, so that
   * it neither vanishes nor hurries anybody; one that was answered meanwhile is carried out.
   */
  #adopt(id: ApprovalId): void {
    const { storage } = this.#parts;
    const request = storage.transaction(() => {
      const owner = this.#owners.ownerOf(id);
      if (owner === 'living') return undefined;
      const held = storage.approvals.get(id) !== undefined && storage.approvals.transition(id, OPEN, { state: 'held', expiresAt: null });
      if (held) this.#owners.claim(id);
      else this.#owners.drop(id);
      // Settled and without an owner: another process was faster and has carried it out.
      return held || owner === 'dead' ? storage.approvals.get(id) : undefined;
    });
    if (request === undefined) return;
    this.#orphans.add(id);
    (isOpen(request) ? this.#tell : this.#finish).call(this, request);
  }
}
