/** Forking a chat from a message, saying a message in other words, and finding words in a chat: by keys and by pointer. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import type { Reply } from '../support/model/server.ts';

function reply(messages: readonly { readonly role: string; readonly content?: unknown }[]): Reply {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { text: 'It is written.' };
  const text = typeof last?.content === 'string' ? last.content.split('\n').at(-1) ?? '' : '';
  if (text.startsWith('write ')) return { calls: [{ name: 'write_file', arguments: { path: 'birds.txt', content: text.slice(6) } }] };
  if (text.startsWith('endless')) return { steps: [{ text: 'It goes on' }, { gate: 'never' }, { finish: 'stop' }] };
  if (text.startsWith('birds')) return { text: `A **grey** _heron_ stood there.\n\n${Array.from({ length: 60 }, (_, line) => `Line ${line} of reeds and water.`).join('\n\n')}\n\nAt the end a Heron flew off.` };
  return { text: `You said: ${text}` };
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const replies = (page: Page) => page.getByRole('article', { name: /^Reply/ });
const own = (page: Page) => page.getByRole('article', { name: /^You/ });
const editor = (page: Page) => page.getByRole('textbox', { name: 'Edit your message' });
const bar = (page: Page) => page.getByRole('search', { name: 'Find in this chat' });
const field = (page: Page) => page.getByRole('searchbox', { name: 'Find in this chat' });
const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });

async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}
async function exchange(page: Page, text: string, answer = `You said: ${text}`): Promise<void> {
  await say(page, text);
  await replies(page).getByText(answer).last().waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
}
async function run(page: Page, command: string): Promise<void> {
  await say(page, command);
  await page.locator('[data-call][data-state="done"]').last().waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
}
/** The words that the browser marks as the place that is looked at. */
const marked = (page: Page): Promise<string[]> => page.evaluate(() => [...CSS.highlights.get('found-now') ?? []].map((range) => (range instanceof Range ? range.toString() : '')));
const isMarkSeen = (page: Page): Promise<boolean> => page.evaluate(() => [...CSS.highlights.get('found-now') ?? []].some((range) => {
  const list = document.querySelector('[aria-label="Messages"]')?.getBoundingClientRect();
  const place = range instanceof Range ? range.getBoundingClientRect() : undefined;
  return list !== undefined && place !== undefined && place.height > 0 && place.top >= list.top && place.bottom <= list.bottom;
}));

