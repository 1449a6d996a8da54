/**
 * E-mail: IMAP in (ImapFlow), SMTP out (Nodemailer). A thread of letters is a conversation. The sender in a letter is easily forged, so it counts only
 * where the own mail server says that it is real (`Authentication-Results`).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ImapFlow } from 'imapflow';
import type { Email } from 'postal-mime';
import { isVouchedFor } from '../vouching.ts';
import { needed, pause, PlatformError, type Incoming, type OutgoingFile, type Platform, type PlatformEvents, type PlatformParts, type Target } from '../platform.ts';

const LIMIT = 100_000;
const MAX_LETTER_BYTES = 25 * 1024 * 1024;
const POLL_S = 60;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 120_000;
const CONNECT_MS = 15_000;
const PLACE_KEY = 'gateway:email:place';

interface Thread { readonly subject: string; readonly last: string }

/** Answers of machines are never answered: two of them would not stop. */
function isAutomatic(mail: Email): boolean {
  const header = (name: string): string => mail.headers.find(({ key }) => key === name)?.value.toLowerCase() ?? '';
  const submitted = header('auto-submitted');
  return (submitted !== '' && submitted !== 'no') || /^(?:bulk|list|junk)$/.test(header('precedence')) || header('list-id') !== '' || header('x-auto-response-suppress') !== '';
}

/** What was written now, without the quoted letter below. */
function ownWords(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const quote = lines.findIndex((line, at) => line.startsWith('>') || /^-{2,}\s*Original Message/i.test(line) || (/(?:wrote|schrieb|écrit|escribió)\s?.*:\s*$/i.test(line) && lines.slice(at + 1, at + 3).some((next) => next.startsWith('>'))));
  return (quote < 0 ? lines : lines.slice(0, quote)).join('\n').trim();
}

