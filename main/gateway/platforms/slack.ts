/**
 * Slack in socket mode, through Bolt. An event is confirmed after its message is on disk; what is not confirmed Slack delivers again, a few times: direct
 * messages that came while nobody listened for longer are fetched at the start.
 */
import { basename } from 'node:path';
import type * as Bolt from '@slack/bolt';
import { z } from 'zod';
import { keepIncoming, type IncomingFile } from '../incoming-files.ts';
import { needed, neverConnected, PlatformError, type Platform, type PlatformEvents, type PlatformParts, type Target } from '../platform.ts';

/** Of a section block, less room for what is around it. */
const LIMIT = 2_900;
const MAX_DOWNLOAD_BYTES = 50 * 1024 * 1024;
const TOO_LARGE = 'Files of at most 50 MB are taken.';

const File = z.object({ id: z.string(), name: z.string().nullish(), url_private_download: z.string().optional(), size: z.number().optional() });
const MessageEvent = z.object({
  subtype: z.string().optional(), bot_id: z.string().optional(), user: z.string(), channel: z.string(), channel_type: z.string().optional(), text: z.string().default(''), ts: z.string(),
  thread_ts: z.string().optional(), files: z.array(File).default([]),
});
const ButtonAction = z.object({ user: z.object({ id: z.string() }), channel: z.object({ id: z.string() }), message: z.object({ ts: z.string(), thread_ts: z.string().optional() }), actions: z.array(z.object({ value: z.string() })).min(1) });

/** Messages that are looked through for one that may be there. */
const LOOKED_AT = 200;
/** Our clock and Slack's may differ by so much. */
const CLOCKS_APART_MS = 120_000;
const sentKey = ({ chat, thread }: Target): string => `gateway:slack:sent:${chat}:${thread}`;
const SEEN_KEY = 'gateway:slack:seen';
/** Stamp of the last direct message of each channel. */
const Seen = z.record(z.string(), z.string());
const Payload = z.object({ key: z.string() });

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const plain = (text: string): string => text.replaceAll(/<@[A-Z0-9]+>\s*/g, '').replaceAll(/<(https?:[^|>]+)(?:\|[^>]*)?>/g, '$1').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();

