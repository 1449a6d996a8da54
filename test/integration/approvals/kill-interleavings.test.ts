/**
 * Random orders of questions, answers, interrupts, silences and real kills (SIGKILL) of host processes over one home. What ran stands in a journal that
 * the hosts write themselves, so a kill at any moment shows. A yes whose host was killed between taking it up and running may stay undone (the call is
 * then told as unknown); it never runs twice, never runs for another request, and never as another text.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import { desk, type Desk } from '../../support/approvals-desk.ts';

/** The whole property takes minutes: TALARIA_LONG=1. */
const ACTIONS = process.env['TALARIA_LONG'] === '1' ? 3_000 : 60;
const HOSTS = 2;
const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url));

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Host { say(line: string): Promise<void>; kill(): Promise<void> }

let home: Desk;
let hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.kill()));
  home.remove();
});

async function start(journal: string): Promise<Host> {
  const made: ChildProcess = spawn(process.execPath, [CHILD, home.sessionId, journal], { env: { ...process.env, HERMES_HOME: home.paths.home }, stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise<void>((done) => { made.once('exit', () => { done(); }); });
  const waiting: (() => void)[] = [];
  let early = 0;
  if (made.stdout === null || made.stdin === null) throw new Error('the host has no pipes');
  const { stdin } = made;
  stdin.on('error', () => undefined); // a killed host reads no more: `gone` says so
  createInterface({ input: made.stdout }).on('line', () => { const next = waiting.shift(); if (next === undefined) early += 1; else next(); });
  const did = (): Promise<void> => new Promise((done) => {
    if (early > 0) { early -= 1; done(); } else waiting.push(done);
  });
  await Promise.race([did(), gone]);
  return {
    say: (line) => { const done = did(); stdin.write(`${line}\n`); return Promise.race([done, gone]); },
    kill: () => { made.kill('SIGKILL'); return gone; },
  };
}

test(`in ${ACTIONS} random acts with real kills nothing is lost, misdirected or run twice, and what ran is what was shown`, async () => {
  home = desk({ screens: 0, yaml: 'approvals: {timeout: 2}\n' });
  const journal = join(home.paths.home, 'journal');
  const roll = dice(20_261_130);
  const shown = new Map<string, string>();
  const look = (): void => { for (const request of home.storage.approvals.open()) shown.set(request.id, request.command); };
  hosts = await Promise.all(Array.from({ length: HOSTS }, () => start(journal)));
  const late: Promise<void>[] = [];
  let kills = 0;
  for (let step = 0; step < ACTIONS; step += 1) {
    const index = roll(HOSTS);
    const host = hosts[index];
    if (host === undefined) throw new Error('a host is missing');
    look();
    const open = home.storage.approvals.open();
    const known = open.length > 0 ? open.map(({ id }) => id as string) : [...shown.keys()];
    switch (roll(12)) {
      case 0: case 1: case 2: case 3: await host.say(`ask rm -rf dir-${step}`); break;
      case 4: await host.say(`ask rm -rf same`); break;
      case 5: case 6: case 7: case 8: {
        const id = known[roll(Math.max(1, known.length))];
        if (id === undefined) break;
        const answer = host.say(`decide ${id} ${roll(2) === 0 ? 'once' : 'deny'}${roll(4) === 0 ? ` ${shown.get(id) ?? 'rm -rf x'}-edited` : ''}`);
        // Not waited for now and then: the next act, a kill perhaps, falls into the middle of it.
        if (roll(3) === 0) late.push(answer); else await answer;
        break;
      }
      case 9: await host.say('stop'); break;
      case 10: {
        // Two hosts answer the same request at the same moment.
        const id = known[roll(Math.max(1, known.length))];
        if (id !== undefined) await Promise.all(hosts.map((each) => each.say(`decide ${id} once`)));
        break;
      }
      default:
        if (roll(3) !== 0) break;
        await host.kill();
        kills += 1;
        hosts[index] = await start(journal);
    }
  }
  await Promise.all(late);
  // Those that live answer what is left; orphans are answered too.
  while (home.storage.approvals.open().length > 0) {
    look();
    for (const { id } of home.storage.approvals.open()) await hosts[0]?.say(`decide ${id} once`);
  }
  // Answers given in one process are taken up by the other a moment later: nobody has to take anything up any more.
  await expect.poll(() => home.storage.values.get('approval-owners'), { timeout: 60_000 }).toBeUndefined();
  // Each host answers one more line after all that came before.
  await Promise.all(hosts.map((host) => host.say('idle')));
  const all = readFileSync(journal, 'utf8').trimEnd().split('\n').map((text): Record<string, unknown> => JSON.parse(text));
  expect(all.filter((line) => 'fault' in line)).toEqual([]);
  const accepted = new Map(all.filter((line) => 'accepted' in line).map((line) => [line['accepted'], line]));
  expect(accepted.size).toBe(all.filter((line) => 'accepted' in line).length);
  const ran = all.filter((line) => 'ran' in line);
  expect(new Set(ran.map((line) => line['ran'])).size).toBe(ran.length);
  for (const { ran: id, hash: text } of ran) {
    const row = home.storage.approvals.get(id as ApprovalId);
    expect(row?.state).toBe('approved');
    expect(text).toBe(hash(row?.editedCommand ?? row?.command ?? ''));
    expect(row?.command).toBe(shown.get(String(id)) ?? row?.command);
  }
  for (const id of shown.keys()) expect(home.storage.approvals.get(id as ApprovalId)?.state).toMatch(/^(approved|denied|expired|cancelled)$/);
  // A yes is carried out, but for those whose host was killed in the moment between.
  const undone = [...accepted].filter(([id, { approved }]) => approved === true && !ran.some((line) => line['ran'] === id));
  expect(undone.length).toBeLessThanOrEqual(kills);
  for (const [id, { approved }] of accepted) expect(home.storage.approvals.get(id as ApprovalId)?.state).toBe(approved === true ? 'approved' : 'denied');
}, 1_200_000);