export function createEmail(parts: PlatformParts): Platform {
  const address = (): string => needed(parts, 'EMAIL_ADDRESS').toLowerCase();
  const isLoopback = (host: string): boolean => /^(?:localhost|127\.|::1$)/.test(host);
  let stopping = new AbortController();
  let reading: Promise<void> = Promise.resolve();

  const threadKey = ({ chat, thread }: Target): string => `gateway:email:thread:${chat}:${thread}`;

  async function connect(): Promise<ImapFlow> {
    const host = needed(parts, 'EMAIL_IMAP_HOST');
    const port = Number(parts.settings.value('imap_port', 'EMAIL_IMAP_PORT') ?? 993);
    const { ImapFlow: Client } = await import('imapflow');
    const secure = port === 993;
    const client = new Client({
      host, port, secure, ...(!secure && !isLoopback(host) && { doSTARTTLS: true }), auth: { user: needed(parts, 'EMAIL_ADDRESS'), pass: needed(parts, 'EMAIL_PASSWORD') },
      logger: false, connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: (POLL_S + 60) * 1_000,
    });
    // Without a listener an error would end the process; what waits for the connection is told by itself.
    client.on('error', (error: Error) => { parts.log.warn('the connection to the mailbox failed', { error: error.message }); });
    try {
      await client.connect();
      return client;
    } catch (cause) {
      client.close();
      if (cause instanceof Error && 'authenticationFailed' in cause && cause.authenticationFailed === true) {
        throw new PlatformError(`${host} does not accept EMAIL_ADDRESS and EMAIL_PASSWORD. Many services want an app password there.`, undefined, { cause });
      }
      throw new PlatformError(`The mailbox at ${host}:${String(port)} could not be reached: ${cause instanceof Error ? cause.message : String(cause)}`, FIRST_RETRY_MS, { cause });
    }
  }

  async function keep(mail: Email): Promise<string[]> {
    const paths: string[] = [];
    for (const [at, { filename, content }] of mail.attachments.entries()) {
      await mkdir(parts.inbox, { recursive: true, mode: 0o700 });
      const path = join(parts.inbox, `${String(parts.now())}-${String(at)}-${basename(filename ?? 'file').replaceAll(/[^\w.-]/g, '_').slice(-80)}`);
      await writeFile(path, typeof content === 'string' ? content : new Uint8Array(content), { mode: 0o600 });
      paths.push(path);
    }
    return paths;
  }

  async function take(source: Buffer, uid: number, events: PlatformEvents): Promise<void> {
    const { default: PostalMime } = await import('postal-mime');
    const mail = await PostalMime.parse(source);
    const from = mail.from?.address?.toLowerCase() ?? '';
    // Two senders: the server may have looked at the one, and we at the other.
    const isOneSender = mail.headers.filter(({ key }) => key === 'from').length === 1 && mail.from?.address !== undefined;
    if (!isOneSender || from === '' || from === address() || isAutomatic(mail)) return;
    const reports = mail.headers.filter(({ key }) => key === 'authentication-results').map(({ value }) => value);
    if (parts.settings.value('require_authentication') !== 'false' && !isVouchedFor({ reports, from, serverId: parts.settings.value('authserv_id'), hosts: [needed(parts, 'EMAIL_IMAP_HOST'), address().split('@').at(-1) ?? ''].map((host) => host.toLowerCase()) })) {
      parts.log.warn('a letter was left aside: the mail server does not vouch for its sender (gateway.email.authserv_id names the server, where it has another domain than the mailbox)', { from, reports: reports.map((report) => report.slice(0, 200)).slice(0, 3) });
      return;
    }
    const messageId = mail.messageId ?? `<uid-${String(uid)}>`;
    const thread = mail.references?.split(/\s+/).find((each) => each !== '') ?? mail.inReplyTo ?? messageId;
    const subject = mail.subject ?? '';
    const place = { chat: from, thread };
    const known = await events.isKnown(from);
    if (known) parts.values.set(threadKey(place), JSON.stringify({ subject, last: messageId } satisfies Thread));
    const words = ownWords(mail.text ?? '');
    const isFirst = thread === messageId;
    const message: Incoming = {
      ...place, messageId, sender: { id: from, name: mail.from?.name === undefined || mail.from.name === '' ? from : mail.from.name }, direct: true, title: subject === '' ? from : subject,
      text: isFirst && subject !== '' && !/^[/!]/.test(words) && known ? `${subject}\n\n${words}`.trim() : words, files: known ? await keep(mail) : [],
    };
    if (message.text !== '' || message.files.length > 0) await events.message(message);
  }

  /** New letters, oldest first. Where the last one lies is noted after it is taken in; before the first look only what comes later counts. */
  async function look(client: ImapFlow, events: PlatformEvents): Promise<void> {
    const box = client.mailbox;
    if (box === false) throw new PlatformError('The inbox is not open.', FIRST_RETRY_MS);
    const validity = String(box.uidValidity);
    const [knownValidity, knownUid] = (parts.values.get(PLACE_KEY) ?? '').split(':');
    if (knownValidity !== validity) {
      parts.values.set(PLACE_KEY, `${validity}:${String(box.uidNext - 1)}`);
      return;
    }
    const from = Number(knownUid) + 1;
    for (const { uid, size } of await client.fetchAll(`${String(from)}:*`, { uid: true, size: true }, { uid: true })) {
      if (uid < from) continue; // `*` is the last letter there is, also when it is an old one
      if ((size ?? 0) <= MAX_LETTER_BYTES) {
        const letter = await client.fetchOne(String(uid), { source: true }, { uid: true });
        if (letter !== false && letter.source !== undefined) await take(letter.source, uid, events);
      } else {
        parts.log.warn('a letter is too large and was left aside', { uid, size });
      }
      parts.values.set(PLACE_KEY, `${validity}:${String(uid)}`);
    }
  }

  async function follow(first: ImapFlow, events: PlatformEvents, signal: AbortSignal): Promise<void> {
    const every = Number(parts.settings.value('poll_seconds') ?? POLL_S) * 1_000;
    let client: ImapFlow | undefined = first;
    let wait = FIRST_RETRY_MS;
    for (;;) {
      try {
        if (client === undefined) {
          client = await connect();
          await client.mailboxOpen('INBOX');
          events.status('connected', address());
        }
        await look(client, events);
        wait = FIRST_RETRY_MS;
        await news(client, every, signal);
        await client.noop();
      } catch (error) {
        client?.close();
        client = undefined;
        if (signal.aborted) return;
        const known = error instanceof PlatformError ? error : new PlatformError(error instanceof Error ? error.message : String(error), FIRST_RETRY_MS);
        events.status(known.retryMs === undefined ? 'failed' : 'retrying', known.message);
        if (known.retryMs === undefined) return;
        const stopped = await pause(wait, signal).then(() => false, () => true);
        if (stopped) return;
        wait = Math.min(wait * 2, LAST_RETRY_MS);
      }
    }
  }

  /** Resolves when a letter came or the time is over; rejects when the connection ended or nobody wants to know any more. */
  async function news(client: ImapFlow, ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = (): void => { woken.abort(); };
    client.once('exists', wake);
    client.once('close', wake);
    try {
      await pause(ms, AbortSignal.any([signal, woken.signal])).catch(() => undefined); // why it ended is asked below
      signal.throwIfAborted();
      if (!client.usable) throw new PlatformError('The connection to the mailbox ended.', FIRST_RETRY_MS);
    } finally {
      client.off('exists', wake);
      client.off('close', wake);
    }
  }

  async function send(to: Target, text: string, files: readonly OutgoingFile[], key: string | undefined): Promise<string> {
    const host = needed(parts, 'EMAIL_SMTP_HOST');
    const port = Number(parts.settings.value('smtp_port', 'EMAIL_SMTP_PORT') ?? 587);
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      host, port, secure: port === 465, requireTLS: port !== 465 && !isLoopback(host), auth: { user: needed(parts, 'EMAIL_ADDRESS'), pass: needed(parts, 'EMAIL_PASSWORD') },
      connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: 60_000,
      // A path in a message is looked at by us alone; nothing else of a message may make the library read a file or an address.
      disableUrlAccess: true,
    });
    const stored = parts.values.get(threadKey(to));
    const thread = stored === undefined ? undefined : JSON.parse(stored) as Thread; // written by take
    const subject = thread === undefined ? text.split('\n')[0]?.slice(0, 78) || 'Message' : /^re:/i.test(thread.subject) ? thread.subject : `Re: ${thread.subject}`;
    try {
      const sent = await transport.sendMail({
        from: address(), to: to.chat, subject, text, ...(key !== undefined && { messageId: `<${key}@${address().split('@').at(-1) ?? 'localhost'}>` }), headers: { 'Auto-Submitted': 'auto-replied' },
        attachments: files.map(({ path }) => ({ path, filename: basename(path) })),
        ...(thread !== undefined && { inReplyTo: thread.last, references: [to.thread, thread.last] }),
      });
      return sent.messageId;
    } catch (cause) {
      const code = cause instanceof Error && 'responseCode' in cause ? Number(cause.responseCode) : undefined;
      if (cause instanceof Error && 'code' in cause && cause.code === 'EAUTH') throw new PlatformError(`${host} does not accept EMAIL_ADDRESS and EMAIL_PASSWORD.`, undefined, { cause });
      const words = `The letter was not taken by ${host}:${String(port)}: ${cause instanceof Error ? cause.message : String(cause)}`;
      throw new PlatformError(words, code !== undefined && code >= 500 ? undefined : 30_000, { cause });
    } finally {
      transport.close();
    }
  }

  return {
    name: 'email',
    limit: LIMIT,
    // A letter has one Message-ID however often it comes: mailboxes show it once, or as the same letter.
    keyed: true,
    async start(events) {
      stopping = new AbortController();
      const client = await connect();
      await client.mailboxOpen('INBOX');
      events.status('connected', address());
      reading = follow(client, events, stopping.signal);
    },
    async stop() {
      stopping.abort();
      await reading;
    },
    sendText: (to, text, options) => send(to, text, [], options?.key),
    sendFile: (to, file, options) => send(to, `Attached: ${basename(file.path)}`, [file], options?.key),
  };
}