export function createSlack(parts: PlatformParts): Platform {
  const apiUrl = `${(parts.settings.value('api_root') ?? 'https://slack.com/api').replace(/\/+$/, '')}/`;
  const names = new Map<string, string>();
  let app: Bolt.App | undefined;
  let sending: Promise<Bolt.webApi.WebClient> | undefined;

  /** Bolt writes to the console otherwise. */
  const loggerOf = (level: Bolt.LogLevel): Bolt.Logger => ({
    debug: () => undefined, info: () => undefined, setLevel: () => undefined, setName: () => undefined, getLevel: () => level,
    warn: (...words: unknown[]) => { parts.log.warn('Slack', { words: words.map(String).join(' ') }); }, error: (...words: unknown[]) => { parts.log.warn('Slack', { words: words.map(String).join(' ') }); },
  });

  function client(): Promise<Bolt.webApi.WebClient> {
    sending ??= import('@slack/bolt').then(({ webApi, LogLevel }) => new webApi.WebClient(needed(parts, 'SLACK_BOT_TOKEN'), { slackApiUrl: apiUrl, logger: loggerOf(LogLevel.ERROR), retryConfig: { retries: 0 }, rejectRateLimitedCalls: true }));
    return sending;
  }

  function failure(error: unknown): PlatformError {
    if (error instanceof PlatformError) return error;
    const words = error instanceof Error ? error.message : String(error);
    if (error instanceof Error && 'retryAfter' in error && typeof error.retryAfter === 'number') return new PlatformError(`Slack asks for fewer messages; it takes them again in ${String(error.retryAfter)} s.`, error.retryAfter * 1_000, { cause: error });
    if (/invalid_auth|not_authed|token_revoked|account_inactive|not_allowed_token_type/.test(words)) {
      return new PlatformError('Slack does not accept the tokens. SLACK_BOT_TOKEN (xoxb-…) and SLACK_APP_TOKEN (xapp-…, with connections:write) come from the pages of the app at api.slack.com/apps.', undefined, { cause: error });
    }
    if (/missing_scope/.test(words)) return new PlatformError(`The Slack app lacks a permission: ${words}. Add it and install the app again.`, undefined, { cause: error });
    const isRefusal = error instanceof Error && 'code' in error && error.code === 'slack_webapi_platform_error';
    return new PlatformError(isRefusal ? `Slack refused: ${words}` : `Slack could not be reached: ${words}`, isRefusal ? undefined : 5_000, { cause: error, unsure: !isRefusal && !neverConnected(error) });
  }

  async function call<T>(work: (web: Bolt.webApi.WebClient) => Promise<T>): Promise<T> {
    try {
      return await work(await client());
    } catch (error) {
      throw failure(error);
    }
  }

  async function nameOf(user: string): Promise<string> {
    const known = names.get(user);
    if (known !== undefined) return known;
    try {
      const { user: found } = await call((web) => web.users.info({ user }));
      const name = found?.real_name ?? found?.name ?? user;
      names.set(user, name);
      return name;
    } catch (error) {
      parts.log.warn('the name of somebody on Slack is not told', { error: error instanceof Error ? error.message : String(error) });
      return user;
    }
  }

  function incoming({ id, name, url_private_download: url, size }: z.infer<typeof File>): IncomingFile {
    return {
      id, name: name ?? 'file',
      fetch: () => {
        // The token goes to Slack alone, whatever address an event names.
        const host = url === undefined ? '' : new URL(url).host;
        if (url === undefined || !(host === new URL(apiUrl).host || /(?:^|\.)slack\.com$/.test(host))) throw new PlatformError('Its address leads elsewhere than to Slack.');
        if ((size ?? 0) > MAX_DOWNLOAD_BYTES) throw new PlatformError(TOO_LARGE);
        return fetch(url, { headers: { authorization: `Bearer ${needed(parts, 'SLACK_BOT_TOKEN')}` }, redirect: 'error', signal: AbortSignal.timeout(60_000) });
      },
    };
  }

  async function take(given: unknown, events: PlatformEvents, isMention: boolean): Promise<void> {
    const read = MessageEvent.safeParse(given);
    if (!read.success || read.data.bot_id !== undefined || (read.data.subtype !== undefined && read.data.subtype !== 'file_share')) return;
    const { user, channel, channel_type: type, text, ts, thread_ts: thread, files } = read.data;
    const direct = type === 'im';
    // In a channel only what names the agent is for it; that comes as an event of its own.
    if (!direct && !isMention) return;
    const known = await events.isKnown(user);
    const name = known || direct ? await nameOf(user) : user;
    const kept = await keepIncoming(known ? files.map((file) => incoming(file)) : [], plain(text), parts, { bytes: MAX_DOWNLOAD_BYTES, words: TOO_LARGE });
    await events.message({
      messageId: `${channel}:${ts}`, chat: channel, thread: thread ?? (direct ? '' : ts), sender: { id: user, name }, direct, title: direct ? name : channel, text: kept.text, files: kept.files,
    });
    const before = seen();
    if (known && direct && Number(before[channel] ?? 0) < Number(ts)) parts.values.set(SEEN_KEY, JSON.stringify({ ...before, [channel]: ts }));
  }

  const seen = (): z.infer<typeof Seen> => Seen.parse(JSON.parse(parts.values.get(SEEN_KEY) ?? '{}'));

  async function catchUp(events: PlatformEvents): Promise<void> {
    for (const [channel, oldest] of Object.entries(seen())) {
      const { messages = [] } = await call((web) => web.conversations.history({ channel, oldest, limit: LOOKED_AT }));
      // Newest first, as Slack gives them.
      for (const message of messages.toReversed()) await take({ ...message, channel, channel_type: 'im' }, events, false);
    }
  }

  async function pressed(given: unknown, events: PlatformEvents): Promise<void> {
    const read = ButtonAction.safeParse(given);
    const [action] = read.data?.actions ?? [];
    if (!read.success || action === undefined) return;
    const { user, channel, message } = read.data;
    const thread = message.thread_ts ?? '';
    const answer = await events.pressed({ chat: channel.id, thread, data: action.value, sender: { id: user.id, name: await nameOf(user.id) } });
    await call((web) => web.chat.postEphemeral({ channel: channel.id, user: user.id, text: answer, ...(thread !== '' && { thread_ts: thread }) }));
  }

  const inThread = ({ thread }: Target): { thread_ts?: string } => (thread === '' ? {} : { thread_ts: thread });

  return {
    name: 'slack',
    limit: LIMIT,
    async start(events) {
      const { App, LogLevel, SocketModeReceiver } = await import('@slack/bolt');
      const logger = loggerOf(LogLevel.ERROR);
      const receiver = new SocketModeReceiver({ appToken: needed(parts, 'SLACK_APP_TOKEN'), logger, installerOptions: { clientOptions: { slackApiUrl: apiUrl } } });
      const made = new App({ token: needed(parts, 'SLACK_BOT_TOKEN'), receiver, logger, clientOptions: { slackApiUrl: apiUrl, retryConfig: { retries: 0 } }, deferInitialization: true, processBeforeResponse: true });
      made.event('message', ({ event }) => take(event, events, false));
      made.event('app_mention', ({ event }) => take(event, events, true));
      made.action(/^approval_/, async ({ ack, body }) => {
        await ack();
        await pressed(body, events);
      });
      made.error((error) => { parts.log.warn('an event of Slack could not be taken in', { error: error.message }); return Promise.resolve(); });
      receiver.client.on('connected', () => {
        events.status('connected');
        catchUp(events).catch((error: unknown) => { parts.log.warn('what came on Slack while nobody listened could not be fetched', { error: error instanceof Error ? error.message : String(error) }); });
      });
      receiver.client.on('reconnecting', () => { events.status('retrying', 'The connection to Slack ended; it is made again.'); });
      try {
        await call((web) => web.auth.test());
        await made.init();
        await made.start();
        app = made;
      } catch (error) {
        await made.stop().catch(() => undefined); // it may not have begun at all
        throw failure(error);
      }
    },
    async stop() {
      await app?.stop();
      app = undefined;
    },
    async hasArrived(to, { key, since }) {
      // What is younger than the last one we know of; else what our clock says, with room for its being wrong.
      const oldest = parts.values.get(sentKey(to)) ?? String((since - CLOCKS_APART_MS) / 1_000);
      try {
        const wanted = { channel: to.chat, oldest, limit: LOOKED_AT, include_all_metadata: true };
        const { messages = [] } = await call(async (web): Promise<{ messages?: { metadata?: { event_payload?: unknown } }[] }> => (to.thread === '' ? web.conversations.history(wanted) : web.conversations.replies({ ...wanted, ts: to.thread })));
        const found = messages.some(({ metadata }) => Payload.safeParse(metadata?.event_payload).data?.key === key);
        return found || (messages.length < LOOKED_AT ? false : undefined);
      } catch (error) {
        // The app was given no right to read there: then nobody can tell.
        if (error instanceof PlatformError && error.retryMs === undefined) return undefined;
        throw error;
      }
    },
    async sendText(to, text, { buttons = [], key } = {}) {
      const blocks = buttons.length === 0 ? {} : { blocks: [
        { type: 'section', text: { type: 'plain_text', text, emoji: false } },
        { type: 'actions', elements: buttons.map(({ label, data }, at) => ({ type: 'button', action_id: `approval_${String(at)}`, text: { type: 'plain_text', text: label }, value: data })) },
      ] };
      const sent = await call((web) => web.chat.postMessage({ channel: to.chat, text: escaped(text), unfurl_links: false, ...inThread(to), ...blocks, ...(key !== undefined && { metadata: { event_type: 'talaria_message', event_payload: { key } } }) }));
      parts.values.set(sentKey(to), sent.ts);
      return sent.ts ?? '';
    },
    async sendFile(to, { path }) {
      const target = to.thread === '' ? { channel_id: to.chat } : { channel_id: to.chat, thread_ts: to.thread };
      await call((web) => web.filesUploadV2({ ...target, file: path, filename: basename(path) }));
      return '';
    },
    async settle(to, messageId, text) {
      await call((web) => web.chat.update({ channel: to.chat, ts: messageId, text: escaped(text), blocks: [] }));
    },
  };
}
