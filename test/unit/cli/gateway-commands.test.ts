import { describe, expect, test } from 'vitest';
import type { MessengerState } from '../../../preload/contract/gateway.ts';
import type { Handlers } from '../../support/bridge-host.ts';
import { runWith, testCliHost, testStreams } from '../../support/cli-host.ts';

const state: MessengerState = {
  name: 'telegram', status: 'connected', detail: '@bot', homeChannel: '42', allowed: [{ id: '42', name: 'Anna\u001b[2J', since: 0, by: 'code' }], refused: [{ id: '666', name: 'Mallory', at: 0 }], pairing: null,
  keys: [{ variable: 'TELEGRAM_BOT_TOKEN', secret: true, source: 'environment' }],
};

async function gateway(handlers: Handlers, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const streams = testStreams({ interactive: false });
  const code = await runWith(testCliHost({ 'gateway.state': () => [state], 'gateway.holder': () => null, ...handlers }), streams, ...argv);
  return { code, out: streams.out(), err: streams.err() };
}

describe('gateway status', () => {
  test('says who may talk, who was turned away, and which process serves; names are shown inert', async () => {
    const { code, out } = await gateway({ 'gateway.holder': () => ({ here: false, pid: 4711, shell: 'electron', since: 0 }) }, 'gateway', 'status');
    expect(code).toBe(0);
    expect(out).toMatch(/telegram +connected +@bot/);
    expect(out).toMatch(/turned away 666 Mallory/);
    expect(out).toMatch(/Served by: the app, process 4711, since/);
    expect(out).not.toContain('\u001b[2J');
  });

  test('nobody serves: it says what to do', async () => {
    expect((await gateway({}, 'gateway')).out).toContain('Served by: nobody; open the app, or run talaria gateway run');
  });

  test('as JSON, both', async () => {
    const { out } = await gateway({ 'gateway.holder': () => ({ here: false, pid: 1, shell: 'cli', since: 5 }) }, '--json', 'gateway', 'status');
    expect(JSON.parse(out)).toEqual({ holder: { here: false, pid: 1, shell: 'cli', since: 5 }, messengers: [state] });
  });
});
