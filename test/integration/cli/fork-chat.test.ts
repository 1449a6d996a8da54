/** `talaria sessions fork`: a chat goes on in a copy, named on stdout so that a script can go on in it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../preload/contract/index.ts';
import { runWith, testCliHost, testStreams } from '../../support/cli-host.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
let session: Session;
beforeAll(async () => {
  bench = await openHostBench({ script: ({ body }) => ({ text: `Reply ${String(body.messages.filter(({ role }) => role === 'user').length)}` }) });
  session = await bench.session();
  await bench.say(session.id, 'herons');
  await bench.say(session.id, 'swans');
});
afterAll(() => bench.close());

async function sessions(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const streams = testStreams({ interactive: false });
  const code = await runWith({ ...testCliHost({}), handle: (name, input, caller) => bench.host.handle(name, input, caller) }, streams, 'sessions', ...argv);
  return { code, out: streams.out(), err: streams.err() };
}

test('prints the id of the new chat alone, which has all of the history', async () => {
  const { code, out, err } = await sessions('fork', 'herons');
  expect(code).toBe(0);
  const made = (await bench.request('sessions.list', {})).find(({ id }) => `${id}\n` === out);
  expect(made).toMatchObject({ title: 'Fork of herons', forkedFrom: session.id, messageCount: 5 });
  expect(err).toContain('talaria chat --session');
});

test('ends with the message that is named', async () => {
  const [, reply] = await bench.messages(session.id);
  const { out } = await sessions('fork', session.id, '--from', reply?.id ?? '', '--json');
  expect(JSON.parse(out)).toMatchObject({ messageCount: 3, forkedFrom: session.id });
});

test('says what is wrong with a chat, a message or an option that does not fit', async () => {
  expect(await sessions('fork', 'nothing')).toMatchObject({ code: 2, out: '' });
  expect(await sessions('fork')).toMatchObject({ code: 2 });
  expect(await sessions('fork', session.id, '--from', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('no id of a message') as string });
  expect(await sessions('export', session.id, '--from', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('--from') as string });
  expect(await sessions('fork', session.id, '--from', 'msg_000000000000')).toMatchObject({ code: 1, err: expect.stringContaining('no such message') as string });
});
