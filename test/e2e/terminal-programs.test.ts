/** Programs that people and agents live in, seen in the view: their screens, their keys, and what is left when they end. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, openDock, openSettings, say } from '../support/deeds.ts';
import { install } from '../support/install.ts';
import { haveSshd, startSshd, type TestSshd } from '../support/sshd.ts';

const WAIT = { timeout: 20_000 };
/** Each program with the Debian package that brings it. */
const PACKAGES = { vim: 'vim', htop: 'htop', less: 'less', python3: 'python3' } as const;

/** Pictures of all six take half a minute; the others are taken with TALARIA_LONG=1. */
const always = new Set(['htop', 'agent-vim']);

const present = (program: string): boolean => (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

describeInChromium('programs in the view', () => {
  let app: App;
  let panel: Locator;
  let sshd: TestSshd | undefined;
  const path = (name: string) => join(app.host.workFolder, name);
  const list = () => panel.getByRole('list', { name: 'Terminals' });
  const view = () => panel.locator('[data-terminal]').first();
  const shown = () => view().locator('.xterm-accessibility').innerText().then((text) => text.replace(/\u00a0/g, ' '));
  const expectShown = (text: string | RegExp) => expect.poll(shown, WAIT)[typeof text === 'string' ? 'toContain' : 'toMatch'](text);
  const keys = () => view().locator('.xterm-helper-textarea');
  /** The view at the size of each picture: a program draws anew for it, so its mark is waited for. */
  const picture = async (name: string, mark: string) => {
    if (always.has(name) || process.env['TALARIA_LONG'] === '1') await takePictures(app.page, `program-${name}`, async () => {
      await openDock(app.page, 'Terminals');
      await expectShown(mark);
    });
  };
  async function typed(command: string): Promise<void> {
    await keys().focus();
    await app.page.keyboard.type(`${command}\n`);
  }

  beforeAll(async () => {
    const missing = Object.entries(PACKAGES).filter(([program]) => !present(program)).map(([, name]) => name);
    if (missing.length > 0) await install(...missing);
    if (await haveSshd()) sshd = await startSshd();
    app = await startApp({ model: true, env: { LANG: 'C.UTF-8' } });
    await openSettings(app.page, 'Terminals');
    await app.page.getByRole('switch', { name: 'Screen reader mode' }).click();
    await app.page.getByRole('button', { name: 'Back to the chat' }).click();
    await newChat(app.page);
    panel = await openDock(app.page, 'Terminals');
    await panel.getByRole('button', { name: 'New terminal' }).first().click();
    await panel.getByText('Your shell').waitFor();
    await keys().waitFor({ state: 'attached' });
  });
  afterAll(async () => {
    await app.close();
    await sshd?.close();
  });
  afterEach(() => { expect(app.errors.splice(0)).toEqual([]); });

  test('vim edits and saves a file, and the screen of before is back afterwards', async (context) => {
    if (!present('vim')) context.skip('vim is not installed');
    await typed('echo before-vim');
    await expectShown('before-vim');
    await writeFile(path('note.txt'), 'héllo 世界\n');
    await typed('vim -u NONE -N note.txt');
    await expectShown('héllo 世界');
    await app.page.keyboard.type('A from a person');
    await app.page.keyboard.press('Escape');
    await expectShown('héllo 世界 from a person');
    await picture('vim', 'from a person');
    await keys().focus();
    await app.page.keyboard.type(':wq\n');
    await expect.poll(() => readFile(path('note.txt'), 'utf8').catch(() => ''), WAIT).toBe('héllo 世界 from a person\n');
    await expectShown('before-vim');
  });

  test('htop draws its table and leaves by its key', async (context) => {
    if (!present('htop')) context.skip('htop is not installed');
    await typed('htop');
    await expectShown('Load average');
    await picture('htop', 'Load average');
    await keys().focus();
    await app.page.keyboard.press('q');
    await expect.poll(shown, WAIT).not.toContain('Load average');
  });

  test('less pages forward, to the end, and searches', async (context) => {
    if (!present('less')) context.skip('less is not installed');
    await writeFile(path('long.txt'), Array.from({ length: 2_000 }, (_, index) => `line ${index + 1} of a long file`).join('\n'));
    await typed('less long.txt');
    await expectShown('line 1 of a long file');
    await app.page.keyboard.press('PageDown');
    await expect.poll(shown, WAIT).not.toContain('line 1 of a long file');
    await app.page.keyboard.type('G');
    await expectShown('line 2000 of a long file');
    await app.page.keyboard.type('?line 777 of\n');
    await expectShown('line 777 of a long file');
    await picture('less', 'line 777 of a long file');
    await keys().focus();
    await app.page.keyboard.press('q');
    await expect.poll(shown, WAIT).not.toContain('line 777 of a long file');
  });

  test('a python prompt answers, and Ctrl-C interrupts what it computes', async (context) => {
    if (!present('python3')) context.skip('python3 is not installed');
    await typed('python3 -q');
    await expectShown('>>>');
    await app.page.keyboard.type('print("result", 6 * 7)\n');
    await expectShown('result 42');
    await app.page.keyboard.type('print("counting"); exec("while True: pass")\n');
    await expectShown(/^counting/m);
    await app.page.keyboard.press('Control+c');
    await expectShown('KeyboardInterrupt');
    await picture('python', 'KeyboardInterrupt');
    await keys().focus();
    await app.page.keyboard.type('exit()\n');
  });

  test('ssh logs in to the test server, follows the size of the view, and comes back', async (context) => {
    if (sshd === undefined) return context.skip('sshd is not installed');
    await typed(`ssh -F none -i ${sshd.key} -o IdentitiesOnly=yes -o UserKnownHostsFile=${sshd.knownHosts} -p ${sshd.port} ${sshd.user}@127.0.0.1`);
    await typed('echo over-ssh-$SSH_CONNECTION | cut -c1-18; stty size');
    await expectShown('over-ssh-127.0.0.1');
    const cols = await view().getByTitle(/^\d+ × \d+$/).getAttribute('title');
    const [columns, rows] = (cols ?? '').split(' × ');
    await expectShown(`${rows} ${columns}`);
    await picture('ssh', 'over-ssh-127.0.0.1');
    await typed('exit');
    await expectShown(/Connection to 127\.0\.0\.1 closed/);
  });

  test('the agent drives a full-screen program by `process write`; the person watches, takes over, types, and hands back', async (context) => {
    if (!present('vim')) context.skip('vim is not installed');
    await say(app.page, `/tool terminal ${JSON.stringify({ command: 'vim -u NONE -N agent.txt', background: true, pty: true })}`);
    await list().getByRole('button').filter({ hasText: 'agent.txt' }).first().click();
    await expectShown(/^~/m);
    const id = await view().getAttribute('data-terminal');
    const write = (data: string) => say(app.page, `/tool process ${JSON.stringify({ action: 'write', session_id: id, data })}`);
    await write('iwritten by the agent\u001b');
    await expectShown('written by the agent');
    await view().getByText('Agent drives').waitFor();
    await view().getByText(/^agent typed/).waitFor();
    await picture('agent-vim', 'written by the agent');
    await view().getByRole('button', { name: 'Take over' }).click();
    await view().getByText('You drive').waitFor();
    await expect.poll(() => keys().evaluate((element) => element === document.activeElement)).toBe(true);
    await app.page.keyboard.type('oand by a person');
    await app.page.keyboard.press('Escape');
    await expectShown('and by a person');
    await view().getByText(/^you typed/).waitFor();
    await view().getByRole('button', { name: 'Hand back' }).click();
    await view().getByText('Agent drives').waitFor();
    /** What the model is told is folded away from the person: one sentence, no screen. */
    const notice = app.page.getByRole('note').filter({ hasText: 'has handed back the terminal' });
    await notice.waitFor(WAIT);
    expect(await notice.getByText('~').isVisible()).toBe(false);
    await write(':wq\r');
    await expect.poll(() => readFile(path('agent.txt'), 'utf8').catch(() => ''), WAIT).toBe('written by the agent\nand by a person\n');
  });
});
