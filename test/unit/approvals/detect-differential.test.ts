import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandsOf } from '../../../main/approvals/detect.ts';
import { line, PROGRAMS, REAL_PROGRAMS } from './detect-generator.ts';
import { PLACE, samples } from './detect-support.ts';

const BASH = '/bin/bash';
/** Generated lines end at once; one that does not has a flaw worth seeing. */
const LINE_TIMEOUT_MS = 20_000;
/** Lines run in one bash, to spare process starts. */
const BATCH = 25;
/** One digit, as dash wants it, and used by no generated line. */
const LOG_DESCRIPTOR = 8;

let folder = '';
let bin = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'talaria-differential-'));
  bin = join(folder, 'bin');
  mkdirSync(bin);
  const put = (name: string, rest: string): void => {
    // The log is an open descriptor: `env -i` empties the environment, and a job that outlives its line must not write into the next one's log.
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' ${name} >&${String(LOG_DESCRIPTOR)}\n${rest}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  for (const name of PROGRAMS) put(name, 'exit 0');
  for (const name of REAL_PROGRAMS) {
    const real = ['/usr/bin', '/bin'].map((path) => join(path, name)).find((path) => existsSync(path));
    if (real === undefined) throw new Error(`${name} is not installed; the differential test needs coreutils, findutils, util-linux and bash`);
    put(name, `exec ${real} "$@"`);
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return Math.floor(((state >>> 8) / 0x1000000) * below);
  };
}

/** Runs each line in a bash of its own with only the stand-ins on PATH; answers the programs that each line started. */
function started(lines: readonly string[]): string[][] {
  const work = mkdtempSync(join(folder, 'work-'));
  const driver: string[] = [];
  for (const [index, text] of lines.entries()) {
    writeFileSync(join(work, `line-${String(index)}`), text);
    driver.push(`${BASH} --norc --noprofile ${work}/line-${String(index)} >/dev/null 2>&1 </dev/null ${String(LOG_DESCRIPTOR)}>>${work}/log-${String(index)}`);
  }
  const ended = spawnSync(BASH, ['--norc', '--noprofile', '-c', driver.join('\n')], { cwd: work, env: { PATH: bin, HOME: work }, timeout: LINE_TIMEOUT_MS * 3, stdio: 'ignore' });
  if (ended.error !== undefined) throw ended.error;
  return lines.map((_, index) => {
    const log = join(work, `log-${String(index)}`);
    return existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter((name) => name !== '') : [];
  });
}

it('finds every program that a real bash starts', () => {
  const next = generator(20_261_130);
  const total = samples(300, 2_000);
  let seen = 0;
  for (let done = 0; done < total; done += BATCH) {
    const lines = Array.from({ length: Math.min(BATCH, total - done) }, () => line(next, 3));
    for (const [index, programs] of started(lines).entries()) {
      const text = lines[index] ?? '';
      const found = new Set(commandsOf(text, PLACE).map((command) => command.program));
      seen += programs.length;
      const missed = programs.filter((program) => !found.has(program));
      if (missed.length > 0) throw new Error(`not found: ${missed.join(', ')}\nin: ${JSON.stringify(text)}\nfound: ${[...found].join(', ')}`);
    }
  }
  expect(seen).toBeGreaterThan(total);
}, 600_000);
