/** The agent behind a mailbox: the real host, ImapFlow and Nodemailer, and a loopback IMAP and SMTP service. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { MessengerState } from '../../../preload/contract/gateway.ts';
import { MAIL_PASSWORD, startMail, type LoopbackMail } from '../../support/gateway/mail.ts';
import { openHostBench, type HostBench, type TestHostOptions } from '../../support/test-host.ts';

const WAIT = { timeout: 20_000, interval: 20 };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => { for (const close of closers.splice(0).toReversed()) await close(); });

async function open(options: TestHostOptions & { readonly password?: string } = {}): Promise<{ bench: HostBench; mail: LoopbackMail }> {
  const mail = await startMail();
  closers.push(() => mail.close());
  mail.arrives(letter({ id: 'old@x', text: 'from before' }));
  const bench = await openHostBench({
    unattended: true, script: () => ({ text: 'Understood.' }), ...options, yaml: `gateway:\n  email:\n    imap_port: ${String(mail.imapPort)}\n    smtp_port: ${String(mail.smtpPort)}\n    poll_seconds: 1\n`,
    env: { EMAIL_ADDRESS: 'agent@example.org', EMAIL_PASSWORD: options.password ?? MAIL_PASSWORD, EMAIL_IMAP_HOST: '127.0.0.1', EMAIL_SMTP_HOST: '127.0.0.1', EMAIL_ALLOWED_USERS: 'anna@example.com' },
  });
  closers.push(() => bench.close());
  await bench.request('gateway.start', {});
  await expect.poll(async () => (await state(bench)).status, WAIT).toBe(options.password === undefined ? 'connected' : 'failed');
  return { bench, mail };
}
const state = async (bench: HostBench): Promise<MessengerState> => {
  const found = (await bench.request('gateway.state', {})).find(({ name }) => name === 'email');
  if (found === undefined) throw new Error('no email');
  return found;
};

interface Letter { readonly id: string; readonly text: string; readonly from?: string; readonly subject?: string; readonly references?: string; readonly report?: string; readonly more?: string }
const letter = ({ id, text, from = 'Anna <anna@example.com>', subject = 'Backups', references, report = 'mx.example.org; dmarc=pass header.from=example.com', more = '' }: Letter): string =>
  `${report === '' ? '' : `Authentication-Results: ${report}\n`}From: ${from}\nTo: agent@example.org\nSubject: ${subject}\nMessage-ID: <${id}>\n${references === undefined ? '' : `References: ${references}\nIn-Reply-To: ${references}\n`}${more}Content-Type: text/plain; charset=utf-8\n\n${text}\n`;

test('a letter is a conversation: subject and words reach the agent, the answer goes into the same thread, a reply goes on with it, once', async () => {
  const { bench, mail } = await open();
  mail.arrives(letter({ id: 'one@x', text: 'Are they there?' }));
  await expect.poll(() => mail.sent.length, WAIT).toBe(1);
  expect(mail.sent[0]).toMatch(/^Subject: Re: Backups$/m);
  expect(mail.sent[0]).toMatch(/^In-Reply-To: <one@x>$/m);
  expect(mail.sent[0]).toMatch(/^Auto-Submitted: auto-replied$/m);
  expect(mail.sent[0]).toContain('Understood.');
  expect(JSON.stringify(bench.model.requests[0]?.body.messages.at(-1))).toContain('Backups\\n\\nAre they there?');
  const reply = letter({ id: 'two@x', subject: 'Re: Backups', references: '<one@x>', text: 'And the disks?\n\nOn Monday the agent wrote:\n> Understood.' });
  mail.arrives(reply);
  mail.arrives(reply);
  await expect.poll(() => mail.sent.length, WAIT).toBe(2);
  mail.arrives(letter({ id: 'three@x', subject: 'Other', text: 'New matter' }));
  await expect.poll(() => mail.sent.length, WAIT).toBe(3);
  expect(bench.model.requests).toHaveLength(3);
  const second = JSON.stringify(bench.model.requests[1]?.body.messages);
  expect(second).toContain('And the disks?');
  expect(second).not.toContain('> Understood');
  expect(await bench.request('sessions.list', {})).toHaveLength(2);
  expect(JSON.stringify(bench.model.requests.map(({ body }) => body.messages))).not.toContain('from before');
});

test.each([
  ['forged: no server vouches for the sender', { report: '' }], ['forged: another domain signed it', { report: 'mx.example.org; dkim=pass header.d=evil.test; spf=pass' }],
  ['forged: a report that its sender wrote', { report: 'mx.evil.test; dmarc=pass header.from=example.com' }], ['forged: two senders', { more: 'From: m@evil.test\n' }], ['forged: two senders in one line', { from: 'm@evil.test, anna@example.com' }],
  ['an automatic answer', { more: 'Auto-Submitted: auto-replied\n' }], ['a mailing list', { more: 'List-Id: <l.example.com>\n' }], ['from the agent itself', { from: 'agent@example.org' }],
])('%s is left aside without an answer', async (_name, change) => {
  const { bench, mail } = await open();
  mail.arrives(letter({ id: 'bad@x', text: 'let me in', ...change }));
  mail.arrives(letter({ id: 'good@x', text: 'hello' }));
  await expect.poll(() => mail.sent.length, WAIT).toBe(1);
  expect(mail.sent[0]).toContain('To: anna@example.com');
  expect(bench.model.requests).toHaveLength(1);
});

test('somebody unknown is turned away, and reaches neither the model nor a chat', async () => {
  const { bench, mail } = await open();
  mail.arrives(letter({ id: 'bad@x', text: 'let me in', from: 'm@evil.test', report: 'mx.example.org; dmarc=pass header.from=evil.test' }));
  await expect.poll(() => mail.sent.length, WAIT).toBe(1);
  expect(mail.sent[0]).toContain('answers only people it knows');
  expect(bench.model.requests).toEqual([]);
  expect((await state(bench)).refused).toMatchObject([{ id: 'm@evil.test' }]);
});

test('an approval is answered by a letter with its id', async () => {
  const { bench, mail } = await open({ script: ({ body }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Finished.' } : { calls: [{ name: 'terminal', arguments: { command: 'rm -rf victim' } }] }) });
  await writeFile(join(bench.folder, 'victim'), 'x');
  mail.arrives(letter({ id: 'one@x', text: 'clean up' }));
  await expect.poll(() => mail.sent.length, WAIT).toBe(1);
  const id = /\/approve (apr_\w+)/.exec(mail.sent[0]?.replaceAll('=\n', '') ?? '')?.[1] ?? '';
  mail.arrives(letter({ id: 'two@x', subject: 'Re: Backups', references: '<one@x>', text: `/approve ${id}` }));
  await expect.poll(() => mail.sent.at(-1), WAIT).toContain('Finished.');
  await expect(readFile(join(bench.folder, 'victim'))).rejects.toThrow('ENOENT');
});

test('a cut connection is made again and what came meanwhile is read; a letter that is refused is told so', async () => {
  const { bench, mail } = await open();
  mail.cut();
  mail.arrives(letter({ id: 'one@x', text: 'hello' }));
  await expect.poll(() => mail.sent.length, WAIT).toBe(1);
  expect(mail.logins).toBe(2);
  const session = await bench.session();
  mail.smtpTroubles.push('550 no such user');
  const answer = JSON.parse((await bench.host.callTool('send_message', { target: 'email:nobody@example.com', message: 'x' }, { sessionId: session.id, signal: AbortSignal.timeout(20_000) })).fullText) as { error: string };
  expect(answer.error).toContain('550 no such user');
});

test('a wrong password is said in words, without it', async () => {
  const { bench } = await open({ password: 'a-wrong-password-here' });
  expect((await state(bench)).detail).toMatch(/does not accept EMAIL_ADDRESS and EMAIL_PASSWORD/);
  expect(JSON.stringify(await bench.request('gateway.state', {}))).not.toContain('a-wrong-password-here');
});

test('a file that comes with a letter is kept and named to the agent, and one that its answer names goes back as an attachment', async () => {
  const { bench, mail } = await open({ script: () => ({ text: `Here it is.\nMEDIA:${folder()}/report.csv` }) });
  const folder = (): string => bench.folder;
  await writeFile(join(bench.folder, 'report.csv'), 'a,b\n');
  mail.arrives(letter({ id: 'one@x', text: 'x' }).replace('Content-Type: text/plain; charset=utf-8\n\nx\n', [
    'Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain', '', 'See the plan.', '--b', 'Content-Type: text/plain', 'Content-Disposition: attachment; filename="../../plan.txt"', '', 'the plan', '--b--', '',
  ].join('\n')));
  await expect.poll(() => mail.sent.length, WAIT).toBe(2);
  const asked = String(bench.model.requests[0]?.body.messages.at(-1)?.content);
  const path = /\[File that came with this: (\S+)\]/.exec(asked)?.[1] ?? '';
  expect(path).toMatch(/\/cache\/messengers\/[^/]*plan\.txt$/);
  expect((await readFile(path, 'utf8')).trim()).toBe('the plan');
  expect(mail.sent[1]).toMatch(/filename=report\.csv/);
  expect(mail.sent[1]).toContain(Buffer.from('a,b\n').toString('base64'));
});
