/** What a start does not pay for: the SDKs of messengers are loaded when one is used. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

const HOST = new URL('../../../main/host.ts', import.meta.url).href;
let home: string | undefined;
afterEach(async () => { if (home !== undefined) await rm(home, { recursive: true, force: true }); });

/** Packages of SDKs that a process has loaded once the host is there, with these variables. */
async function loaded(env: Readonly<Record<string, string>>): Promise<string[]> {
  home = await mkdtemp(join(tmpdir(), 'talaria-lazy-'));
  const script = `
    import Module from 'node:module';
    const { createHost } = await import(${JSON.stringify(HOST)});
    const host = await createHost({ home: ${JSON.stringify(home)}, cwd: ${JSON.stringify(home)}, shell: { name: 'test', openExternal: async () => {}, notify: () => {}, secrets: { get: async () => undefined, set: async () => {}, warning: undefined } } });
    await host.handle('gateway.state', {}, { via: 'test', client: 'x' });
    const packages = new Set(Object.keys(Module._cache).map((path) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(path)?.[1]));
    console.log(JSON.stringify(['grammy', 'discord.js', '@slack/bolt', 'imapflow', 'nodemailer', 'postal-mime', 'better-sqlite3'].filter((name) => packages.has(name))));
    await host.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env: { PATH: process.env['PATH'], HOME: home, ...env } });
  return JSON.parse(stdout) as string[];
}

test('a host with every messenger set up and none in use has loaded none of their SDKs', async () => {
  expect(await loaded({ TELEGRAM_BOT_TOKEN: 'x', DISCORD_BOT_TOKEN: 'x', SLACK_BOT_TOKEN: 'x', SLACK_APP_TOKEN: 'x', EMAIL_ADDRESS: 'a@b', EMAIL_PASSWORD: 'x', EMAIL_IMAP_HOST: 'b', EMAIL_SMTP_HOST: 'b', WEBHOOK_SECRET: 'x' })).toEqual(['better-sqlite3']);
}, 120_000);
