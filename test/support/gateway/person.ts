/** Anna, talking to the agent through any of the messengers: each over its loopback service, as far as tests of all of them need it. */
import { createServer, type AddressInfo } from 'node:net';
import type { PlatformName } from '../../../preload/contract/gateway.ts';
import { ANNA, startDiscord, TOKEN as DISCORD_TOKEN } from './discord.ts';
import { MAIL_PASSWORD, startMail } from './mail.ts';
import { APP_TOKEN, BOT_TOKEN, startSlack } from './slack.ts';
import { startTelegram, TOKEN as TELEGRAM_TOKEN } from './telegram.ts';
import { postUntilTaken, startWebhookReceiver, WEBHOOK_SECRET } from './webhook.ts';

export interface Person {
  /** Lines under `gateway:` in config.yaml, and variables. */
  readonly yaml: string;
  readonly env: Readonly<Record<string, string>>;
  /** Also heard when nobody listens now, as soon as somebody does. */
  says(text: string): void;
  /** What the messenger shows to her, in order: a message that comes twice under one key is one. */
  reads(): string[];
  /** What is under the last message that has buttons, by label; null = the messenger has none. */
  buttons(): Map<string, string> | null;
  presses(data: string): void;
  /** The next `count` messages of the agent are taken and never answered. */
  hang(count: number): void;
  close(): Promise<void>;
}

/** Quoted-printable text of a letter, without its headers. */
function letterText(raw: string): string {
  const [, ...body] = raw.split('\n\n');
  const bytes = body.join('\n\n').replaceAll('=\n', '').replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').trim();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => { server.close(resolve); });
  return port;
}

async function onTelegram(): Promise<Person> {
  const telegram = await startTelegram();
  return {
    yaml: `  telegram:\n    api_root: ${telegram.url}\n    poll_seconds: 1\n`, env: { TELEGRAM_BOT_TOKEN: TELEGRAM_TOKEN, TELEGRAM_ALLOWED_USERS: '42' },
    says: (text) => { telegram.says(text); }, reads: () => telegram.texts(), buttons: () => telegram.buttons(), presses: (data) => { telegram.presses(data); },
    hang: (count) => { telegram.hangs = count; }, close: () => telegram.close(),
  };
}

async function onDiscord(): Promise<Person> {
  const discord = await startDiscord();
  return {
    yaml: `  discord:\n    api_root: ${discord.url}/api\n`, env: { DISCORD_BOT_TOKEN: DISCORD_TOKEN, DISCORD_ALLOWED_USERS: ANNA.id },
    says: (text) => { discord.says(text); }, reads: () => discord.texts(), presses: (data) => { discord.presses(data); },
    buttons() {
      const rows = discord.calls.findLast(({ body }) => Array.isArray(body['components']) && body['components'].length > 0)?.body['components'] as readonly { components: readonly { label: string; custom_id: string }[] }[] | undefined;
      return new Map((rows ?? []).flatMap(({ components }) => components).map(({ label, custom_id: data }) => [label, data]));
    },
    hang(count) {
      discord.forgetNonces();
      discord.hangs = count;
    },
    close: () => discord.close(),
  };
}

async function onSlack(): Promise<Person> {
  const slack = await startSlack();
  let stamp = 1;
  return {
    yaml: `  slack:\n    api_root: ${slack.url}/api\n`, env: { SLACK_BOT_TOKEN: BOT_TOKEN, SLACK_APP_TOKEN: APP_TOKEN, SLACK_ALLOWED_USERS: 'UANNA' },
    says(text) {
      stamp += 1;
      slack.event({ type: 'message', channel: 'DANNA', channel_type: 'im', user: 'UANNA', text, ts: `${String(stamp)}.1` });
    },
    reads: () => slack.texts(), presses: (data) => { slack.presses(data, 'UANNA', { ts: '1.1' }); },
    buttons() {
      const blocks = slack.calls.findLast(({ method, body }) => method === 'chat.postMessage' && body['blocks'] !== undefined)?.body['blocks'];
      const elements = blocks === undefined ? [] : (JSON.parse(blocks) as { elements?: { text: { text: string }; value: string }[] }[]).flatMap((block) => block.elements ?? []);
      return new Map(elements.map(({ text, value }) => [text.text, value]));
    },
    hang: (count) => { slack.hangs = count; }, close: () => slack.close(),
  };
}

async function onEmail(): Promise<Person> {
  const mail = await startMail();
  let letters = 0;
  return {
    yaml: `  email:\n    imap_port: ${String(mail.imapPort)}\n    smtp_port: ${String(mail.smtpPort)}\n    poll_seconds: 1\n`,
    env: { EMAIL_ADDRESS: 'agent@example.org', EMAIL_PASSWORD: MAIL_PASSWORD, EMAIL_IMAP_HOST: '127.0.0.1', EMAIL_SMTP_HOST: '127.0.0.1', EMAIL_ALLOWED_USERS: 'anna@example.com' },
    says(text) {
      letters += 1;
      const thread = letters === 1 ? '' : 'References: <letter-1@x>\nIn-Reply-To: <letter-1@x>\n';
      mail.arrives(`Authentication-Results: mx.example.org; dmarc=pass header.from=example.com\nFrom: Anna <anna@example.com>\nTo: agent@example.org\nSubject: ${letters === 1 ? '' : 'Re: '}\nMessage-ID: <letter-${String(letters)}@x>\n${thread}Content-Type: text/plain; charset=utf-8\n\n${text}\n`);
    },
    reads: () => [...new Map(mail.sent.map((raw) => [/^Message-ID: (.+)$/im.exec(raw)?.[1], letterText(raw)])).values()],
    buttons: () => null, presses: () => undefined,
    hang: (count) => { mail.hangs = count; }, close: () => mail.close(),
  };
}

async function onWebhook(): Promise<Person> {
  const receiver = await startWebhookReceiver();
  const port = await freePort();
  let posts = 0;
  let closed = false;
  const posting: Promise<void>[] = [];
  return {
    yaml: `  webhook:\n    port: ${String(port)}\n    reply_url: ${receiver.url}\n`, env: { WEBHOOK_SECRET },
    says(text) {
      posts += 1;
      posting.push(postUntilTaken(`http://127.0.0.1:${String(port)}/webhook`, `msg_${String(posts)}`, text, () => closed));
    },
    reads: () => [...new Map(receiver.replies.map(({ id, text }) => [id, text])).values()],
    buttons: () => null, presses: () => undefined,
    hang: (count) => { receiver.hangs = count; },
    async close() {
      closed = true;
      await Promise.all(posting);
      await receiver.close();
    },
  };
}

export const PEOPLE: Readonly<Record<PlatformName, () => Promise<Person>>> = { telegram: onTelegram, discord: onDiscord, slack: onSlack, email: onEmail, webhook: onWebhook };
