/** How fast the database is: opening a long chat, and searching in many messages. `TALARIA_BENCH_MESSAGES` says how many (100,000 by default). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../main/clock.ts';
import { silentLog } from '../../main/log.ts';
import type { Storage } from '../../main/ports.ts';
import { openStorage } from '../../main/storage/storage.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import { percentile, type Figure } from '../support/figures.ts';
import { aCall, aMessage, aSession, ids } from '../support/stored.ts';

const LONG_CHAT = 5_000;
const CHAT = 500;
const WORDS = 40_000;
const BATCH = 2_000;
const SEARCHES = 400;
/** One message in so many is in a script without spaces. */
const UNSPACED_EVERY = 20;

/** Even numbers below 1, the same in each run. */
function random(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Words as often as in real text: the n-th commonest one n times rarer than the first. */
function vocabulary(next: () => number): { word: () => string; at: (rank: number) => string } {
  const at = (rank: number): string => `w${rank.toString(36)}`;
  return { at, word: () => at(Math.floor(WORDS ** next()) - 1) };
}

function timed(run: () => unknown): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}

function fill(storage: Storage, count: number): { longChat: SessionId; word: (rank: number) => string; next: () => number } {
  const next = random();
  const { word, at } = vocabulary(next);
  const newChat = (): SessionId => {
    const session = aSession();
    storage.sessions.insert(session);
    return session.id;
  };
  const longChat = newChat();
  let chat = longChat;
  let left = LONG_CHAT;
  for (let start = 0; start < count; start += BATCH) {
    storage.transaction(() => {
      for (let index = start; index < Math.min(count, start + BATCH); index += 1) {
        if (left === 0) {
          chat = newChat();
          left = CHAT;
        }
        left -= 1;
        const words = Array.from({ length: 5 + Math.floor(next() * 45) }, word);
        if (index % UNSPACED_EVERY === 0) words.push(String.fromCharCode(...words.map(() => 0x4e00 + Math.floor(next() * 3_000))));
        const message = storage.messages.insert(aMessage(chat, { text: words.join(' '), role: index % 2 === 0 ? 'user' : 'assistant' }));
        if (index % 5 === 1) storage.calls.insert([aCall(chat, message.id, { state: 'done', result: Array.from({ length: 30 }, word).join(' '), endedAt: 1 })]);
      }
    });
  }
  return { longChat, word: at, next };
}

export async function bench(): Promise<Figure[]> {
  const count = Math.max(LONG_CHAT * 2, Number(process.env['TALARIA_BENCH_MESSAGES'] ?? 100_000));
  const folder = mkdtempSync(join(tmpdir(), 'talaria-bench-'));
  const storage = openStorage(join(folder, 'talaria.db'), { clock: systemClock, ids, log: silentLog });
  try {
    const started = performance.now();
    const { longChat, word, next } = fill(storage, count);
    const seconds = (performance.now() - started) / 1_000;
    const pages = Array.from({ length: 30 }, () => timed(() => storage.messages.page(longChat, { limit: 100 })));
    const wholes = Array.from({ length: 10 }, () => timed(() => storage.messages.page(longChat, { limit: LONG_CHAT })));
    const inserts = Array.from({ length: 300 }, () => timed(() => storage.messages.insert(aMessage(longChat, { text: word(5) }))));
    const kinds: Record<string, () => string> = {
      'one common word': () => word(Math.floor(next() * 20)),
      'one rare word': () => word(1_000 + Math.floor(next() * 20_000)),
      'two words': () => `${word(Math.floor(next() * 300))} ${word(Math.floor(next() * 3_000))}`,
      'a phrase': () => `"${word(Math.floor(next() * 5))} ${word(Math.floor(next() * 5))}"`,
      'two letters of an unspaced script': () => String.fromCharCode(0x4e00 + Math.floor(next() * 3_000), 0x4e00 + Math.floor(next() * 3_000)),
      'nothing there': () => `${word(3)} zzz${Math.floor(next() * 1e9)}`,
    };
    const figures: Figure[] = [];
    const all: number[] = [];
    for (const [name, query] of Object.entries(kinds)) {
      const times = Array.from({ length: Math.ceil(SEARCHES / Object.keys(kinds).length) }, () => {
        const text = query();
        return timed(() => storage.messages.search(text, 20));
      });
      all.push(...times);
      figures.push({ name: `search for ${name}, p95`, value: percentile(times, 0.95), unit: 'ms' });
    }
    return [
      { name: `messages stored per second while filling (${count} messages)`, value: count / seconds, unit: '/s' },
      { name: 'one message stored, median', value: percentile(inserts, 0.5), unit: 'ms' },
      { name: 'last 100 messages of a 5,000-message chat, p95', value: percentile(pages, 0.95), unit: 'ms', bar: '≤ 20' },
      { name: 'all 5,000 messages of a chat, median', value: percentile(wholes, 0.5), unit: 'ms' },
      { name: `search in ${count} messages, p95 of all kinds`, value: percentile(all, 0.95), unit: 'ms', bar: '≤ 50' },
      ...figures,
    ];
  } finally {
    storage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
