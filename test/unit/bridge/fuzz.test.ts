/** Whatever a screen sends, it gets a well-formed answer and the connection goes on. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFrame } from '../../../main/bridge/frames.ts';
import { memoryChannelPair } from '../../../main/bridge/memory-channel.ts';
import { serveContract } from '../../../main/bridge/serve.ts';
import { ErrorShape, requests, topics, type Frame } from '../../../preload/contract/index.ts';
import { testHost } from '../../support/bridge-host.ts';

const name = fc.oneof(fc.constantFrom(...Object.keys(requests), ...Object.keys(topics), '__proto__', 'constructor', 'toString'), fc.string());
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.string({ unit: 'binary' }), fc.json(), fc.uint8Array({ maxLength: 64 }),
  fc.record({ kind: fc.constantFrom('request', 'subscribe', 'unsubscribe', 'exec'), id: fc.oneof(fc.integer(), fc.double(), fc.string()), name, topic: name, input: fc.jsonValue() }, { requiredKeys: [] }).map((value) => JSON.stringify(value)),
);

test('ten thousand random frames: none throws, each bad one is answered by its shape', () => {
  fc.assert(fc.property(frame, (sent) => {
    const incoming = readFrame(sent);
    if (incoming.kind === 'bad') expect(ErrorShape.safeParse(incoming.error.toShape()).success).toBe(true);
    else expect(['request', 'subscribe', 'unsubscribe']).toContain(incoming.kind);
  }), { numRuns: 10_000 });
});

test('after ten thousand random frames the connection still answers', async () => {
  const [screen, served] = memoryChannelPair();
  const host = testHost({ 'sessions.list': () => [] });
  serveContract(host, served, { via: 'test', client: 'fuzz' });
  const answers: unknown[] = [];
  screen.onFrame((answer) => { answers.push(JSON.parse(String(answer))); });
  for (const sent of fc.sample(frame, 10_000)) screen.send(sent);
  screen.send(JSON.stringify({ kind: 'request', id: 424_242, name: 'sessions.list', input: {} }));
  await new Promise((resolve) => { setImmediate(resolve); });
  expect(answers).toContainEqual({ kind: 'reply', id: 424_242, output: [] });
  expect(answers.every((answer) => typeof answer === 'object' && answer !== null && 'kind' in answer)).toBe(true);
});
