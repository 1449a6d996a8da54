/** `/skill-name words`: a person names a skill, and its text reaches the model with that message (hermes-runtime 7.5). */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionId } from '../../../preload/contract/index.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
let chat: SessionId;
beforeEach(async () => {
  bench = await openHostBench({ script: ({ index, body }) => (index === 0 && JSON.stringify(body.messages).includes('slow') ? { text: 'On it.', calls: [{ name: 'terminal', arguments: { command: 'while [ ! -e go ]; do sleep 0.05; done' } }] } : { text: 'Done.' }) });
  chat = (await bench.session()).id;
  await put('brew/SKILL.md', '---\nname: brew\ndescription: How to brew tea.\nrequired_environment_variables:\n  - name: KETTLE_TOKEN\n---\n# Steps\nBoil the water first.\n');
  await put('brew/references/leaves.md', 'Green or black.\n');
  await put('dev/review/SKILL.md', '---\nname: review\ndescription: How to review.\n---\nLook at the tests.\n');
});
afterEach(() => bench.close());

async function put(path: string, text: string): Promise<void> {
  const file = join(bench.home, 'skills', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
const lastUserText = (): string => {
  const content = bench.model.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
};
const notices = async (): Promise<string[]> => (await bench.messages(chat)).filter(({ error }) => error?.code === 'notice/skill').map(({ text }) => text);

test('the text, the other files and what is missing reach the model with the message, and the chat shows that they did', async () => {
  await bench.say(chat, '/brew a cup of green');
  expect(lastUserText()).toMatch(/^\/brew a cup of green\n\n\[Notice from the app[^]*The skill brew was loaded for this message\.[^]*KETTLE_TOKEN[^]*references\/leaves\.md[^]*# Steps\nBoil the water first\.$/);
  const [said] = await notices();
  expect(said?.split('\n')[0]).toBe(`The skill brew was loaded for this message. It needs KETTLE_TOKEN, which is not set: put it into ${join(bench.home, '.env')}.`);
  expect(await bench.answer(chat)).toBe('Done.');
});

test('the next message is without it, and a new try brings it once', async () => {
  await bench.say(chat, '/dev/review the last commit');
  expect(lastUserText()).toContain('Look at the tests.');
  await bench.request('chat.retry', { sessionId: chat });
  await bench.host.idle(chat);
  expect(lastUserText().split('Look at the tests.')).toHaveLength(2);
  await bench.say(chat, 'and now without');
  expect(lastUserText()).toBe('and now without');
  expect(await notices()).toHaveLength(1);
});

test.each(['/etc/hosts is wrong', '/nothing here', 'say /brew to me', '/BREW', '/', '/../brew', '/brewing'])('%s names no skill and is a message like any other', async (text) => {
  await bench.say(chat, text);
  expect(lastUserText()).toBe(text);
  expect(await notices()).toEqual([]);
});

test('one that is switched off, broken, or not alone with its name is said, and the message is sent all the same', async () => {
  await put('tea/SKILL.md', 'no fields');
  await put('home/review/SKILL.md', '---\nname: review\ndescription: Another.\n---\nOther.\n');
  await bench.request('skills.set', { path: 'brew', enabled: false });
  for (const text of ['/brew tea', '/tea now', '/review it']) await bench.say(chat, text);
  expect(await notices()).toEqual([
    'The skill brew is switched off. It can be switched on in Skills. The message was sent without it.',
    expect.stringMatching(/^The skill tea cannot be used: .* The message was sent without it\.$/),
    '/review means several skills: /dev/review, /home/review. The message was sent without it.',
  ]);
  expect(bench.model.requests).toHaveLength(3);
});

test('a message that steers a running turn brings its skill into that turn', async () => {
  const going = bench.say(chat, 'slow work');
  await bench.model.seen(1);
  await bench.next('chat', (event) => event.sessionId === chat && event.type === 'call-changed' && event.call.state === 'running');
  await bench.request('chat.send', { sessionId: chat, text: '/brew instead', steer: true });
  await writeFile(join(bench.folder, 'go'), '');
  await going;
  expect(bench.model.requests).toHaveLength(2);
  expect(lastUserText()).toContain('Boil the water first.');
});
