import { afterEach, describe, expect, test } from 'vitest';
import { memoryChannelPair } from '../../../main/bridge/memory-channel.ts';
import { MAX_BACKLOG_BYTES, MAX_IN_FLIGHT, serveContract } from '../../../main/bridge/serve.ts';
import { AppError, decodeOutput, requests, type Channel, type Frame, type HostFrame } from '../../../preload/contract/index.ts';
import { testHost, type Handlers, type TestHost } from '../../support/bridge-host.ts';

const TERMINAL = 'trm_000000000000';
const open: Channel[] = [];
afterEach(() => { for (const channel of open.splice(0)) channel.close(); });

/** A raw screen: sends frames as they are and reads what comes back, one frame after the other. */
function connect(host: TestHost): { raw(frame: Frame): void; send(frame: object): void; next(): Promise<HostFrame>; nextBytes(): Promise<Uint8Array>; channel: Channel } {
  const [screen, served] = memoryChannelPair();
  open.push(screen);
  serveContract(host, served, { via: 'test', client: 'window-1' });
  const frames: Frame[] = [];
  let arrived = (): void => undefined;
  screen.onFrame((frame) => { frames.push(frame); arrived(); });
  const nextFrame = async (): Promise<Frame> => {
    for (;;) {
      const frame = frames.shift();
      if (frame !== undefined) return frame;
      await new Promise<void>((resolve) => { arrived = resolve; });
    }
  };
  return {
    channel: screen,
    raw: (frame) => { screen.send(frame); },
    send: (frame) => { screen.send(JSON.stringify(frame)); },
    next: async () => JSON.parse(await nextFrame() as string) as HostFrame, // the test knows that text comes next
    nextBytes: async () => await nextFrame() as Uint8Array, // the test knows that bytes come next
  };
}

const request = (id: number, name: string, input: unknown): object => ({ kind: 'request', id, name, input });

