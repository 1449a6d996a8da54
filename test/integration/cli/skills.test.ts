import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runWith, testCliHost, testStreams } from '../../support/cli-host.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
beforeAll(async () => {
  bench = await openHostBench({ withoutModel: true });
  for (const [path, name] of [['brew', 'brew'], ['dev/review', 'review'], ['ops/review', 'review']] as const) {
    await mkdir(join(bench.home, 'skills', path), { recursive: true });
    await writeFile(join(bench.home, 'skills', path, 'SKILL.md'), `---\nname: ${name}\ndescription: How to ${name}.\nrequired_environment_variables: [${name.toUpperCase()}_TOKEN]\n---\nDo this.\n`);
  }
});
afterAll(() => bench.close());

/** The command line on the real host. */
async function skills(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const streams = testStreams({ interactive: false });
  const cliHost = testCliHost({});
  const code = await runWith({ ...cliHost, handle: (name, input, caller) => bench.host.handle(name, input, caller) }, streams, 'skills', ...argv);
  return { code, out: streams.out(), err: streams.err() };
}

test('lists the skills with what they lack, and shows one', async () => {
  const { code, out } = await skills();
  expect(code).toBe(0);
  expect(out).toMatch(/✓ brew +How to brew\.\n +needs BREW_TOKEN\n✓ dev\/review/);
  expect((await skills('show', 'brew')).out).toContain('---\nDo this.\n');
});

test('switches one off for all chats or for one platform, and says so', async () => {
  expect((await skills('disable', 'brew')).out).toMatch(/○ brew [^]*off/);
  expect((await skills('disable', 'brew', '--platform', 'telegram')).out).toContain('off in telegram');
  await skills('enable', 'brew');
  expect(JSON.parse((await skills('--json', 'enable', 'brew', '--platform', 'telegram')).out)).toMatchObject([{ path: 'brew', enabled: true, offIn: [] }]);
});

test('a name that is none or several, and a wrong option, are mistakes that name the next step', async () => {
  expect(await skills('show', 'nothing')).toMatchObject({ code: 2, err: expect.stringContaining('talaria skills') as string });
  expect(await skills('disable', 'review')).toMatchObject({ code: 2, err: expect.stringContaining('dev/review, ops/review') as string });
  expect(await skills('show', 'brew', '--platform', 'cli')).toMatchObject({ code: 2 });
  expect(await skills('polish', 'brew')).toMatchObject({ code: 2 });
});
