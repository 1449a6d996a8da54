/** Terminal figures of design §6: overhead of a foreground command, capture of 100 MB, memory while capturing. */
import { spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as pty from 'node-pty';
import { systemClock } from '../../main/clock.ts';
import { createEventBus } from '../../main/events.ts';
import { createIds } from '../../main/ids.ts';
import { silentLog } from '../../main/log.ts';
import { openStorage } from '../../main/storage/storage.ts';
import { createTerminals, type Manager } from '../../main/terminals/terminals.ts';
import { median, type Figure } from '../support/figures.ts';

const ROUNDS = 41;
/** Each between two runs on a bare PTY: what else the machine does changes within a minute. */
const CAPTURE_ROUNDS = 3;
const CAPTURE_BYTES = 100_000_000;
/** 100 bytes a line, as logs have. */
const CAPTURE_COMMAND = `awk 'BEGIN { for (i = 1; i <= ${CAPTURE_BYTES / 100}; i++) printf "%099d\\n", i }'`;

function plainBash(): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    spawn('bash', ['-c', 'echo x'], { stdio: ['ignore', 'pipe', 'pipe'] }).once('error', reject).once('close', () => resolve(performance.now() - began)).stdout.resume();
  });
}

function barePty(): Promise<{ readonly milliseconds: number; readonly bytes: number }> {
  const began = performance.now();
  let bytes = 0;
  return new Promise((resolve) => {
    const terminal = pty.spawn('bash', ['-c', CAPTURE_COMMAND], { cols: 120, rows: 30, encoding: null });
    terminal.onData((data) => { bytes += data.length; });
    terminal.onExit(() => resolve({ milliseconds: performance.now() - began, bytes }));
  });
}

async function lastLine(path: string): Promise<string> {
  const { size } = statSync(path);
  let text = '';
  for await (const chunk of createReadStream(path, { start: Math.max(0, size - 200), encoding: 'utf8' })) text += String(chunk);
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

async function capture(terminals: Manager, pseudoTerminal: boolean) {
  const before = process.memoryUsage().rss;
  let peak = before;
  const watching = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 20);
  const began = performance.now();
  const result = await terminals.run({
    taskId: 'bench', sessionId: 'bench', toolCallId: 'bench', command: CAPTURE_COMMAND, pty: pseudoTerminal, timeoutMs: 300_000, signal: new AbortController().signal,
  });
  const milliseconds = performance.now() - began;
  clearInterval(watching);
  const wanted = String(CAPTURE_BYTES / 100);
  const complete = result.output.trimEnd().endsWith(wanted) && (await lastLine(result.fullOutputPath ?? '')).endsWith(wanted);
  return { milliseconds, complete, growth: peak - before };
}

export async function bench(): Promise<Figure[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'talaria-bench-')));
  const ids = createIds();
  const storage = openStorage(join(folder, 'talaria.db'), { clock: systemClock, ids, log: silentLog });
  const terminals = createTerminals({
    storage, ids, events: createEventBus(silentLog), clock: systemClock, log: silentLog, redact: (text) => text, hostEnvironment: process.env,
    config: { get: () => undefined, env: () => undefined }, paths: { home: folder, cache: join(folder, 'cache'), outputs: join(folder, 'outputs') },
  });
  try {
    const run = (command: string) => terminals.run({ taskId: 'bench', sessionId: 'bench', toolCallId: 'bench', command, timeoutMs: 60_000, signal: new AbortController().signal });
    await run('true');
    const plain: number[] = [];
    const ours: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      plain.push(await plainBash());
      const began = performance.now();
      await run('echo x');
      ours.push(performance.now() - began);
    }
    const bare: number[] = [];
    const shares: { readonly pipe: number; readonly pty: number }[] = [];
    const captured: Awaited<ReturnType<typeof capture>>[] = [];
    for (let round = 0; round < CAPTURE_ROUNDS; round++) {
      const before = (await barePty()).milliseconds;
      const piped = await capture(terminals, false);
      const onPty = await capture(terminals, true);
      const after = (await barePty()).milliseconds;
      bare.push(before, after);
      captured.push(piped, onPty);
      shares.push({ pipe: (before + after) / 2 / piped.milliseconds, pty: (before + after) / 2 / onPty.milliseconds });
    }
    const speed = (milliseconds: number) => CAPTURE_BYTES / 1_000 / milliseconds;
    return [
      { name: 'foreground command: overhead over plain bash -c, median', value: median(ours) - median(plain), unit: 'ms', bar: '≤ 15' },
      { name: 'capture of 100 MB, bare PTY', value: speed(median(bare)), unit: 'MB/s' },
      { name: 'capture of 100 MB, foreground command: share of a bare PTY', value: median(shares.map(({ pipe }) => pipe)), unit: '×', bar: '≥ 0.7' },
      { name: 'capture of 100 MB, foreground command on a PTY: share of a bare PTY', value: median(shares.map(({ pty: share }) => share)), unit: '×', bar: '≥ 0.7' },
      { name: 'capture of 100 MB, last byte there in all (1 = yes)', value: captured.every(({ complete }) => complete) ? 1 : 0, unit: '', bar: '≥ 1' },
      { name: 'capture of 100 MB, growth of memory at its peak', value: Math.max(...captured.map(({ growth }) => growth)) / 1_000_000, unit: 'MB' },
    ];
  } finally {
    await terminals.close();
    storage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
