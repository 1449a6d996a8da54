/** A thousand random orders of requests, answers, silences, interrupts and deaths of hosts, checked against a plain account of what was answered. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { ApprovalRequest } from '../../../preload/contract/index.ts';
import type { ReviewOutcome } from '../../../tools/context.ts';
import { desk, type Desk } from '../../support/approvals-desk.ts';
import { ids } from '../../support/stored.ts';

const SCENARIOS = 1_000;
const STEPS = 12;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const turn = (): Promise<void> => new Promise((done) => { setImmediate(done); });

/** Numbers from 0 up to `below`, the same for the same seed. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Asked { readonly host: Desk; readonly command: string; readonly stop: AbortController; outcome: ReviewOutcome | undefined }

let keeper: Desk;
/** Holds the home and looks at the store; it never takes part. */
beforeAll(() => { keeper = desk({ screens: 0, yaml: 'approvals: {timeout: 5}\n' }); });
afterAll(() => {
  for (const host of spare) host.kill();
  keeper.remove();
});

class Account {
  /** What was run, by the id of its approval. */
  readonly ran: { readonly id: string; readonly hash: string }[] = [];
  /** Answers that were accepted, with the text they were given for. */
  readonly accepted = new Map<ApprovalId, { readonly approved: boolean; readonly hash: string }>();
  readonly shown = new Map<ApprovalId, string>();
  readonly asked: Asked[] = [];
  readonly sessionId = ids.session();
  hosts: Desk[] = [];

  start(): void {
    this.hosts.push(freshHost());
  }

  run(id: string, command: string): void {
    this.ran.push({ id, hash: hash(command) });
  }

  ask(host: Desk, command: string): void {
    const entry: Asked = { host, command, stop: new AbortController(), outcome: undefined };
    this.asked.push(entry);
    void host.review(command, { sessionId: this.sessionId, signal: entry.stop.signal }).then((outcome) => {
      entry.outcome = outcome;
      if (outcome.approved) this.run(outcome.approvalId ?? 'no approval', outcome.command);
    });
    for (const request of host.approvals.list()) this.shown.set(request.id, request.command);
  }

  async answer(host: Desk, request: ApprovalRequest, choice: 'once' | 'deny', editedCommand?: string): Promise<void> {
    try {
      const settled = await host.approvals.decide({ id: request.id, choice, ...(editedCommand === undefined ? {} : { editedCommand }) }, 'test');
      expect(this.accepted.has(request.id)).toBe(false);
      this.accepted.set(request.id, { approved: choice === 'once', hash: hash(editedCommand ?? request.command) });
      expect(settled.id).toBe(request.id);
    } catch (error) {
      expect(error).toMatchObject({ code: 'approval/late' });
    }
  }
}

/** Hosts that outlived their scenario start the next one. */
const spare: Desk[] = [];
let current: Account;

function freshHost(): Desk {
  const kept = spare.pop();
  if (kept !== undefined) return kept;
  const host = desk({ beside: keeper });
  host.approvals.onOrphanDecided((request) => { if (request.state === 'approved') current.run(request.id, request.editedCommand ?? request.command); });
  return host;
}

async function scenario(seed: number): Promise<void> {
  const roll = dice(seed);
  const account = new Account();
  current = account;
  account.start();
  if (roll(3) === 0) account.start();
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[roll(Math.max(1, items.length))];
  for (let step = 0; step < STEPS; step += 1) {
    const host = pick(account.hosts) ?? keeper;
    const known = [...account.shown.keys()];
    switch (roll(10)) {
      case 0: case 1: case 2: account.ask(host, `rm -rf dir-${seed}-${step}`); break;
      case 3: account.ask(host, `rm -rf same-${seed}`); break;
      case 4: case 5: case 6: {
        const id = pick(known);
        const request = id === undefined ? undefined : host.storage.approvals.get(id);
        if (request !== undefined) await account.answer(host, request, roll(2) === 0 ? 'once' : 'deny', roll(4) === 0 ? `${request.command}-edited` : undefined);
        break;
      }
      case 7: host.clock.advance(roll(2) === 0 ? 300 : 3_500); break;
      case 8: {
        if (roll(2) === 0) pick(account.asked)?.stop.abort();
        else {
          const open = pick(host.approvals.list());
          if (open !== undefined) host.approvals.hold(open.id, roll(2) === 0);
        }
        break;
      }
      default:
        if (roll(3) === 0) {
          host.kill();
          account.hosts = account.hosts.filter((other) => other !== host);
          // The next one looks at the store in its first moment, not only when it is asked something.
          for (const other of spare.splice(0)) other.kill();
          account.start();
        }
    }
    await turn();
    for (const request of keeper.storage.approvals.open()) account.shown.set(request.id, request.command);
  }
  await settleAll(account);
  check(account);
  spare.push(...account.hosts);
}

async function settleAll(account: Account): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    const [host] = account.hosts;
    const open = keeper.storage.approvals.open();
    for (const request of open) {
      account.shown.set(request.id, request.command);
      if (host !== undefined) await account.answer(host, request, round % 2 === 0 ? 'deny' : 'once');
    }
    keeper.clock.advance(1_000);
    await turn();
    if (open.length === 0 && keeper.storage.approvals.open().length === 0) return;
  }
  throw new Error('requests keep coming');
}

function check(account: Account): void {
  // Nothing is lost: each request that was ever shown is settled, and who lives has its answer.
  for (const id of account.shown.keys()) expect(keeper.storage.approvals.get(id)?.state).toMatch(/^(approved|denied|expired|cancelled)$/);
  for (const asked of account.asked) if (account.hosts.includes(asked.host)) expect(asked.outcome).toBeDefined();
  // Nothing runs twice, nothing runs without an answer, and what runs is what was shown or what the person wrote.
  const ids = account.ran.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, hash: ran } of account.ran) expect(account.accepted.get(id as ApprovalId)).toEqual({ approved: true, hash: ran });
  // Every yes that was accepted was carried out.
  for (const [id, { approved }] of account.accepted) expect(ids.includes(id)).toBe(approved);
  // No answer went to another request: what an outcome names was shown for that very command.
  for (const { outcome, command } of account.asked) if (outcome?.approvalId !== undefined) expect(account.shown.get(outcome.approvalId as ApprovalId)).toBe(command);
}

test(`in ${SCENARIOS} random orders nothing is lost, misdirected or run twice`, async () => {
  for (let seed = 1; seed <= SCENARIOS; seed += 1) {
    try {
      await scenario(seed);
    } catch (error) {
      throw new Error(`scenario ${seed}`, { cause: error });
    }
  }
}, 600_000);