describe('a request', () => {
  test('reaches the host with its input checked and is answered under its own number', async () => {
    const host = testHost({ 'sessions.list': () => [] });
    const screen = connect(host);
    screen.send(request(7, 'sessions.list', {}));
    expect(await screen.next()).toEqual({ kind: 'reply', id: 7, output: [] });
    expect(host.calls).toEqual([{ name: 'sessions.list', input: {}, caller: { via: 'test', client: 'window-1' } }]);
  });

  test('that the contract does not know is refused, also when its name is one that every object has', async () => {
    const screen = connect(testHost());
    for (const name of ['shell.exec', 'constructor', '__proto__', 'toString']) {
      screen.send(request(1, name, {}));
      expect(await screen.next()).toMatchObject({ kind: 'error', id: 1, error: { code: 'request/unknown' } });
    }
  });

  test('with a wrong input never reaches the host, and the answer names the field', async () => {
    const host = testHost();
    const screen = connect(host);
    screen.send(request(2, 'sessions.rename', { sessionId: 'ses_0123456789abcdef', title: 5 }));
    const answer = await screen.next();
    expect(answer).toMatchObject({ kind: 'error', id: 2, error: { code: 'request/invalid' } });
    expect(answer).toHaveProperty('error.message', expect.stringMatching(/^sessions\.rename: title: /));
    expect(host.calls).toEqual([]);
  });

  test('with a field too many is refused, prototype keys included', async () => {
    const host = testHost({ 'sessions.list': () => [] });
    const screen = connect(host);
    screen.raw('{"kind":"request","id":3,"name":"sessions.list","input":{"__proto__":{"admin":true}}}');
    expect(await screen.next()).toMatchObject({ kind: 'error', id: 3, error: { code: 'request/invalid' } });
    expect(host.calls).toEqual([]);
  });

  test('that is larger than its own limit is refused with its number, however large it is', async () => {
    const host = testHost();
    const screen = connect(host);
    const largest = Math.max(...Object.values(requests).map((spec) => spec.maxChars));
    for (const chars of [requests['sessions.search'].maxChars + 1, largest + 1_000]) {
      screen.send(request(4, 'sessions.search', { query: 'x'.repeat(chars) }));
      expect(await screen.next()).toMatchObject({ kind: 'error', id: 4, error: { code: 'request/too-large' } });
    }
    expect(host.calls).toEqual([]);
  });

  test('that the host refuses crosses as code, message and hint, without a stack', async () => {
    const screen = connect(testHost({ 'host.doctor': () => { throw new AppError('config/locked', 'the file is locked', { hint: 'Close the other app.' }); } }));
    screen.send(request(5, 'host.doctor', {}));
    expect(await screen.next()).toEqual({ kind: 'error', id: 5, error: { code: 'config/locked', message: 'the file is locked', hint: 'Close the other app.' } });
  });

  test('that fails by a fault of the host tells the screen nothing of its inside and the log everything', async () => {
    const host = testHost({ 'host.doctor': () => { throw new TypeError('secret /root/.ssh'); } });
    const screen = connect(host);
    screen.send(request(6, 'host.doctor', {}));
    const answer = await screen.next();
    expect(answer).toMatchObject({ kind: 'error', id: 6, error: { code: 'host/internal' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(host.logged).toEqual(['a request failed in the host']);
  });

  test('beyond the limit of open ones is refused while the others wait', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => { release = resolve; });
    const host = testHost({ 'sessions.list': async () => { await gate; return []; } });
    const screen = connect(host);
    for (let id = 0; id <= MAX_IN_FLIGHT; id += 1) screen.send(request(id, 'sessions.list', {}));
    expect(await screen.next()).toMatchObject({ kind: 'error', id: MAX_IN_FLIGHT, error: { code: 'request/not-possible' } });
    release();
    const answered = new Set<number>();
    for (let count = 0; count < MAX_IN_FLIGHT; count += 1) {
      const frame = await screen.next();
      if (frame.kind === 'reply') answered.add(frame.id);
    }
    expect(answered.size).toBe(MAX_IN_FLIGHT);
  });
});

describe('what is no frame at all', () => {
  test.each<[string, Frame]>([
    ['no JSON', '{'], ['an array', '[]'], ['null', 'null'], ['a kind of its own', '{"kind":"exec"}'], ['bytes', new Uint8Array([1, 2, 3])],
    ['a negative number', '{"kind":"request","id":-5,"name":"host.info","input":{}}'], ['ten thousand open brackets', '['.repeat(10_000)],
  ])('%s is answered with an error, and the connection goes on', async (_name, frame) => {
    const screen = connect(testHost({ 'sessions.list': () => [] }));
    screen.raw(frame);
    expect(await screen.next()).toMatchObject({ kind: 'error', error: { code: 'request/invalid' } });
    screen.send(request(1, 'sessions.list', {}));
    expect(await screen.next()).toEqual({ kind: 'reply', id: 1, output: [] });
  });
});

describe('events', () => {
  test('come only for subscribed topics, once each, until unsubscribed', async () => {
    const handlers: Handlers = { 'sessions.list': () => [] };
    const host = testHost(handlers);
    const screen = connect(host);
    screen.send({ kind: 'subscribe', topic: 'toolsets' });
    screen.send({ kind: 'subscribe', topic: 'toolsets' });
    screen.send(request(1, 'sessions.list', {}));
    await screen.next();
    host.bus.publish('models', { type: 'changed' });
    host.bus.publish('toolsets', { type: 'changed' });
    expect(await screen.next()).toEqual({ kind: 'event', topic: 'toolsets', event: { type: 'changed' } });
    screen.send({ kind: 'unsubscribe', topic: 'toolsets' });
    screen.send(request(2, 'sessions.list', {}));
    expect(await screen.next()).toMatchObject({ kind: 'reply', id: 2 });
    host.bus.publish('toolsets', { type: 'changed' });
    screen.send(request(3, 'sessions.list', {}));
    expect(await screen.next()).toMatchObject({ kind: 'reply', id: 3 });
  });

  test('of an unknown topic are refused', async () => {
    const screen = connect(testHost());
    screen.send({ kind: 'subscribe', topic: 'secrets' });
    expect(await screen.next()).toMatchObject({ kind: 'error', error: { code: 'request/unknown' } });
  });

  test('are not piled up for a screen that does not read: its connection is closed', async () => {
    const host = testHost();
    const [screen, served] = memoryChannelPair();
    const closed = new Promise<string>((resolve) => { screen.onClose(resolve); });
    let backlog = 0;
    serveContract(host, Object.assign(served, { backlogBytes: () => backlog }), { via: 'test', client: 'slow' });
    screen.send(JSON.stringify({ kind: 'subscribe', topic: 'toolsets' }));
    await Promise.resolve();
    backlog = MAX_BACKLOG_BYTES + 1;
    host.bus.publish('toolsets', { type: 'changed' });
    expect(await closed).toBe('too slow');
  });
});

describe('terminal output', () => {
  test('crosses byte for byte under the number that attach answered, and acknowledgements reach the terminal', async () => {
    const host = testHost();
    const terminal = host.terminal(TERMINAL, 'snapshot');
    const screen = connect(host);
    screen.send(request(1, 'terminals.attach', { id: TERMINAL }));
    const answer = await screen.next();
    if (answer.kind !== 'reply') throw new Error('attach was refused');
    const { attachment, snapshot } = answer.output as { attachment: number; snapshot: string }; // the contract's output of attach
    expect(snapshot).toBe('snapshot');
    const everyByte = Uint8Array.from({ length: 256 }, (_, value) => value);
    terminal.write(everyByte);
    expect(decodeOutput(await screen.nextBytes())).toEqual({ attachment, bytes: everyByte });
    screen.send(request(2, 'terminals.ack', { attachment, bytes: 256 }));
    expect(await screen.next()).toEqual({ kind: 'reply', id: 2, output: {} });
    expect(terminal.acknowledged).toBe(256);
    screen.send(request(3, 'terminals.detach', { attachment }));
    expect(await screen.next()).toEqual({ kind: 'reply', id: 3, output: {} });
    expect(terminal.attached).toBe(0);
  });

  test('of another window cannot be acknowledged or cut off by its number', async () => {
    const host = testHost();
    const terminal = host.terminal(TERMINAL);
    const mine = connect(host);
    const other = connect(host);
    mine.send(request(1, 'terminals.attach', { id: TERMINAL }));
    const answer = await mine.next();
    if (answer.kind !== 'reply') throw new Error('attach was refused');
    const { attachment } = answer.output as { attachment: number }; // the contract's output of attach
    other.send(request(1, 'terminals.ack', { attachment, bytes: 50 }));
    other.send(request(2, 'terminals.detach', { attachment }));
    await other.next();
    await other.next();
    expect({ attached: terminal.attached, acknowledged: terminal.acknowledged }).toEqual({ attached: 1, acknowledged: 0 });
  });

  test('ends with the connection', async () => {
    const host = testHost();
    const terminal = host.terminal(TERMINAL);
    const screen = connect(host);
    screen.send(request(1, 'terminals.attach', { id: TERMINAL }));
    await screen.next();
    expect(terminal.attached).toBe(1);
    screen.channel.close();
    await Promise.resolve();
    expect(terminal.attached).toBe(0);
  });
});
