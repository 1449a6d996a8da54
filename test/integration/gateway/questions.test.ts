/** What the model and MCP servers ask, answered in each messenger through its own SDK. */
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { PEOPLE, type Person } from '../../support/gateway/person.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

const SERVER = fileURLToPath(new URL('../../support/gateway/asking-server.mjs', import.meta.url));
const WAIT = { timeout: 20_000, interval: 20 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

const MESSENGERS = ['telegram', 'discord', 'slack', 'email'] as const;
const reads = (anna: Person, wanted: string): Promise<void> => expect.poll(() => anna.reads(), WAIT).toContainEqual(expect.stringContaining(wanted));
/** What tools answered so far in the request. */
const results = (bench: HostBench): string => JSON.stringify(bench.model.requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool'));

/** A model that calls the tool once, and then says that it is done. */
async function open(name: (typeof MESSENGERS)[number], tool: string, args: Readonly<Record<string, unknown>>): Promise<{ anna: Person; bench: HostBench; calls: () => number }> {
  const anna = await PEOPLE[name]();
  closers.push(() => anna.close());
  const bench = await openHostBench({
    unattended: true, script: ({ body }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Done.' } : { calls: [{ name: tool, arguments: args }] }),
    yaml: `mcp_servers:\n  shop:\n    command: ${process.execPath}\n    args: [${SERVER}]\ngateway:\n${anna.yaml}`, env: anna.env,
  });
  closers.push(() => bench.close());
  await bench.host.ready();
  await bench.request('gateway.start', {});
  await expect.poll(async () => (await bench.request('gateway.state', {})).find((state) => state.name === name)?.status, WAIT).toBe('connected');
  return { anna, bench, calls: () => bench.model.requests.length };
}

test.each(MESSENGERS)('%s: a question of the model comes with its choices, and is answered by a button or a number, once', async (name) => {
  const { anna, bench, calls } = await open(name, 'clarify', { question: 'Which disk?', choices: ['The old one', 'The new one'] });
  anna.says('clean up');
  await reads(anna, 'Which disk?');
  expect(anna.reads().at(-1)).toContain('2. The new one');
  const data = anna.buttons()?.get('The new one');
  expect(data === undefined).toBe(name === 'email');
  if (data === undefined) anna.says('2');
  else {
    // Of another question, of no choice, not ours at all.
    for (const forged of [data.replace(/^q:.{4}/, 'q:AAAA'), data.replace(/\d$/, '9'), 'q:x', '__proto__:once', 'x'.repeat(60)]) anna.presses(forged);
    anna.presses(data);
    anna.presses(data);
  }
  await reads(anna, 'Done.');
  expect(results(bench)).toContain('\\"user_response\\":\\"The new one\\"');
  expect(calls()).toBe(2);
});

test.each(MESSENGERS)('%s: the form of an MCP server is filled in field by field, what does not fit is asked again, and nothing is sent before a yes', async (name) => {
  const { anna, bench } = await open(name, 'mcp_shop_order', {});
  anna.says('order it');
  await reads(anna, '(1 of 2) E-mail');
  expect(anna.reads().at(-1)).toContain('The MCP server shop asks: Where to?');
  anna.says('nobody');
  await reads(anna, '(2 of 2) Express');
  anna.says('perhaps');
  await reads(anna, '⚠️ Answer yes or no.');
  const yes = anna.buttons()?.get('yes');
  if (yes === undefined) anna.says('yes');
  else anna.presses(yes);
  await reads(anna, 'This goes to the MCP server shop:');
  // A button of a field that is over answers nothing.
  if (yes !== undefined) anna.presses(yes);
  anna.says('yes');
  await reads(anna, "'E-mail' has to be an e-mail address");
  const before = anna.reads().length;
  anna.says('anna@example.com');
  await expect.poll(() => anna.reads().length, WAIT).toBe(before + 1);
  anna.says('!skip');
  await expect.poll(() => anna.reads().length, WAIT).toBe(before + 2);
  expect(anna.reads().at(-1)).toContain('E-mail: anna@example.com\nExpress: yes');
  expect(bench.model.requests).toHaveLength(1);
  anna.says('yes');
  await reads(anna, 'Done.');
  expect(results(bench)).toContain('anna@example.com');
  expect(results(bench)).toContain('accept');
});

test('a form is declined by /cancel, and a chat without a question takes /cancel and /skip as nothing', async () => {
  const { anna, bench } = await open('telegram', 'mcp_shop_order', {});
  anna.says('/skip');
  await reads(anna, 'Nothing is asked now.');
  anna.says('order it');
  await reads(anna, '(1 of 2) E-mail');
  anna.says('/cancel');
  await reads(anna, 'Done.');
  expect(results(bench)).toContain('decline');
});
