import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../preload/contract/index.ts';
import { runWith, testCliHost, testStreams } from '../../support/cli-host.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

/** The shape of a GitHub token. */
const SECRET = `ghp_${'a1B2'.repeat(9)}`;
let bench: HostBench;
let session: Session;
beforeAll(async () => {
  bench = await openHostBench({ script: ({ index }) => (index === 0 ? { calls: [{ name: 'terminal', arguments: { command: 'echo from the tool' } }] } : { text: 'That is **all**.' }) });
  session = await bench.session();
  await bench.say(session.id, `Print something. My token is ${SECRET}.`);
});
afterAll(() => bench.close());

async function sessions(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const streams = testStreams({ interactive: false });
  const code = await runWith({ ...testCliHost({}), handle: (name, input, caller) => bench.host.handle(name, input, caller) }, streams, 'sessions', ...argv);
  return { code, out: streams.out(), err: streams.err() };
}

test('a chat comes out whole as Markdown, known secrets hidden', async () => {
  const { code, out } = await sessions('export', session.id);
  expect(code).toBe(0);
  expect(out).toMatch(/^# Print something/);
  expect(out).toContain('### Tool `terminal`: done, exit code 0');
  expect(out).toContain('from the tool');
  expect(out).toContain('That is **all**.');
  expect(out).not.toContain(SECRET);
});

test('as JSON it can be read by a program, also when it is asked for by its title', async () => {
  const { out } = await sessions('export', session.id, '--format', 'json');
  expect(JSON.parse(out)).toMatchObject({ format: 'talaria-chat', messages: [{ role: 'user' }, { role: 'assistant', calls: [{ name: 'terminal', arguments: { command: 'echo from the tool' }, exitCode: 0 }] }, { role: 'assistant', text: 'That is **all**.' }] });
  expect(out).not.toContain(SECRET);
  const title = (await bench.request('sessions.list', {}))[0]?.title ?? '';
  expect((await sessions('export', title)).out).toContain('That is **all**.');
});

test('a chat that is not there is a mistake with the next step', async () => {
  expect(await sessions('export', 'nothing')).toMatchObject({ code: 2, err: expect.stringContaining('talaria sessions') as string });
  expect(await sessions('export')).toMatchObject({ code: 2 });
});