describeInChromium('forks', () => {
  let app: App;
  let page: Page;
  let round = 0;
  beforeAll(async () => {
    app = await startApp({ model: { script: ({ body }) => reply(body.messages) } });
    page = app.page;
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    round += 1;
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    await title(page, 'New chat').waitFor();
  });

  test('a message’s foot forks the chat there; the new chat says where it came from and leads back', async () => {
    await exchange(page, `first ${round}`);
    await exchange(page, `second ${round}`);
    await replies(page).first().hover();
    await replies(page).first().getByRole('button', { name: 'Fork from here' }).click();
    await title(page, `Fork of first ${round}`).waitFor();
    await page.getByRole('note').getByText(`This chat is a fork of “first ${round}”`).waitFor();
    expect(await own(page).count()).toBe(1);
    const chats = page.getByRole('navigation', { name: 'Chats' });
    await chats.getByRole('button', { name: new RegExp(`^Fork of first ${round}`) }).waitFor();
    await exchange(page, 'elsewhere');
    await page.getByRole('button', { name: 'Open that chat' }).click();
    await title(page, `first ${round}`).waitFor();
    await replies(page).getByText(`You said: second ${round}`).waitFor();
    expect(await own(page).count()).toBe(2);
  });

  test('calls and notices are forked from the margin, and the whole chat from the palette', async () => {
    await run(page, '!echo from the shell');
    const card = page.locator('[data-call]').first();
    await card.hover();
    await page.getByRole('button', { name: 'Fork from here' }).click();
    await title(page, 'Fork of !echo from the shell').waitFor();
    await page.locator('[data-call]').first().waitFor();
    expect(await page.getByRole('button', { name: 'Open its terminal' }).count()).toBe(0);
    await page.getByRole('note').hover();
    await page.getByRole('button', { name: 'Fork from here' }).click();
    await title(page, 'Fork 2 of !echo from the shell').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Fork this chat');
    await page.keyboard.press('Enter');
    await title(page, 'Fork 3 of !echo from the shell').waitFor();
    // The notices of the forks it came from are history: only its own leads back.
    await expect.poll(() => page.getByRole('note').count()).toBe(3);
    expect(await page.getByRole('button', { name: 'Open that chat' }).count()).toBe(1);
  });

  test('is reached with the keyboard alone', async () => {
    await exchange(page, `keys ${round}`);
    await replies(page).first().getByRole('button', { name: 'Copy message' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await title(page, `Fork of keys ${round}`).waitFor();
  });

  test('is refused in words while what would be copied is still written', async () => {
    await exchange(page, `calm ${round}`);
    await say(page, 'endless');
    await replies(page).getByText('It goes on').waitFor();
    await composer(page).fill('/fork');
    await composer(page).press('Enter');
    await page.getByText('A reply that would be copied is still being written.').waitFor();
    await own(page).first().hover();
    await own(page).first().getByRole('button', { name: 'Fork from here' }).click();
    await title(page, `Fork of calm ${round}`).waitFor();
    await page.getByRole('button', { name: 'Open that chat' }).click();
    await composer(page).press('Escape');
    await page.getByText('Stopped', { exact: false }).first().waitFor();
  });

  test('an own message is edited in its place: Escape puts it back, Shift+Enter breaks, Enter says it in a fork', async () => {
    await exchange(page, `one ${round}`);
    await exchange(page, 'typo');
    await own(page).last().hover();
    await own(page).last().getByRole('button', { name: 'Edit' }).click();
    expect(await editor(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await editor(page).fill('thrown away');
    await editor(page).press('Escape');
    await own(page).getByText('typo', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Copy message');

    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await editor(page).inputValue()).toBe('typo');
    await editor(page).fill('no typo');
    await editor(page).press('Shift+Enter');
    await editor(page).pressSequentially('here');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'fork-edit', () => editor(page).waitFor());
    await page.setViewportSize({ width: 1280, height: 800 });
    await editor(page).press('Enter');
    await title(page, `Fork of one ${round}`).waitFor();
    await replies(page).getByText('You said: here').waitFor();
    expect(await own(page).last().innerText()).toContain('no typo\nhere');
    expect(await own(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Open that chat' }).click();
    await title(page, `one ${round}`).waitFor();
    await own(page).getByText('typo', { exact: true }).waitFor();
  });

  test('an edit that is refused keeps its words, and what was typed survives another chat', async () => {
    await exchange(page, `kept ${round}`);
    await own(page).hover();
    await own(page).getByRole('button', { name: 'Edit' }).click();
    await editor(page).fill('!');
    await editor(page).press('Enter');
    await page.getByRole('alert').getByText('There is no command after the "!"').waitFor();
    await editor(page).fill('later words');
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    await title(page, 'New chat').waitFor();
    await page.getByRole('navigation', { name: 'Chats' }).getByRole('button', { name: new RegExp(`^kept ${round}`) }).click();
    expect(await editor(page).inputValue()).toBe('later words');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await own(page).getByText(`kept ${round}`).waitFor();
  });

  test('an edit says which files were changed since, and puts them back only when it is told to', async () => {
    const file = join(app.host.workFolder, 'birds.txt');
    await writeFile(file, 'owls\n');
    await exchange(page, 'write herons', 'It is written.');
    await own(page).hover();
    await own(page).getByRole('button', { name: 'Edit' }).click();
    const changed = page.getByRole('region', { name: 'Files changed since this message' });
    await changed.getByText('Files were changed since this message (1 change kept).').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'fork-edit-files', () => changed.waitFor());
    await page.setViewportSize({ width: 1280, height: 800 });
    await changed.getByRole('button', { name: 'Put back as before this message' }).click();
    await page.getByText('1 file put back').waitFor();
    await editor(page).press('Escape');
  });

  test('reports no error on its console', () => {
    expect(app.errors).toEqual([]);
  });
});

describeInChromium('finding in a chat', () => {
  let app: App;
  let page: Page;
  beforeAll(async () => {
    app = await startApp({ model: { script: ({ body }) => reply(body.messages) } });
    page = app.page;
    await exchange(page, 'a heron first');
    for (let number = 0; number < 3; number += 1) await exchange(page, `filler ${number}`);
    await run(page, '!echo heron in a shell');
    await exchange(page, 'birds', 'At the end a Heron flew off.');
  });
  afterAll(() => app.close());

  test('counts all places, steps with Enter and Ctrl+G, marks each, and gives the focus back', async () => {
    await composer(page).fill('a draft');
    await page.keyboard.press('Control+f');
    await field(page).fill('heron');
    // The question, its echo, the command, its call, and two in the long reply: the one at the end is in sight.
    await bar(page).getByText('6 of 6').waitFor();
    await expect.poll(() => marked(page)).toEqual(['Heron']);
    await page.keyboard.press('Enter');
    await bar(page).getByText('1 of 6').waitFor();
    await expect.poll(() => isMarkSeen(page)).toBe(true);
    await own(page).getByText('a heron first').waitFor();
    await page.keyboard.press('Control+g');
    await bar(page).getByText('2 of 6').waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Control+Shift+g');
    await bar(page).getByText('6 of 6').waitFor();
    await page.keyboard.press('Shift+Enter');
    await bar(page).getByText('5 of 6').waitFor();
    await expect.poll(() => isMarkSeen(page)).toBe(true);
    expect(await marked(page)).toEqual(['heron']);
    await page.keyboard.press('Shift+Enter');
    await bar(page).getByText('4 of 6').waitFor();
    // The call's card stands open at its place.
    await expect.poll(() => page.locator('[data-call]').getByText('Answer to the model').count()).toBe(1);
    await expect.poll(() => isMarkSeen(page)).toBe(true);
    await page.keyboard.press('Escape');
    expect(await bar(page).count()).toBe(0);
    expect(await composer(page).evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.evaluate(() => CSS.highlights.size)).toBe(0);
  });

  test('finds across mark-up, says when there is nothing, and looks again when something new is said', async () => {
    await page.keyboard.press('Control+f');
    await field(page).fill('grey heron stood');
    await bar(page).getByText('1 of 1').waitFor();
    await expect.poll(() => marked(page)).toEqual(['grey heron stood']);
    await field(page).fill('no such words');
    await bar(page).getByText('none').waitFor();
    await field(page).fill('swan');
    await bar(page).getByText('none').waitFor();
    await exchange(page, 'a swan');
    await bar(page).getByText(/of 2$/).waitFor();
    await field(page).press('Escape');
  });

  test('leaves Ctrl+F to a terminal that has the focus', async () => {
    await page.keyboard.press('Alt+Shift+T');
    await page.getByRole('button', { name: 'New terminal' }).first().click();
    await page.locator('.xterm-screen').last().click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('.xterm') !== null)).toBe(true);
    await page.keyboard.press('Control+f');
    expect(await bar(page).count()).toBe(0);
    await composer(page).focus();
    await page.keyboard.press('Control+f');
    await bar(page).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+j');
  });

  test('can be read by everybody, and looks right', async () => {
    await page.keyboard.press('Control+f');
    await field(page).fill('reeds');
    await bar(page).getByText(/of 60$/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'find-in-chat', () => bar(page).waitFor());
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(app.errors).toEqual([]);
  });
});
