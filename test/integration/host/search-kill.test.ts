/** kill −9 in the middle of writing messages and their search index: what was written is found, once each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { silentLog } from '../../../main/log.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import { ids } from '../../support/stored.ts';

const PROGRAM = fileURLToPath(new URL('../../support/storage-that-dies.ts', import.meta.url));
/** Each is a process of its own, killed after so many messages. */
const KILLS = process.env['TALARIA_LONG'] === '1' ? [1, 7, 50, 400, 3_000, 20_000] : [3, 150];

let folder: string | undefined;
afterEach(async () => { if (folder !== undefined) await rm(folder, { recursive: true, force: true }); });

test('every message that was whole when the process was killed is found by its own word once, by words and by pieces, and the index is sound', async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-search-kill-'));
  const file = join(folder, 'talaria.db');
  for (const [round, after] of KILLS.entries()) {
    const child = spawn(process.execPath, [PROGRAM, file, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let last = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (last === after) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(last).toBeGreaterThanOrEqual(after);

    const storage = openStorage(file, { clock: systemClock, ids, log: silentLog });
    try {
      for (const number of new Set([0, Math.floor(last / 2), last - 1, last])) expect(storage.messages.search(`round${String(round)}number${String(number)}end`, 100), `number ${String(number)}`).toHaveLength(1);
      expect(storage.messages.search('苍鹭', 10).length).toBeGreaterThan(0);
    } finally {
      storage.close();
    }
  }
  const database = new Sqlite(file);
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    // A text is in an index as often as it is in a message: no more, no less.
    const whole = database.prepare("SELECT count(*) FROM messages WHERE state <> 'streaming' AND text <> ''").pluck().get();
    for (const index of ['search_words', 'search_pieces']) expect(database.prepare(`SELECT count(*) FROM ${index}`).pluck().get(), index).toBe(whole);
  } finally {
    database.close();
  }
}, 240_000);
