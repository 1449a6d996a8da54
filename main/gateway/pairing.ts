/**
 * Who may talk to the agent through a messenger: `<home>/pairing/<platform>.json`, shared by all processes of the home. Nobody unknown gets in: a person is
 * named in the settings, let in by hand, or sends the code that the desktop or the command line shows.
 */
import { randomInt, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { AppError } from '../../preload/contract/errors.ts';
import { AllowedSender, type PlatformName } from '../../preload/contract/gateway.ts';
import type { Sender } from './platform.ts';

/** Without letters and digits that look alike. 32^8 codes. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_CHARS = 8;
const CODE_LIVES_MS = 60 * 60_000;
/** After so many wrong codes the right one is void: guessing gets nowhere. */
const WRONG_TRIES = 5;
const REFUSED_KEPT = 20;
/** A stranger is told once in this time that nobody answers. */
const TELL_AGAIN_MS = 10 * 60_000;
const LOCKING = { realpath: false, stale: 10_000, retries: { retries: 60, factor: 1.3, minTimeout: 20, maxTimeout: 250, randomize: true } };

const Pairing = z.object({
  allowed: z.array(AllowedSender),
  refused: z.array(z.object({ id: z.string(), name: z.string(), at: z.number(), toldAt: z.number() })),
  code: z.object({ code: z.string(), expiresAt: z.number(), wrong: z.number() }).nullable(),
});
type Pairing = z.infer<typeof Pairing>;
const EMPTY: Pairing = { allowed: [], refused: [], code: null };

export interface PairingDesk {
  read(platform: PlatformName): Promise<Pairing>;
  /** Replaces the code there was. */
  newCode(platform: PlatformName): Promise<void>;
  allow(platform: PlatformName, sender: Sender, by: 'code' | 'hand'): Promise<void>;
  /** False when nobody of that id was let in. */
  revoke(platform: PlatformName, sender: string): Promise<boolean>;
  /** What to do with somebody who is not let in: `paired` when the text is the code; `tell` says whether they are answered at all. */
  knock(platform: PlatformName, sender: Sender, text: string): Promise<{ readonly paired: boolean; readonly tell: boolean }>;
}

export function createPairing(home: string, now: () => number): PairingDesk {
  const folder = join(home, 'pairing');
  const fileOf = (platform: PlatformName): string => join(folder, `${platform}.json`);

  async function read(platform: PlatformName): Promise<Pairing> {
    let text: string;
    try {
      text = await readFile(fileOf(platform), 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return EMPTY;
      throw error;
    }
    try {
      return Pairing.parse(JSON.parse(text));
    } catch (cause) {
      throw new AppError('storage/failed', `${fileOf(platform)} is damaged: nobody is let in.`, { hint: 'Mend or remove it and pair again.', cause });
    }
  }

  async function change<T>(platform: PlatformName, work: (pairing: Pairing) => { readonly next: Pairing; readonly answer: T }): Promise<T> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const release = await lock(fileOf(platform), LOCKING);
    try {
      const { next, answer } = work(await read(platform));
      await writeFileAtomic(fileOf(platform), `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
      return answer;
    } finally {
      await release();
    }
  }

  const withAllowed = (pairing: Pairing, sender: Sender, by: 'code' | 'hand'): Pairing => ({
    ...pairing,
    allowed: [...pairing.allowed.filter(({ id }) => id !== sender.id), { id: sender.id, name: sender.name, since: now(), by }],
    refused: pairing.refused.filter(({ id }) => id !== sender.id),
  });

  return {
    read,
    newCode: (platform) => change(platform, (pairing) => {
      const code = Array.from({ length: CODE_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
      return { next: { ...pairing, code: { code, expiresAt: now() + CODE_LIVES_MS, wrong: 0 } }, answer: undefined };
    }),
    allow: (platform, sender, by) => change(platform, (pairing) => ({ next: withAllowed(pairing, sender, by), answer: undefined })),
    revoke: (platform, sender) => change(platform, (pairing) => ({
      next: { ...pairing, allowed: pairing.allowed.filter(({ id }) => id !== sender) }, answer: pairing.allowed.some(({ id }) => id === sender),
    })),
    knock: (platform, sender, text) => change<{ paired: boolean; tell: boolean }>(platform, (pairing) => {
      const { code } = pairing;
      const tried = text.trim().replace(/^\/?(?:pair|start)\s+/i, '').toUpperCase();
      const looksLikeCode = new RegExp(`^[A-Z0-9]{${String(CODE_CHARS)}}$`).test(tried);
      const open = code !== null && code.expiresAt > now() ? code : null;
      if (looksLikeCode && open !== null && timingSafeEqual(Buffer.from(tried), Buffer.from(open.code))) {
        return { next: { ...withAllowed(pairing, sender, 'code'), code: null }, answer: { paired: true, tell: true } };
      }
      const wrong = looksLikeCode && open !== null ? open.wrong + 1 : open?.wrong ?? 0;
      const before = pairing.refused.find(({ id }) => id === sender.id);
      const tell = before === undefined || now() - before.toldAt >= TELL_AGAIN_MS;
      return {
        next: {
          ...pairing, code: open === null || wrong >= WRONG_TRIES ? null : { ...open, wrong },
          refused: [{ id: sender.id, name: sender.name, at: now(), toldAt: tell ? now() : before.toldAt }, ...pairing.refused.filter(({ id }) => id !== sender.id)].slice(0, REFUSED_KEPT),
        },
        answer: { paired: false, tell },
      };
    }),
  };
}
