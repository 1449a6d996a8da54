import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import type { Reply, ScriptedCall } from '../support/model/server.ts';

/** Calls that the model makes for the person's last message, by its first word; the reply after them says "Finished." */
const wishes = new Map<string, readonly ScriptedCall[]>([
  ['read', [{ name: 'read_file', arguments: { path: 'one.txt' } }, { name: 'read_file', arguments: { path: 'two.txt' } }, { name: 'read_file', arguments: { path: 'missing.txt' } }]],
  ['flood', [{ name: 'terminal', arguments: { command: 'seq 1 20000' } }]],
  ['wait', [{ name: 'terminal', arguments: { command: 'for n in 1 2 3 4 5 6 7 8 9 10; do echo "step $n"; done; while [ ! -e go ]; do sleep 0.05; done; echo through' } }]],
  ['delete', [{ name: 'terminal', arguments: { command: 'rm -rf old-folder' } }]],
  ['choose', [{ name: 'clarify', arguments: { question: 'Which colour shall it be?', choices: ['Red', 'Blue'] } }]],
  ['plan', [{ name: 'todo', arguments: { todos: [{ id: '1', content: 'Lay the table', status: 'completed' }, { id: '2', content: 'Cook the soup', status: 'in_progress' }] } }]],
]);

function reply(messages: readonly { readonly role: string; readonly content?: unknown }[]): Reply {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const content = messages[at]?.content;
  const text = typeof content === 'string' ? content.split('\n').at(-1) ?? '' : '';
  const calls = wishes.get(text.split(' ', 1)[0] ?? '');
  if (calls === undefined) return { text: `You said: ${text}` };
  return messages.slice(at).some((message) => message.role === 'tool') ? { text: 'Finished.' } : { text: 'On it.', calls };
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const transcript = (page: Page) => page.getByRole('region', { name: 'Messages' });
const card = (page: Page, name: RegExp) => transcript(page).getByRole('region', { name }).last();
const finished = (page: Page) => transcript(page).getByText('Finished.').waitFor();

async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

/** A card counts a press only once it has stood still: bring it into view, then press as soon as its buttons are ready. */
async function decide(button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  await button.hover();
  await button.and(button.page().locator(':not([aria-disabled])')).click();
}

describeInChromium('tool calls in a chat', () => {
  let app: App;
  let page: Page;
  beforeAll(async () => {
    app = await startApp({ model: { script: ({ body }) => reply(body.messages) } });
    page = app.page;
    await writeFile(join(app.host.workFolder, 'one.txt'), 'the first file\n');
    await writeFile(join(app.host.workFolder, 'two.txt'), 'the second file\n');
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await page.getByRole('button', { name: 'New chat', exact: true }).click();
    await page.getByRole('heading', { name: 'New chat', level: 1 }).waitFor();
  });

  test('a command of the person’s own is marked as such and shows what it printed', async () => {
    await composer(page).fill('!echo hi');
    await page.getByText('Command: runs in this chat’s terminal, the model is not asked').waitFor();
    await composer(page).press('Enter');
    const command = card(page, /^Run command echo hi/);
    await command.getByRole('group', { name: 'Answer' }).getByText('hi', { exact: true }).waitFor();
    await transcript(page).getByText('You ran').waitFor();
    expect(app.host.model?.requests.length).toBe(0);
  });

  test('a tool can be called by hand: the slash list names it, its argument errors keep the text', async () => {
    await composer(page).fill('/to');
    await page.getByRole('option', { name: /^\/tool / }).waitFor();
    await composer(page).press('Enter');
    await composer(page).pressSequentially('read_f');
    await page.getByRole('option', { name: /^read_file/ }).waitFor();
    await composer(page).press('Tab');
    expect(await composer(page).inputValue()).toBe('/tool read_file ');
    await composer(page).pressSequentially('{"path":');
    await composer(page).press('Enter');
    await page.getByRole('alert').filter({ hasText: 'not a JSON object' }).waitFor();
    expect(await composer(page).inputValue()).toBe('/tool read_file {"path":');
    await composer(page).pressSequentially('"one.txt"}');
    await composer(page).press('Enter');
    await card(page, /^Read file one\.txt/).getByText('the first file').waitFor();
  });

  test('a skill is named after a slash: the list offers it, and its text goes along with the message, folded away', async () => {
    await mkdir(join(app.host.home, 'skills', 'brew'), { recursive: true });
    await writeFile(join(app.host.home, 'skills', 'brew', 'SKILL.md'), '---\nname: brew\ndescription: How to brew tea. In a pot.\n---\nBoil the water first.\n');
    await composer(page).fill('/bre');
    await page.getByRole('option', { name: '/brew How to brew tea.' }).waitFor();
    await composer(page).press('Enter');
    expect(await composer(page).inputValue()).toBe('/brew ');
    await composer(page).pressSequentially('a cup');
    await composer(page).press('Enter');
    await transcript(page).getByText('/brew a cup', { exact: true }).waitFor();
    const note = transcript(page).getByRole('note').filter({ hasText: 'The skill brew was loaded for this message.' });
    await note.waitFor();
    expect(await note.getByText('Boil the water first.').isVisible()).toBe(false);
    await note.getByText('What the agent is told').click();
    await note.getByText('Boil the water first.').waitFor();
    await expect.poll(() => JSON.stringify(app.host.model?.requests.at(-1)?.body.messages.at(-1) ?? '')).toContain('Boil the water first.');
    expect(await accessibilityFaults(page)).toEqual([]);
    await takePictures(page, 'skill-named');
  });

  test('parallel calls have a card each under one count, failures are open', async () => {
    await say(page, 'read all three');
    await finished(page);
    const group = transcript(page).getByRole('region', { name: '3 tool calls' });
    await group.getByText('3 tool calls: 2 done · 1 failed').waitFor();
    const [one, missing] = [group.getByRole('region', { name: 'Read file one.txt' }), group.getByRole('region', { name: 'Read file missing.txt' })];
    expect(await one.getByRole('button', { expanded: true }).count()).toBe(0);
    expect(await missing.getByRole('button', { expanded: true }).count()).toBe(1);
    await one.getByRole('button', { name: /Read file/ }).click();
    await one.getByText('the first file').waitFor();
    await takePictures(page, 'tool-cards');
  });

  test('a running command shows its last lines and its time, and links to its terminal', async () => {
    await say(page, 'wait for me');
    const command = card(page, /^Run command/);
    await command.getByText('running', { exact: true }).waitFor();
    await command.getByLabel('Latest output').getByText('step 10').waitFor();
    expect(await command.getByLabel('Latest output').innerText()).not.toContain('step 1\n');
    await page.getByRole('button', { name: /^Stop: for n in/ }).waitFor();
    await writeFile(join(app.host.workFolder, 'go'), '');
    await finished(page);
    await command.getByRole('button', { name: /Run command/ }).click();
    await page.keyboard.press('Control+j');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await command.getByRole('button', { name: 'Open its terminal' }).click();
    await page.getByRole('complementary').getByRole('tab', { name: /^Terminals/, selected: true }).waitFor();
  });

  test('what is steered in reaches the model before its next step, not after the turn', async () => {
    wishes.set('hold', [{ name: 'terminal', arguments: { command: 'while [ ! -e on ]; do sleep 0.05; done; echo through' } }]);
    await say(page, 'hold on');
    await card(page, /^Run command while/).getByText('running', { exact: true }).waitFor();
    await composer(page).fill('use the blue one');
    await composer(page).press('Control+Enter');
    await page.getByRole('region', { name: 'Queued messages' }).getByText('before its next step').waitFor();
    const before = app.host.model?.requests.length ?? 0;
    await writeFile(join(app.host.workFolder, 'on'), '');
    await app.host.model?.seen(before + 1);
    const steered = app.host.model?.requests[before]?.body.messages ?? [];
    expect(steered.findIndex((message) => JSON.stringify(message.content).includes('use the blue one'))).toBeGreaterThan(steered.findIndex((message) => message.role === 'tool'));
    await transcript(page).getByRole('article', { name: /^You/ }).getByText('use the blue one').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  test('a long answer is cut on the screen and shown in full when asked', async () => {
    await say(page, 'flood me');
    await finished(page);
    const command = card(page, /^Run command seq/);
    await command.getByRole('button', { name: /Run command/ }).click();
    const all = command.getByRole('button', { name: /^Show all [\d,]+ characters$/ });
    await all.waitFor();
    await all.click();
    await all.waitFor({ state: 'detached' });
  });

  test('an approval waits inside its card, never folded away, and the list says so', async () => {
    await say(page, 'delete it');
    const command = card(page, /^Run command rm -rf old-folder/);
    await command.getByText('waiting for you').waitFor();
    await command.getByRole('button', { name: 'Deny', exact: true }).waitFor();
    expect(await command.getByRole('button', { expanded: true }).count()).toBe(0);
    await page.getByRole('navigation', { name: 'Chats' }).getByText('needs you').waitFor();
    expect(await page.title()).toMatch(/^\(1\) /);
    // A card that moved is not armed for a moment: the pictures show it as it is answered.
    await takePictures(page, 'approval-in-chat', () => expect.poll(() => command.getByRole('button', { name: 'Run once' }).isEnabled()).toBe(true));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    await decide(command.getByRole('button', { name: 'Deny', exact: true }));
    await finished(page);
    await command.getByText('denied', { exact: true }).waitFor();
    await page.waitForFunction(() => !document.title.startsWith('('));
  });

  test('a question is answered by one of its choices', async () => {
    await say(page, 'choose for me');
    const form = transcript(page).getByRole('form', { name: 'Which colour shall it be?' });
    await form.getByRole('button', { name: 'Blue' }).click();
    await finished(page);
    await form.waitFor({ state: 'detached' });
    expect(JSON.stringify(app.host.model?.requests.at(-1)?.body.messages.at(-1))).toContain('Blue');
  });

  test('a question is answered in own words, by keys', async () => {
    await say(page, 'choose again');
    await transcript(page).getByRole('textbox', { name: 'Your own answer' }).fill('a warm grey');
    await page.keyboard.press('Enter');
    await finished(page);
    expect(JSON.stringify(app.host.model?.requests.at(-1)?.body.messages.at(-1))).toContain('a warm grey');
  });

  test('the plan stands above the composer and survives a reload', async () => {
    await say(page, 'plan dinner');
    await finished(page);
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText('1 of 2').waitFor();
    await page.reload();
    await plan.getByRole('button', { name: /^Plan/ }).click();
    await plan.getByRole('listitem').filter({ hasText: 'Lay the table, done' }).waitFor();
  });

  test('the guided tour is labelled as scripted and runs to its end', async () => {
    await page.getByRole('button', { name: 'Start the guided tour' }).click();
    await page.getByRole('region', { name: 'Chat', exact: true }).getByText('scripted', { exact: true }).waitFor();
    const waiting = transcript(page).locator('[data-state="waiting"]');
    await decide(waiting.getByRole('button', { name: 'Deny', exact: true }));
    await transcript(page).getByText('That is the round', { exact: false }).waitFor();
    await takePictures(page, 'tour');
  });

  test('reports no error on its console', () => {
    expect(app.errors).toEqual([]);
  });
});
