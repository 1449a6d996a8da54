/** Random messages to every contract request (ten thousand each with TALARIA_LONG=1), over the channel that screens use: each gets a well-formed answer, and the host lives. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryChannelPair } from '../../../main/bridge/memory-channel.ts';
import { serveContract } from '../../../main/bridge/serve.ts';
import type { Channel } from '../../../preload/contract/channel.ts';
import { ErrorShape } from '../../../preload/contract/errors.ts';
import { requests, type RequestName } from '../../../preload/contract/requests.ts';
import { CALLER, openHostBench, type HostBench } from '../../support/test-host.ts';
import { garbagePool, rightInputs, wrongInputs, type Known } from './inputs.ts';

const MESSAGES = process.env['TALARIA_LONG'] === '1' ? 10_000 : 2_000;
/** Of these, so many are right in form and reach a handler; fewer where a handler does something slow (a shell, a search of ports). */
const RIGHT = 60;
const SLOW: ReadonlyMap<RequestName, number> = new Map<RequestName, number>([
  ['host.doctor', 2], ['models.discover', 2], ['models.test', 10], ['tour.start', 2], ['terminals.open', 3], ['sessions.create', 20], ['sessions.fork', 20], ['chat.send', 25], ['chat.retry', 25], ['settings.set', 15], ['allowlist.add', 15], ['models.save', 15], ['toolsets.check', 10],
]);
/** Below the bridge's own limit of open requests. */
const AT_ONCE = 100;

let bench: HostBench;
let channel: Channel;
let known: Known;
const pool = garbagePool(5);
const unhandled: unknown[] = [];
const note = (reason: unknown): void => { unhandled.push(reason); };
const waiting = new Map<number, (frame: unknown) => void>();
let lastId = 0;

beforeAll(async () => {
  process.on('unhandledRejection', note);
  bench = await openHostBench({ script: ({ index }) => (index % 5 === 0 ? { calls: [{ name: 'todo', arguments: {} }] } : { text: 'yes' }) });
  const [mine, theirs] = memoryChannelPair();
  channel = mine;
  serveContract(bench.host, theirs, CALLER);
  mine.onFrame((frame) => {
    if (typeof frame !== 'string') return;
    const parsed = JSON.parse(frame) as { kind: string; id: number }; // the host's own frames: their form is what the test looks at below
    if (parsed.kind !== 'event') waiting.get(parsed.id)?.(parsed);
  });
  const session = await bench.session();
  await bench.say(session.id, 'hello');
  const messages = await bench.messages(session.id);
  const terminal = await bench.request('terminals.open', { cols: 80, rows: 24 });
  known = {
    ids: new Map([['A-Za-z0-9', [session.id]], ['msg', messages.map((message) => message.id)], ['call', messages.flatMap((message) => message.calls.map((call) => call.id))], ['trm', [terminal.id]], ['apr', ['apr_000000000000']]]),
  };
});

afterAll(async () => {
  process.off('unhandledRejection', note);
  channel.close();
  await bench.close();
});

/** What JSON cannot say (undefined, functions, cycles) does not get onto the wire in the first place. */
function send(name: string, input: unknown): Promise<unknown> | undefined {
  lastId += 1;
  const id = lastId;
  let frame: string;
  try {
    frame = JSON.stringify({ kind: 'request', id, name, input }, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  } catch {
    return undefined;
  }
  return new Promise((answered) => {
    waiting.set(id, (answer) => { waiting.delete(id); answered(answer); });
    channel.send(frame);
  });
}

function checkAnswer(name: RequestName, answer: unknown): void {
  const { kind, output, error } = answer as { kind: string; output?: unknown; error?: unknown }; // checked here
  if (kind === 'reply') {
    const checked = requests[name].output.safeParse(output);
    expect(checked.success, `${name} answered against its schema: ${JSON.stringify(checked.error?.issues.slice(0, 3))}`).toBe(true);
    return;
  }
  const shape = ErrorShape.parse(error);
  expect(shape.message, name).not.toBe('');
  expect(shape.code, `${name}: ${shape.message}`).not.toBe('host/internal');
}

async function sendAll(name: RequestName, inputs: Iterable<unknown>): Promise<void> {
  let open: Promise<unknown>[] = [];
  const settle = async (): Promise<void> => {
    for (const answer of await Promise.all(open)) checkAnswer(name, answer);
    open = [];
  };
  for (const input of inputs) {
    const answer = send(name, input);
    if (answer !== undefined) open.push(answer);
    if (open.length === AT_ONCE) await settle();
  }
  await settle();
}

test.each(Object.keys(requests) as RequestName[])('%s answers every message in form', async (name) => {
  const right = SLOW.get(name) ?? RIGHT;
  const seed = Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) | 0, 7);
  const inputs = fc.sample(rightInputs(name, known), { numRuns: right, seed });
  await sendAll(name, wrongInputs(name, inputs, pool, MESSAGES - right, seed));
  await sendAll(name, inputs);
  expect(await send('host.info', {})).toMatchObject({ kind: 'reply' });
  expect(unhandled).toEqual([]);
}, 120_000);

test('frames that are no requests at all are answered or ignored, and the host lives', async () => {
  const frames = fc.sample(fc.oneof(fc.string(), fc.json(), fc.uint8Array().map((bytes) => bytes), fc.record({ kind: fc.constantFrom('request', 'subscribe', 'unsubscribe', 'x'), id: fc.anything(), name: fc.string(), topic: fc.string() }).map((value) => JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part)))), { numRuns: MESSAGES, seed: 11 });
  for (const frame of frames) channel.send(frame);
  expect(await send('host.info', {})).toMatchObject({ kind: 'reply' });
  expect(unhandled).toEqual([]);
}, 60_000);
