import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { describeInChromium, startApp, type App } from '../support/browser.ts';
import type { Reply } from '../support/model/server.ts';

/** What the model answers to the last message of the person, by its first word; anything else is echoed. */
const answers = new Map<string, Reply>([
  ['slowly', { steps: [{ text: 'The first half' }, { gate: 'half' }, { text: ' and the second half.' }, { finish: 'stop' }] }],
  ['endless', { steps: [{ text: 'It goes on' }, { gate: 'never' }, { finish: 'stop' }] }],
  ['markup', { text: 'Some **bold** words, [a link](https://example.com/page), ![a picture](https://example.com/x.png)\n\n```ts\nconst answer: number = 42;\n```\n' }],
  ['think', { reasoning: 'First I weigh it up.', text: 'That is my answer.' }],
  ['busy', { status: 401, body: { error: { message: 'this key has had its day' } } }],
]);

function reply(messages: readonly { readonly role: string; readonly content?: unknown }[]): Reply {
  const last = messages.findLast((message) => message.role === 'user');
  const text = typeof last?.content === 'string' ? last.content : '';
  return answers.get(text.split(' ', 1)[0] ?? '') ?? { text: `You said: ${text}` };
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const replies = (page: Page) => page.getByRole('article', { name: /^Reply/ });
const chats = (page: Page) => page.getByRole('navigation', { name: 'Chats' });

async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

async function newChat(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await page.getByRole('heading', { name: 'New chat', level: 1 }).waitFor();
}

describeInChromium('a chat', () => {
  let app: App;
  let page: Page;
  beforeAll(async () => {
    app = await startApp({ model: { script: ({ body }) => reply(body.messages) } });
    page = app.page;
  });
  afterAll(() => app.close());
  beforeEach(() => newChat(page));

  test('begins with the first message, shows the reply and is named after it', async () => {
    await say(page, 'Hello there');
    await replies(page).getByText('You said: Hello there').waitFor();
    await page.getByRole('heading', { name: 'Hello there', level: 1 }).waitFor();
    await chats(page).getByRole('button', { name: /^Hello there/ }).first().waitFor();
    expect(await composer(page).inputValue()).toBe('');
  });

  test('shows words as they come, and loses none when the page is loaded again in the middle', async () => {
    await say(page, 'slowly please');
    await replies(page).getByText('The first half').waitFor();
    await page.getByRole('button', { name: 'Stop the reply' }).waitFor();
    await page.reload();
    await replies(page).getByText('The first half').waitFor();
    app.host.model?.open('half');
    await replies(page).getByText('The first half and the second half.').waitFor();
    expect(await replies(page).count()).toBe(1);
  });

  test('is stopped by Escape and keeps what was said', async () => {
    await say(page, 'endless story');
    await replies(page).getByText('It goes on').waitFor();
    await composer(page).press('Escape');
    await page.getByText('Stopped', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await replies(page).first().innerText()).toContain('It goes on');
  });

  test('queues what is typed while the agent works, and what is queued can be taken back', async () => {
    await say(page, 'endless wait');
    await replies(page).getByText('It goes on').waitFor();
    await say(page, 'first queued');
    await say(page, 'second queued');
    const queue = page.getByRole('region', { name: 'Queued messages' });
    await queue.getByText('second queued').waitFor();
    await queue.getByRole('listitem').filter({ hasText: 'first queued' }).getByRole('button', { name: 'Take back' }).click();
    await queue.getByText('first queued').waitFor({ state: 'detached' });
    expect(await queue.getByRole('listitem').count()).toBe(1);
    await queue.getByRole('button', { name: 'Take back' }).click();
    await composer(page).press('Escape');
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  test('what waited when the turn was stopped says so, and goes with one press', async () => {
    await say(page, 'endless rest');
    await replies(page).getByText('It goes on').waitFor();
    await say(page, 'kept for later');
    await say(page, 'and this too');
    const queue = page.getByRole('region', { name: 'Queued messages' });
    await queue.getByRole('listitem').nth(1).waitFor();
    await composer(page).press('Escape');
    await queue.getByText('Not sent, because the turn before was stopped').waitFor();
    expect(await queue.getByText('when this turn ends').count()).toBe(0);
    await queue.getByRole('button', { name: 'Send now' }).click();
    await queue.waitFor({ state: 'detached' });
    const said = page.getByRole('article', { name: /^You/ });
    await said.filter({ hasText: 'and this too' }).waitFor();
    expect((await said.allInnerTexts()).map((text) => text.split('\n', 1)[0])).toEqual(['endless rest', 'kept for later', 'and this too']);
  });

  test('draws marks, colours code, shows where a link goes and loads no picture', async () => {
    const asked: string[] = [];
    page.on('request', (request) => { asked.push(request.url()); });
    await say(page, 'markup please');
    const answer = replies(page).last();
    await answer.getByText('bold').waitFor();
    expect(await answer.locator('strong').innerText()).toBe('bold');
    await answer.locator('.code-token').first().waitFor();
    await answer.getByText('Picture not loaded: a picture').waitFor();
    await answer.getByRole('link', { name: 'a link' }).click();
    const target = page.getByRole('dialog', { name: 'Link' });
    await target.getByText('Opens example.com in your browser').waitFor();
    expect(await target.innerText()).toContain('https://example.com/page');
    await page.keyboard.press('Escape');
    expect(asked.filter((url) => url.includes('example.com'))).toEqual([]);
  });

  test('folds reasoning away and shows it when asked', async () => {
    await say(page, 'think about it');
    await replies(page).getByText('That is my answer.').waitFor();
    const thought = page.getByRole('button', { name: 'Thought' });
    expect(await page.getByText('First I weigh it up.').count()).toBe(0);
    await thought.click();
    await page.getByText('First I weigh it up.').waitFor();
    expect(await thought.getAttribute('aria-expanded')).toBe('true');
  });

  test('says what went wrong with a hint, and tries again', async () => {
    await say(page, 'busy server');
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(await page.getByRole('article').last().innerText()).toContain('this key has had its day');
    answers.set('busy', { text: 'Better now.' });
    await again.click();
    await replies(page).getByText('Better now.').waitFor();
  });

  test('walks through earlier messages with the arrow key and comes back to the draft', async () => {
    await say(page, 'one');
    await replies(page).getByText('You said: one').waitFor();
    await say(page, 'two');
    await replies(page).getByText('You said: two').waitFor();
    await composer(page).fill('my draft');
    await composer(page).press('Home');
    await composer(page).press('ArrowUp');
    expect(await composer(page).inputValue()).toBe('two');
    await composer(page).press('ArrowUp');
    expect(await composer(page).inputValue()).toBe('one');
    await composer(page).press('End');
    await composer(page).press('ArrowDown');
    await composer(page).press('End');
    await composer(page).press('ArrowDown');
    expect(await composer(page).inputValue()).toBe('my draft');
    await composer(page).fill('');
  });

  test('keeps an unsent draft per chat over a reload', async () => {
    await say(page, 'draft chat');
    await replies(page).getByText('You said: draft chat').waitFor();
    await composer(page).fill('half a thought');
    await newChat(page);
    expect(await composer(page).inputValue()).toBe('');
    await page.goBack();
    await page.reload();
    await page.getByRole('heading', { name: 'draft chat', level: 1 }).waitFor();
    expect(await composer(page).inputValue()).toBe('half a thought');
    await composer(page).fill('');
  });

  test('is in step in two windows, also while words come', async () => {
    answers.set('twice', { steps: [{ text: 'Seen' }, { gate: 'twice' }, { text: ' by both.' }, { finish: 'stop' }] });
    await say(page, 'twice please');
    await replies(page).getByText('Seen').waitFor();
    const other = await app.openWindow();
    await other.goto(page.url());
    await replies(other).getByText('Seen').waitFor();
    app.host.model?.open('twice');
    await replies(other).getByText('Seen by both.').waitFor();
    await replies(page).getByText('Seen by both.').waitFor();
    await say(other, 'from the other window');
    await replies(page).getByText('You said: from the other window').waitFor();
    expect(await replies(page).count()).toBe(await replies(other).count());
    await other.close();
  });

  test('reports no error on its console', () => {
    expect(app.errors).toEqual([]);
  });
});
