/** kill −9 at the moments that matter: nothing that a person wrote is lost, nothing is done or answered twice. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { startTelegram, TOKEN, type LoopbackTelegram } from '../../support/gateway/telegram.ts';
import { startModelServer, type ModelServer, type ModelServerOptions } from '../../support/model/server.ts';

const PROGRAM = fileURLToPath(new URL('../../support/gateway/host-process.ts', import.meta.url));
const NODE = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));
const WAIT = { timeout: 40_000, interval: 20 };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

interface Bench { readonly telegram: LoopbackTelegram; readonly model: ModelServer; readonly folder: string; serve(): Promise<ChildProcess>; kill(child: ChildProcess): Promise<void> }

async function open(options: ModelServerOptions): Promise<Bench> {
  const root = await mkdtemp(join(tmpdir(), 'talaria-kill-'));
  closers.push(() => rm(root, { recursive: true, force: true }));
  const telegram = await startTelegram();
  closers.push(() => telegram.close());
  const model = await startModelServer(options);
  closers.push(() => model.close());
  const [home, folder] = [join(root, 'home'), join(root, 'work')];
  await mkdir(home);
  await mkdir(folder);
  await writeFile(join(home, 'config.yaml'), `model:\n  default: scripted-model\n  provider: custom\n  base_url: ${model.baseUrl}\ngateway:\n  telegram:\n    api_root: ${telegram.url}\n    poll_seconds: 1\n`);
  const bench: Bench = {
    telegram, model, folder,
    async serve() {
      const child = spawn(NODE, [PROGRAM, home, folder], { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], HOME: root, TMPDIR: root, SHELL: '/bin/bash', TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_ALLOWED_USERS: '42' } });
      closers.push(() => bench.kill(child));
      await once(child.stdout, 'data');
      return child;
    },
    async kill(child) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  return bench;
}

test('killed while the model answers: the turn is gone on with after the start, and one answer comes', async () => {
  let asked = 0;
  const bench = await open({ script: () => { asked += 1; return asked === 1 ? { steps: [{ text: 'half an ans' }, { gate: 'never' }] } : { text: 'The whole answer.' }; } });
  const first = await bench.serve();
  bench.telegram.says('question');
  await expect.poll(() => bench.model.requests.length, WAIT).toBe(1);
  await bench.kill(first);
  expect(bench.telegram.texts()).toEqual([]);
  await bench.serve();
  await expect.poll(() => bench.telegram.texts(), WAIT).toEqual(['The whole answer.']);
  const questions = bench.model.requests[1]?.body.messages.filter(({ role, content }) => role === 'user' && String(content).startsWith('question'));
  expect(questions).toHaveLength(1);
}, 60_000);

test('killed while a question is open: the button of before answers it, and the command runs once', async () => {
  const bench = await open({ script: ({ body }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Finished.' } : { calls: [{ name: 'terminal', arguments: { command: 'rm -rf victim && echo run >> runs' } }] }) });
  await mkdir(join(bench.folder, 'victim'));
  const first = await bench.serve();
  bench.telegram.says('clean up');
  await expect.poll(() => bench.telegram.buttons().get('Allow once'), WAIT).toBeDefined();
  await bench.kill(first);
  await bench.serve();
  bench.telegram.presses(bench.telegram.buttons().get('Allow once') ?? '');
  await expect.poll(() => bench.telegram.texts().at(-1), WAIT).toBe('Finished.');
  await expect(stat(join(bench.folder, 'victim'))).rejects.toThrow('ENOENT');
  expect((await stat(join(bench.folder, 'runs'))).size).toBe('run\n'.length);
}, 60_000);

// Four hosts one after the other take half a minute; two do in the usual run.
const KILLS = process.env['TALARIA_LONG'] === '1' ? 3 : 1;
const SENT = [...Array.from({ length: KILLS }, (_, round) => `m${String(round)}`), 'last'];

test('killed again and again while messages come in: each reaches the model and is answered; only what was on its way to Telegram at a kill can come twice', async () => {
  const bench = await open({ script: ({ body }) => ({ text: `answer to ${String(body.messages.findLast(({ role }) => role === 'user')?.content)}` }) });
  for (let round = 0; round < KILLS; round += 1) {
    const child = await bench.serve();
    bench.telegram.says(`m${String(round)}`);
    if (round === 1) await expect.poll(() => bench.model.requests.length, WAIT).toBeGreaterThan(0);
    await expect.poll(() => bench.telegram.polls, WAIT).toBeGreaterThan(round);
    await bench.kill(child);
  }
  await bench.serve();
  bench.telegram.says('last');
  for (const round of SENT) await expect.poll(() => bench.telegram.texts().some((text) => text.startsWith(`answer to ${round}`)), WAIT).toBe(true);
  const answers = bench.telegram.texts();
  for (const round of SENT) expect(answers.filter((text) => text.startsWith(`answer to ${round}`)).length, round).toBeOneOf(round === 'last' ? [1] : [1, 2]);
  const asked = bench.model.requests.map(({ body }) => String(body.messages.findLast(({ role }) => role === 'user')?.content).split('\n')[0]);
  for (const round of SENT.filter((each) => each !== 'm1')) expect(asked.filter((text) => text === round).length, round).toBeLessThanOrEqual(2);
}, 90_000);
