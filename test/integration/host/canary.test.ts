/** Secrets are put through the whole host by every way there is; afterwards they may stand nowhere: not on disk, not in what was sent or told. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TerminalId } from '../../../preload/contract/index.ts';
import { canMakeAccounts, makeAccount, type TestAccount } from '../../support/account.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';
import { haveSudo } from '../../support/sudo.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

const run = promisify(execFile);
const PASSPHRASE = 'canary-passphrase-5c1e';
const TYPED = 'canary-typed-into-a-program-77';
const API_KEY = 'canary0of0an0api0key';
const DOT_ENV_KEY = 'canary0of0the0dotenv0file';
const PROVIDER_KEY = 'canary0of0the0provider0key';

/** Every file below a folder that holds one of the words, and which. */
async function holding(folder: string, words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path);
    for (const word of words) if (text.includes(word)) found.push(`${relative(folder, path)}: ${word}`);
  }
  return found;
}

describe.skipIf(!await haveSshd() || !canMakeAccounts() || !await haveSudo())('canary secrets', () => {
  let account: TestAccount;
  let sshd: TestSshd;
  let rule: string;
  let secrets: string[];
  beforeAll(async () => {
    account = await makeAccount();
    rule = `/etc/sudoers.d/${account.name}`;
    await writeFile(rule, `Defaults:${account.name} !fqdn\n${account.name} ALL=(ALL) ALL\n`, { mode: 0o440 });
    await writeFile(join(account.home, 'leak.txt'), `${account.password}\n`);
    await chmod(join(account.home, 'leak.txt'), 0o644);
    // Both are wanted: a key with a passphrase, then the password.
    sshd = await startSshd({ config: ['UsePAM yes', 'PasswordAuthentication yes', 'AuthenticationMethods publickey,password'], home: account.home });
    secrets = [account.password, PASSPHRASE, TYPED, API_KEY, DOT_ENV_KEY, PROVIDER_KEY];
  });
  afterAll(async () => {
    await rm(rule, { force: true });
    await sshd.close();
    await account.remove();
  });

  async function openHost(): Promise<HostBench> {
    const key = join(sshd.folder, 'locked');
    await copyFile(sshd.key, key);
    await chmod(key, 0o600);
    await run('ssh-keygen', ['-q', '-p', '-P', '', '-N', PASSPHRASE, '-f', key]);
    return openHostBench({
      yaml: 'approvals:\n  mode: "off"\n',
      env: {
        TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: account.name, TERMINAL_SSH_PORT: String(sshd.port), TERMINAL_SSH_KEY: key, OPENAI_API_KEY: API_KEY, MY_OWN_TOKEN: API_KEY,
      },
      script: [
        { calls: [{ name: 'terminal', arguments: { command: 'sudo -k; sudo id -un; env; cat leak.txt copy.env' } }] },
        { calls: [{ name: 'terminal', arguments: { command: 'yes "$(cat leak.txt)" | head -20000; exit 3' } }] },
        { calls: [{ name: 'read_file', arguments: { path: 'leak.txt' } }] },
        { calls: [{ name: 'terminal', arguments: { command: 'printf "Password: "; read -rs x; echo; echo "got ${#x} characters"; sleep 0.2', pty: true } }] }, // eslint-disable-line no-template-curly-in-string -- the shell expands it
        { text: 'Done.' },
      ],
    });
  }

  test('none of them is found after they went through ssh, sudo, programs, output, the model and a restart', async () => {
    const bench = await openHost();
    const events: unknown[] = [];
    const asked: string[] = [];
    const typedInto = new Set<TerminalId>();
    const follow = (): void => {
      for (const topic of ['chat', 'sessions', 'approvals', 'credentials', 'terminals', 'settings'] as const) bench.host.events.subscribe(topic, (event) => events.push(event));
      bench.host.events.subscribe('credentials', (event) => {
        if (event.type !== 'asked') return;
        asked.push(event.request.purpose);
        const answers = { 'ssh-host-key': 'yes', 'ssh-passphrase': PASSPHRASE, 'ssh-password': account.password, 'ssh-question': account.password, sudo: account.password };
        void bench.request('credentials.answer', { id: event.request.id, value: answers[event.request.purpose] });
      });
      // A program that reads with echo off is answered in the terminal, as a person would.
      bench.host.events.subscribe('terminals', (event) => {
        if (event.type !== 'changed' || !event.terminal.secretInput || typedInto.has(event.terminal.id)) return;
        typedInto.add(event.terminal.id);
        void bench.request('terminals.write', { id: event.terminal.id, data: `${TYPED}\r` });
      });
    };
    await writeFile(join(bench.home, '.env'), `MY_SERVICE_TOKEN=${DOT_ENV_KEY}\n`);
    await writeFile(join(account.home, 'copy.env'), `${DOT_ENV_KEY}\n`);
    await bench.restart();
    follow();
    try {
      await bench.request('models.save', { baseUrl: bench.model.baseUrl, model: 'scripted-model', key: PROVIDER_KEY });
      const session = await bench.session();
      await bench.say(session.id, 'Do what the script says');
      const calls = (await bench.messages(session.id)).flatMap((message) => message.calls);
      // It all really happened.
      expect(asked).toEqual(['ssh-host-key', 'ssh-passphrase', 'ssh-password', 'sudo']);
      expect(calls.map(({ name, state }) => [name, state])).toEqual([['terminal', 'done'], ['terminal', 'done'], ['read_file', 'done'], ['terminal', 'done']]);
      expect(calls[0]?.result).toContain('root\\n');
      expect(calls[0]?.result).toContain('***');
      expect(calls[1]?.result).toContain('full_output_path');
      expect(typedInto.size).toBe(1);
      await expect.poll(async () => (await bench.request('terminals.list', {})).every(({ state }) => state !== 'running'), { timeout: 10_000 }).toBe(true);
      const shown = await Promise.all((await bench.request('terminals.list', {})).map(async ({ id }) => (await bench.request('terminals.text', { id })).text));
      expect(shown.join('\n')).toContain(`got ${TYPED.length} characters`);

      const exported = await bench.request('approvals.export', { format: 'json' });
      const found = await bench.request('sessions.search', { query: 'canary' });
      await bench.restart();
      const opened = await bench.request('sessions.open', { sessionId: session.id });
      const told = JSON.stringify([events, shown, exported, found, opened, bench.notes, bench.model.requests.map(({ body }) => body), await bench.request('settings.get', {}), await bench.request('models.current', {})]);
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
      await bench.host.close();
      expect(await holding(bench.home, secrets)).toEqual([`.env: ${DOT_ENV_KEY}`]);
      expect((await holding(account.home, secrets)).sort()).toEqual([`copy.env: ${DOT_ENV_KEY}`, `leak.txt: ${account.password}`]);
    } finally {
      await bench.close();
    }
  });
});
