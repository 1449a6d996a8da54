import { describe, expect, test } from 'vitest';
import { memoryChannelPair } from '../../../main/bridge/memory-channel.ts';
import { serveContract } from '../../../main/bridge/serve.ts';
import { createClient, type Client, type Status } from '../../../preload/client.ts';
import { AppError, encodeOutput, TerminalId, type Channel } from '../../../preload/contract/index.ts';
import { testHost, type TestHost } from '../../support/bridge-host.ts';

const TERMINAL = TerminalId.parse('trm_000000000000');

/** A client whose connections the test makes, loses and refuses. `retry` runs the attempt that the client has planned. */
function world(host: TestHost): { client: Client; statuses: Status[]; lose(): void; retry(): Promise<void>; waits: number[]; refuse(times: number): void; settled(): Promise<void> } {
  let current: Channel | undefined;
  let refusals = 0;
  let planned: (() => void) | undefined;
  const waits: number[] = [];
  const statuses: Status[] = [];
  const client = createClient({
    reconnect: true,
    connect: () => {
      if (refusals > 0) {
        refusals -= 1;
        return Promise.reject(new Error('refused'));
      }
      const [screen, served] = memoryChannelPair();
      serveContract(host, served, { via: 'test', client: 'c' });
      current = screen;
      return Promise.resolve(screen);
    },
    schedule: (retry, ms) => { planned = retry; waits.push(ms); },
  });
  client.onStatus((status) => { statuses.push(status); });
  const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });
  return {
    client, statuses, waits, settled,
    lose: () => { current?.close('lost'); },
    refuse: (times) => { refusals = times; },
    async retry() {
      planned?.();
      await settled();
    },
  };
}

describe('the client', () => {
  test('answers a request that was made before the connection was there', async () => {
    const { client } = world(testHost({ 'sessions.list': () => [] }));
    expect(await client.request('sessions.list', {})).toEqual([]);
  });

  test('rejects with the code, the message and the hint of the host', async () => {
    const { client } = world(testHost({ 'host.doctor': () => { throw new AppError('config/locked', 'locked', { hint: 'wait' }); } }));
    await expect(client.request('host.doctor', {})).rejects.toMatchObject({ code: 'config/locked', message: 'locked', hint: 'wait' });
  });

  test('rejects what was not answered when the connection is lost, and never sends it again', async () => {
    const host = testHost({ 'sessions.list': () => new Promise<never>(() => undefined) });
    const { client, lose, retry, settled } = world(host);
    const answer = client.request('sessions.list', {});
    await settled();
    lose();
    await expect(answer).rejects.toMatchObject({ code: 'host/closed' });
    await retry();
    expect(host.calls).toHaveLength(1);
  });

  test('tells its state, comes back by itself and hears its topics again', async () => {
    const host = testHost();
    const { client, statuses, lose, retry, settled } = world(host);
    const heard: unknown[] = [];
    client.subscribe('toolsets', (event) => { heard.push(event); });
    await settled();
    lose();
    host.bus.publish('toolsets', { type: 'changed' });
    await retry();
    host.bus.publish('toolsets', { type: 'changed' });
    await settled();
    expect(statuses).toEqual(['connecting', 'open', 'closed', 'connecting', 'open']);
    expect(heard).toEqual([{ type: 'changed' }]);
  });

  test('waits longer after each failed attempt and shortly again once it was connected', async () => {
    const { waits, lose, retry, refuse, settled } = world(testHost());
    await settled();
    refuse(7);
    lose();
    for (let attempt = 0; attempt < 8; attempt += 1) await retry();
    lose();
    expect(waits).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 200]);
  });

  test('rejects a request made while it is away as soon as an attempt fails, so that nobody waits for ever', async () => {
    const { client, lose, retry, refuse, settled } = world(testHost());
    await settled();
    lose();
    refuse(1);
    const answer = client.request('sessions.list', {});
    const rejected = expect(answer).rejects.toMatchObject({ code: 'host/closed' });
    await retry();
    await rejected;
  });

  test('unsubscribes at the host when the last listener of a topic left', async () => {
    const host = testHost({ 'sessions.list': () => [] });
    const { client } = world(host);
    const heard: string[] = [];
    const first = client.subscribe('models', () => { heard.push('first'); });
    const second = client.subscribe('models', () => { heard.push('second'); });
    await client.request('sessions.list', {});
    first();
    first();
    host.bus.publish('models', { type: 'changed' });
    await client.request('sessions.list', {});
    second();
    await client.request('sessions.list', {});
    host.bus.publish('models', { type: 'changed' });
    await client.request('sessions.list', {});
    expect(heard).toEqual(['second']);
  });
});

describe('terminal output', () => {
  test('that came before anybody listened is kept, in order', async () => {
    const host = testHost();
    const terminal = host.terminal(TERMINAL);
    const { client, settled } = world(host);
    const { attachment } = await client.request('terminals.attach', { id: TERMINAL });
    terminal.write(Uint8Array.of(1, 2));
    terminal.write(Uint8Array.of(3));
    await settled();
    const heard: number[] = [];
    client.onOutput(attachment, (bytes) => { heard.push(...bytes); });
    terminal.write(Uint8Array.of(4));
    await settled();
    expect(heard).toEqual([1, 2, 3, 4]);
  });

  test('of an attachment that was given back is dropped, even when it was on its way', async () => {
    const [screen, served] = memoryChannelPair();
    const client = createClient({ reconnect: false, connect: () => Promise.resolve(screen) });
    await new Promise((resolve) => { setImmediate(resolve); });
    const heard: Uint8Array[] = [];
    void client.request('terminals.detach', { attachment: 9 }).catch(() => undefined); // answered by nobody here
    served.send(encodeOutput(9, Uint8Array.of(1)));
    await new Promise((resolve) => { setImmediate(resolve); });
    client.onOutput(9, (bytes) => { heard.push(bytes); });
    expect(heard).toEqual([]);
    client.close();
  });

  test('of a connection that was lost never reaches a listener of the next one', async () => {
    const host = testHost();
    const terminal = host.terminal(TERMINAL);
    const { client, lose, retry, settled } = world(host);
    const { attachment } = await client.request('terminals.attach', { id: TERMINAL });
    terminal.write(Uint8Array.of(1));
    await settled();
    lose();
    await retry();
    const heard: Uint8Array[] = [];
    client.onOutput(attachment, (bytes) => { heard.push(bytes); });
    expect(heard).toEqual([]);
  });
});
