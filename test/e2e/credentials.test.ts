import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFaults, describeInChromium, startApp, takePictures, type App } from '../support/browser.ts';
import { newChat, say } from '../support/deeds.ts';
import { haveSshd, startSshd, type TestSshd } from '../support/sshd.ts';

const PASSPHRASE = 'e2e-canary-passphrase';

describe.skipIf(!await haveSshd())('what only a person may type', () => {
  describeInChromium('in the window', () => {
    let sshd: TestSshd;
    let app: App;
    beforeAll(async () => {
      sshd = await startSshd();
      await promisify(execFile)('ssh-keygen', ['-q', '-p', '-P', '', '-N', PASSPHRASE, '-f', sshd.key]);
      app = await startApp({ model: true, env: {
        TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: sshd.user, TERMINAL_SSH_PORT: String(sshd.port), TERMINAL_SSH_KEY: sshd.key, TERMINAL_CWD: sshd.folder, SSH_AUTH_SOCK: '',
      } });
    });
    afterAll(async () => {
      await app.close();
      await sshd.close();
    });

    test('a new server is agreed to by its fingerprint, a passphrase is typed unseen, and asked for again after a wrong one', async () => {
      const { page } = app;
      await newChat(page);
      await say(page, '!echo reached "$SSH_CONNECTION" | cut -c1-7');
      const server = page.getByRole('form', { name: /^First connection to/ });
      await server.waitFor();
      expect(await server.innerText()).toMatch(/ssh-ed25519 SHA256:/);
      expect(await accessibilityFaults(page)).toEqual([]);
      await takePictures(page, 'credential-server');
      await server.getByRole('button', { name: 'The key is right: connect' }).click();

      const passphrase = page.getByRole('form', { name: /^Passphrase for the key/ });
      const field = passphrase.getByLabel(/^Passphrase for/);
      await field.waitFor();
      expect(await field.getAttribute('type')).toBe('password');
      await field.fill('not it');
      await field.press('Enter');
      await passphrase.getByText('That passphrase does not open the key.').waitFor();
      expect(await field.inputValue()).toBe('');
      expect(await accessibilityFaults(page)).toEqual([]);
      await takePictures(page, 'credential-passphrase');
      await field.fill(PASSPHRASE);
      await field.press('Enter');
      await page.getByText('reached', { exact: true }).first().waitFor();
      await expect.poll(() => passphrase.count()).toBe(0);
      expect(await page.locator('body').innerText()).not.toContain(PASSPHRASE);
      expect(app.errors).toEqual([]);
    });
  });
});
