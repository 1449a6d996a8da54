import { readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, openSettings, say } from '../support/deeds.ts';

describeInChromium('terminals in the window', () => {
  let app: App;
  let panel: Locator;
  const path = (name: string) => join(app.host.workFolder, name);
  const list = () => panel.getByRole('list', { name: 'Terminals' });
  const row = (title: string) => list().getByRole('button').filter({ hasText: title });
  /** What the view shows, as a screen reader gets it. */
  const shown = () => panel.locator('[data-terminal] .xterm-accessibility').innerText().then((text) => text.replace(/\u00a0/g, ' '));
  const expectShown = (text: string) => expect.poll(shown, { timeout: 15_000 }).toContain(text);
  const alive = (pid: number) => existsSync(`/proc/${pid}/stat`);

  beforeAll(async () => {
    app = await startApp({ model: true });
    /** Screen reader mode puts the text of the canvas into the page, where a test can read it too. */
    await openSettings(app.page, 'Terminals');
    await app.page.getByRole('switch', { name: 'Screen reader mode' }).click();
    await app.page.getByRole('button', { name: 'Back to the chat' }).click();
    await newChat(app.page);
    panel = await openDock(app.page, 'Terminals');
  });
  afterAll(() => app.close());
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('a command that the agent runs is watched live and its end is told in words', async () => {
    await say(app.page, `!for i in 1 2 3; do echo "line $i"; done; exit 3`);
    await row('line').waitFor();
    await expectShown('line 3');
    await panel.getByText('Exit code 3', { exact: true }).waitFor();
    await panel.getByText(/^after /).waitFor();
    await takePictures(app.page, 'terminal');
  });

  test('a shell of the person’s own takes keys, shows what they do, and ends with them', async () => {
    await panel.getByRole('button', { name: 'New terminal' }).first().click();
    await panel.getByText('Your shell').waitFor();
    /** The new shell has the keys by itself; left on the button, each blank would open one more. */
    await expect.poll(() => panel.locator('.xterm-helper-textarea').evaluate((element) => element === document.activeElement)).toBe(true);
    await app.page.keyboard.type(`echo $((6*7)) > ${path('answer')}; echo typed-$((6*7))\n`);
    await expectShown('typed-42');
    await expect.poll(() => readFile(path('answer'), 'utf8').catch(() => '')).toBe('42\n');
    expect(await panel.getByRole('button', { name: /^Yours/ }).innerText()).toBe('Yours1');
    await app.page.keyboard.type('exit\n');
    await panel.getByText('Finished').waitFor();
    await panel.getByRole('button', { name: 'Open again' }).waitFor();
  });

  test('a background process is locked while the agent drives: a key shows the hint once; take over types, hand back locks', async () => {
    await say(app.page, `/tool terminal ${JSON.stringify({ command: `while read line; do echo "got:$line"; done`, background: true, pty: true })}`);
    await row('while read').click();
    await panel.getByText('Agent drives').waitFor();
    const keys = panel.locator('.xterm-helper-textarea');
    await keys.focus();
    await app.page.keyboard.type('x');
    await panel.getByText('your keys go nowhere').waitFor();
    await panel.getByRole('button', { name: 'Got it' }).click();
    await app.page.keyboard.type('y');
    expect(await panel.getByText('your keys go nowhere').count()).toBe(0);

    await panel.getByRole('button', { name: 'Take over' }).click();
    await panel.getByText('You drive').waitFor();
    /** Who takes over wants to type: no further click is needed. */
    await expect.poll(() => keys.evaluate((element) => element === document.activeElement)).toBe(true);
    await app.page.keyboard.type('hello\n');
    await expectShown('got:hello');
    await panel.getByRole('button', { name: 'Hand back' }).press('Enter');
    await panel.getByText('Agent drives').waitFor();
    await expect.poll(() => panel.getByRole('button', { name: 'Take over' }).evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('killing the tree ends what was started below it too', async () => {
    await writeFile(path('tree.sh'), `#!/bin/bash\ntrap '' TERM\n(trap '' TERM; sleep 1000 & echo $! > ${path('grandchild')}; wait) &\nwait\n`, { mode: 0o755 });
    await say(app.page, `/tool terminal ${JSON.stringify({ command: path('tree.sh'), background: true })}`);
    await row('tree.sh').click();
    await expect.poll(() => readFile(path('grandchild'), 'utf8').catch(() => ''), { timeout: 10_000 }).not.toBe('');
    const grandchild = Number(await readFile(path('grandchild'), 'utf8'));
    expect(alive(grandchild)).toBe(true);
    await panel.getByRole('button', { name: 'Stop…' }).click();
    await app.page.getByRole('menuitem', { name: 'Kill it and all it started' }).click();
    await expect.poll(() => alive(grandchild), { timeout: 15_000 }).toBe(false);
    await expect.poll(() => panel.getByRole('button', { name: 'Stop…' }).count(), { timeout: 15_000 }).toBe(0);
  });

  test('Ctrl-C from the menu interrupts a flood within a moment', async () => {
    await say(app.page, `/tool terminal ${JSON.stringify({ command: 'yes flooding', background: true, pty: true })}`);
    await row('yes').click();
    await expectShown('flooding');
    await panel.getByRole('button', { name: 'Stop…' }).click();
    await app.page.getByRole('menuitem', { name: /Interrupt/ }).click();
    await expect.poll(() => panel.getByRole('button', { name: 'Stop…' }).count(), { timeout: 15_000 }).toBe(0);
  });

  test('search finds, counts, and says when a pattern is none', async () => {
    await say(app.page, '!printf "needle one\\nneedle two\\nhay\\n"; echo "# searched"');
    await row('# searched').click();
    await expectShown('hay');
    await panel.getByRole('button', { name: 'Search in this terminal' }).click();
    const field = panel.getByRole('searchbox', { name: 'Search in this terminal' });
    await field.fill('needle');
    await panel.getByRole('search').getByText(/^\d of 2$/).waitFor();
    await panel.getByRole('button', { name: 'Regular expression' }).click();
    await field.fill('needle (');
    await panel.getByRole('search').getByText('no pattern').waitFor();
    await field.press('Escape');
  });

  test('a paste of several lines, or with hidden characters, is shown before it is typed', async () => {
    await panel.getByRole('button', { name: 'New terminal' }).first().click();
    await panel.getByText('Your shell').waitFor();
    const paste = (text: string) => panel.locator('.xterm-helper-textarea').evaluate((element, pasted) => {
      const data = new DataTransfer();
      data.setData('text/plain', pasted);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
    await paste(`touch ${path('pasted-1')}\ntouch ${path('pasted-2')}\n`);
    const dialog = panel.getByRole('alertdialog', { name: 'Look before you paste' });
    await dialog.getByText('This has 2 lines').waitFor();
    expect(existsSync(path('pasted-1'))).toBe(false);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await paste('echo safe\u202e\u200b-\u001b[201~text');
    await dialog.getByText(/characters that cannot be seen/).waitFor();
    expect(await dialog.innerText()).toContain('\\u202e');
    await dialog.getByRole('button', { name: 'Paste without them' }).click();
    await expectShown('echo safe-[201~text');
    await panel.locator('.xterm-helper-textarea').press('Control+c');
    await app.page.keyboard.type('exit\n');
  });

  test('what a program prints cannot rename the tab, fill the clipboard, or type an answer', async () => {
    await app.page.evaluate(() => navigator.clipboard.writeText('mine'));
    await panel.getByRole('button', { name: 'New terminal' }).first().click();
    await panel.getByText('Your shell').waitFor();
    await panel.locator('.xterm-helper-textarea').focus();
    const title = await panel.locator('[data-terminal] h2').innerText();
    await app.page.keyboard.type(`printf '\\033]0;evil title\\007\\033]52;c;ZXZpbA==\\007\\033P$q"p\\033\\\\'; echo printed-$((1+1))\n`);
    await expectShown('printed-2');
    await panel.getByText('A program here tried to use your clipboard').waitFor();
    expect(await app.page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
    expect(await panel.locator('[data-terminal] h2').innerText()).toBe(title);
    await app.page.keyboard.type('exit\n');
  });

  test('an ended one is renamed, saved as text, and removed from the list', async () => {
    await say(app.page, '!echo keep-this; echo "# to-rename"');
    await row('# to-rename').click();
    await expectShown('keep-this');
    await panel.getByRole('button', { name: 'More' }).click();
    await app.page.getByRole('menuitem', { name: 'Rename…' }).click();
    await panel.getByRole('textbox', { name: 'Name of this terminal' }).fill('my name');
    await app.page.keyboard.press('Enter');
    await row('my name').waitFor();
    await panel.getByRole('button', { name: 'More' }).click();
    const [download] = await Promise.all([app.page.waitForEvent('download'), app.page.getByRole('menuitem', { name: 'Save all output…' }).click()]);
    expect(download.suggestedFilename()).toBe('my-name.txt');
    expect(await readFile(await download.path(), 'utf8')).toContain('keep-this');
    await panel.getByRole('button', { name: 'More' }).click();
    await app.page.getByRole('menuitem', { name: 'Remove from the list' }).click();
    await row('my name').waitFor({ state: 'detached' });
  });

  test('a selection is sent to the composer, below what was typed there', async () => {
    await say(app.page, '!echo selectable; echo "# to-quote"');
    await row('# to-quote').click();
    await expectShown('selectable');
    await app.page.getByRole('textbox', { name: 'Message' }).fill('Look at this:');
    const screen = await panel.locator('[data-terminal] .xterm-screen').boundingBox();
    if (screen === null) throw new Error('the terminal has no screen');
    await app.page.mouse.dblclick(screen.x + 20, screen.y + 8);
    await panel.getByRole('button', { name: 'More' }).click();
    await app.page.getByRole('menuitem', { name: 'Send selection to chat' }).click();
    await expect.poll(() => app.page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Look at this:\n\n```\nselectable\n```\n');
    await app.page.getByRole('textbox', { name: 'Message' }).fill('');
  });

  test('the process list shows the tree and opens a port that is listened on', async () => {
    await writeFile(path('server.cjs'), `require('http').createServer().listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port); });\n`);
    await say(app.page, `/tool terminal ${JSON.stringify({ command: 'node server.cjs', background: true })}`);
    await row('server.cjs').click();
    await expectShown('port ');
    const port = /port (\d+)/.exec(await shown())?.[1] ?? '';
    await panel.getByRole('button', { name: 'Processes' }).click();
    await panel.getByRole('button', { name: `Open port ${port} in your browser` }).waitFor();
    await panel.getByRole('button', { name: 'Processes' }).click();
    await panel.getByRole('button', { name: 'Stop…' }).click();
    await app.page.getByRole('menuitem', { name: 'Kill it and all it started' }).click();
  });

  test('a password goes to the program through a masked field and is found nowhere else', async () => {
    await panel.getByRole('button', { name: 'New terminal' }).first().click();
    await panel.getByText('Your shell').waitFor();
    await panel.locator('.xterm-helper-textarea').focus();
    await app.page.keyboard.type(`read -s -p "Password: " secret; printf %s "$secret" | md5sum > ${path('digest')}\n`);
    const field = panel.getByLabel(/reads a password/);
    await field.waitFor({ timeout: 15_000 });
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill('canary-7f3a');
    await field.press('Enter');
    await expect.poll(() => readFile(path('digest'), 'utf8').catch(() => '')).toContain('1');
    expect(await shown()).not.toContain('canary-7f3a');
    await field.waitFor({ state: 'detached' });
  });

  test('has no accessibility fault in either theme', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await accessibilityFaults(app.page)).toEqual([]);
    }
  });
});
