/** Rules that people write, change and take back; the history as a file; and the queue as windows and the command line see it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { talariaProgram } from '../support/app.ts';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, openSettings, press, queuedCard, say } from '../support/deeds.ts';
import { removals } from '../support/removals.ts';

const runFile = promisify(execFile);

describeInChromium('rules and history in the window', () => {
  let app: App;
  const { folder, askToRemove } = removals(() => app);
  /** The command line on the same home, in a process of its own. */
  const cli = async (...argv: string[]): Promise<string> =>
    (await runFile(process.execPath, [talariaProgram, '--home', app.host.home, ...argv], { env: { ...process.env, HOME: join(app.host.home, '..') } })).stdout;
  const rows = () => app.page.getByRole('list', { name: 'Rules of Talaria' }).getByRole('listitem');

  beforeAll(async () => { app = await startApp({ model: true }); });
  afterAll(() => app.close());
  beforeEach(async () => { await newChat(app.page); });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('a rule that denies is written with examples that are checked, stops its command, is changed, removed and brought back as it was', async () => {
    await openSettings(app.page, 'Allowed for good');
    await app.page.getByRole('button', { name: 'Write a rule that denies or asks' }).click();
    const form = app.page.getByRole('form', { name: 'New rule' });
    await form.getByRole('button', { name: 'Add the rule' }).click();
    await form.getByRole('alert').getByText('Write the pattern').waitFor();
    await form.getByRole('textbox', { name: 'Pattern' }).fill('echo forbidden*');
    await form.getByRole('textbox', { name: 'Must match', exact: true }).fill('echo allowed');
    await form.getByRole('button', { name: 'Add the rule' }).click();
    await form.getByRole('alert').getByText('It should match "echo allowed" and does not.').waitFor();
    await form.getByRole('textbox', { name: 'Must match', exact: true }).fill('sudo echo forbidden words');
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'rule-form');
    await form.getByRole('button', { name: 'Add the rule' }).click();
    await rows().filter({ hasText: 'echo forbidden*' }).waitFor();

    await app.page.getByRole('button', { name: 'Back to the chat' }).click();
    await say(app.page, 'run `echo forbidden words`');
    await expect.poll(() => JSON.stringify(app.host.model?.requests.at(-1)?.body.messages), { timeout: 10_000 }).toContain('user-defined deny rule');

    await openSettings(app.page, 'Allowed for good');
    const row = rows().filter({ hasText: 'echo forbidden*' });
    const usedOnce = await row.innerText();
    await row.getByRole('button', { name: /^Change the rule/ }).click();
    const edit = app.page.getByRole('form', { name: /^Change the rule/ });
    await edit.getByRole('radio', { name: 'Below a directory' }).check();
    await edit.getByRole('textbox', { name: 'Directory' }).fill('/somewhere/else');
    await edit.getByRole('button', { name: 'Save' }).click();
    await rows().filter({ hasText: 'below /somewhere/else' }).waitFor();

    await row.getByRole('button', { name: /^Remove the rule/ }).click();
    await row.waitFor({ state: 'detached' });
    await app.page.getByRole('button', { name: 'Undo' }).click();
    await row.waitFor();
    expect((await row.innerText()).replace('below /somewhere/else', 'everywhere')).toBe(usedOnce);
    await app.page.getByRole('button', { name: 'Back to the chat' }).click();
  });

  test('the whole history leaves as a file, and a decision becomes an example of a rule', async () => {
    const dock = await openDock(app.page, 'Approvals');
    await press(await askToRemove('exported'), 'Deny');
    await dock.getByRole('button', { name: 'History' }).click();
    await dock.getByRole('searchbox', { name: 'Search the history' }).fill('exported');
    const list = dock.getByRole('list', { name: 'Answered requests' }).getByRole('listitem');
    await expect.poll(() => list.count()).toBe(1);
    await dock.getByRole('button', { name: 'Export', exact: true }).click();
    const [download] = await Promise.all([app.page.waitForEvent('download'), app.page.getByRole('menuitem', { name: 'As a table (CSV)' }).click()]);
    const table = await readFile(await download.path(), 'utf8');
    expect(table.trimEnd().split('\r\n')).toHaveLength(2);
    expect(table).toContain(`rm -rf ${folder('exported')}`);
    expect(await cli('approvals', 'export', 'exported', '--format', 'csv')).toBe(table);

    await list.getByRole('button').first().click();
    await list.getByRole('button', { name: 'Save as an example of a rule…' }).click();
    const panel = list.getByRole('group', { name: 'Save as an example of a rule' });
    await panel.getByRole('button', { name: 'It must match this' }).click();
    await panel.getByRole('alert').getByText('should match').waitFor();
    await panel.getByRole('button', { name: 'It must never match this' }).click();
    await panel.waitFor({ state: 'detached' });
    expect(await cli('allowlist', 'rules', '--json')).toContain(folder('exported'));
    await dock.getByRole('button', { name: /^Waiting/ }).click();
  });

  test('two windows and the command line see the same question, and an answer of any of them reaches all at once', async () => {
    await openDock(app.page, 'Approvals');
    const card = await askToRemove('everywhere');
    const second = await app.openWindow();
    await openDock(second, 'Approvals');
    const other = queuedCard(second, 'everywhere');
    await other.waitFor();
    const listed = JSON.parse(await cli('approvals', '--json')) as { id: string; command: string }[]; // the contract's own form
    expect(listed.map(({ command }) => command)).toEqual([`rm -rf ${folder('everywhere')}`]);
    expect(await cli('approvals', 'deny', listed[0]?.id ?? '', '--reason', 'not from here')).toContain('Denied');
    await Promise.all([card, other].map((each) => each.waitFor({ state: 'detached' })));
    for (const page of [app.page, second]) await page.getByRole('tabpanel', { name: /^Approvals/ }).getByText('Denied from cli: not from here').waitFor();
    expect(existsSync(folder('everywhere'))).toBe(true);
    expect(await cli('approvals', '--json')).toBe('[]\n');
    await expect(cli('approvals', 'approve', listed[0]?.id ?? '')).rejects.toThrow();
    await second.close();
  });

  test('what was denied before is marked on the card, and the model\'s words are quoted without their marks', async () => {
    await openDock(app.page, 'Approvals');
    await press(await askToRemove('again'), 'Deny');
    await queuedCard(app.page, 'again').waitFor({ state: 'detached' });
    await say(app.page, `run \`bash -c "rm -rf ${folder('again')}"\``);
    const card = queuedCard(app.page, 'again');
    await card.locator('[data-denied-before]').getByText('You denied the same effect in this chat').waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'approval-again');
    await press(card, 'Deny');
  });

  test('the settings say what the second model may let through', async () => {
    await openSettings(app.page, 'Approvals');
    await app.page.getByRole('radio', { name: 'Ask a second model first' }).check();
    await app.page.getByText('Everything else waits for you, whatever that model says.').waitFor();
    expect(await accessibilityFaults(app.page)).toEqual([]);
    await takePictures(app.page, 'settings-smart');
    await app.page.getByRole('radio', { name: 'Ask me', exact: false }).first().check();
    await app.page.getByText('Everything else waits for you, whatever that model says.').waitFor({ state: 'detached' });
    await app.page.getByRole('button', { name: 'Back to the chat' }).click();
  });
});
