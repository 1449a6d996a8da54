/** Discord through discord.js: its gateway for what comes in, its REST client for what goes out. What came while nobody listened is fetched at the start. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type * as Discord from 'discord.js';
import { z } from 'zod';
import { keepIncoming, type IncomingFile } from '../incoming-files.ts';
import { needed, neverConnected, PlatformError, type Platform, type PlatformEvents, type PlatformParts, type Target } from '../platform.ts';

const LIMIT = 2_000;
const MAX_DOWNLOAD_BYTES = 25 * 1024 * 1024;
const TOO_LARGE = 'Files of at most 25 MB are taken.';
const FILE_HOSTS = /(?:^|\.)(?:discord\.com|discordapp\.(?:com|net))$/;
const MISSED_MESSAGES = 100;
const BUTTONS_IN_A_ROW = 5;
const SEEN_KEY = 'gateway:discord:seen';
/** Discord's id of the moment in which this home listened last: what came before is for whoever listened then. */
const LISTENED_KEY = 'gateway:discord:listened';
/** Conversations that are asked for at a start; Discord minds a bot that opens many. */
const MOST_PEOPLE = 20;
const PERSON_ID = /^\d{5,20}$/;
/** A chat message, and a reply; everything else is the app's own. */
const SPOKEN_TYPES: ReadonlySet<number> = new Set([0, 19]);

const User = z.object({ id: z.string(), username: z.string(), global_name: z.string().nullish(), bot: z.boolean().optional() });
const RawMessage = z.object({
  id: z.string(), channel_id: z.string(), guild_id: z.string().optional(), type: z.number(), content: z.string(), author: User, mentions: z.array(z.object({ id: z.string() })).default([]),
  attachments: z.array(z.object({ id: z.string(), filename: z.string(), url: z.url(), size: z.number() })).default([]),
});
const Press = z.object({
  id: z.string(), token: z.string(), type: z.literal(3), channel_id: z.string(), data: z.object({ custom_id: z.string() }), user: User.optional(), member: z.object({ user: User }).optional(),
});
const Packet = z.object({ t: z.string().nullish(), d: z.unknown() });
const Seen = z.record(z.string(), z.object({ id: z.string(), guild: z.boolean() }));

/** First second of 2015: where Discord's ids begin to count, in ms. */
const SNOWFLAKE_EPOCH_MS = 1_420_070_400_000;
/** Our clock and Discord's may differ by so much. */
const CLOCKS_APART_MS = 120_000;
const idAt = (ms: number): string => String(BigInt(Math.max(0, ms - SNOWFLAKE_EPOCH_MS)) << 22n);
const Channel = z.object({ id: z.string() });
const Sent = z.object({ content: z.string(), author: z.object({ id: z.string() }), nonce: z.union([z.string(), z.number()]).nullish() });

/** Discord takes at most 25 characters. */
const nonceOf = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 25);
/** For some minutes Discord gives back the message that is there instead of making the same one again. */
const once = (key: string | undefined): object => (key === undefined ? {} : { nonce: nonceOf(key), enforce_nonce: true });
const sentKey = (channel: string): string => `gateway:discord:sent:${channel}`;
const channelOf = ({ chat, thread }: Target): string => (thread === '' ? chat : thread);

const nameOf = (user: z.infer<typeof User>): string => user.global_name ?? user.username;

export function createDiscord(parts: PlatformParts): Platform {
  const api = (parts.settings.value('api_root') ?? 'https://discord.com/api').replace(/\/+$/, '');
  let client: Discord.Client | undefined;
  let sending: Promise<{ rest: Discord.REST; library: typeof Discord }> | undefined;
  let own = '';
  /** One message after the other, in the order they came. */
  let line: Promise<void> = Promise.resolve();

  function library(): Promise<{ rest: Discord.REST; library: typeof Discord }> {
    const token = needed(parts, 'DISCORD_BOT_TOKEN');
    // It waits by itself for as long as Discord asks for.
    sending ??= import('discord.js').then((loaded) => ({ library: loaded, rest: new loaded.REST({ api, version: '10', timeout: 20_000, retries: 1 }).setToken(token) }));
    return sending;
  }

  function failure(error: unknown): PlatformError {
    if (error instanceof PlatformError) return error;
    const words = error instanceof Error ? error.message : String(error);
    const status = error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined;
    if (status === 401 || /invalid token/i.test(words)) return new PlatformError('Discord does not accept the token. Get it from discord.com/developers (Bot › Reset Token) and put it into DISCORD_BOT_TOKEN in the .env of the home.', undefined, { cause: error });
    if (/disallowed intents/i.test(words)) return new PlatformError('The bot may not read messages: switch on "Message Content Intent" at discord.com/developers (Bot).', undefined, { cause: error });
    if (status !== undefined && status < 500) return new PlatformError(`Discord refused: ${words}`, undefined, { cause: error });
    return new PlatformError(`Discord could not be reached: ${words}`, 5_000, { cause: error, unsure: !neverConnected(error) });
  }

  async function call<T>(work: (rest: Discord.REST, routes: typeof Discord.Routes) => Promise<T>): Promise<T> {
    try {
      const loaded = await library();
      return await work(loaded.rest, loaded.library.Routes);
    } catch (error) {
      throw failure(error);
    }
  }

  const seen = (): z.infer<typeof Seen> => Seen.parse(JSON.parse(parts.values.get(SEEN_KEY) ?? '{}'));

  function incoming({ id, filename, url, size }: z.infer<typeof RawMessage>['attachments'][number]): IncomingFile {
    return {
      id, name: filename,
      fetch: () => {
        // Files come from Discord alone, whatever address a message names.
        const { host } = new URL(url);
        if (!(host === new URL(api).host || FILE_HOSTS.test(host))) throw new PlatformError('Its address leads elsewhere than to Discord.');
        if (size > MAX_DOWNLOAD_BYTES) throw new PlatformError(TOO_LARGE);
        return fetch(url, { redirect: 'error', signal: AbortSignal.timeout(60_000) });
      },
    };
  }

  async function take(given: unknown, events: PlatformEvents, inGuild?: boolean): Promise<void> {
    const read = RawMessage.safeParse(given);
    if (!read.success || read.data.author.bot === true || !SPOKEN_TYPES.has(read.data.type)) return;
    const { id, channel_id: chat, author, mentions, content, attachments } = read.data;
    const guild = inGuild ?? read.data.guild_id !== undefined;
    // On a server only what names the bot is for it.
    if (guild && !mentions.some((each) => each.id === own)) return;
    const known = await events.isKnown(author.id);
    const words = content.replaceAll(new RegExp(`<@!?${own}>\\s*`, 'g'), '').trim();
    const { files, text } = await keepIncoming(known ? attachments.map((each) => incoming(each)) : [], words, parts, { bytes: MAX_DOWNLOAD_BYTES, words: TOO_LARGE });
    if (text !== '' || files.length > 0) {
      await events.message({ messageId: id, chat, thread: '', sender: { id: author.id, name: nameOf(author) }, direct: !guild, title: guild ? chat : nameOf(author), text, files });
    }
    if (known) parts.values.set(SEEN_KEY, JSON.stringify({ ...seen(), [chat]: { id, guild } }));
  }

  async function pressed(given: unknown, events: PlatformEvents): Promise<void> {
    const read = Press.safeParse(given);
    const user = read.data?.user ?? read.data?.member?.user;
    if (!read.success || user === undefined) return;
    const { id, token, channel_id: chat, data } = read.data;
    const content = await events.pressed({ chat, thread: '', data: data.custom_id, sender: { id: user.id, name: nameOf(user) } });
    const forThePresser = 64;
    await call((rest, routes) => rest.post(routes.interactionCallback(id, token), { body: { type: 4, data: { content, flags: forThePresser } }, auth: false }));
  }

  async function catchUp(events: PlatformEvents): Promise<void> {
    for (const [chat, { id, guild }] of Object.entries(seen())) await takeMissed(events, { chat, after: id, guild });
    await catchUpWithPeople(events);
  }

  /** Who may speak and has never written while we listened has a conversation that we know nothing of: what it holds since then was missed, too. */
  async function catchUpWithPeople(events: PlatformEvents): Promise<void> {
    const listened = parts.values.get(LISTENED_KEY);
    const now = idAt(parts.now());
    for (const person of listened === undefined ? [] : (await events.people()).filter((id) => PERSON_ID.test(id)).slice(0, MOST_PEOPLE)) {
      try {
        const { id: chat } = Channel.parse(await call((rest, routes) => rest.post(routes.userChannels(), { body: { recipient_id: person } })));
        if (seen()[chat] === undefined) await takeMissed(events, { chat, after: listened ?? now, guild: false });
      } catch (error) {
        if (error instanceof PlatformError && error.retryMs !== undefined) throw error;
        parts.log.warn('the conversation with somebody who may write could not be looked at', { person, error: error instanceof Error ? error.message : String(error) });
      }
    }
    parts.values.set(LISTENED_KEY, now);
  }

  async function takeMissed(events: PlatformEvents, { chat, after, guild }: { readonly chat: string; readonly after: string; readonly guild: boolean }): Promise<void> {
    const missed = z.array(z.unknown()).parse(await call((rest, routes) => rest.get(routes.channelMessages(chat), { query: new URLSearchParams({ after, limit: String(MISSED_MESSAGES) }) })));
    // Newest first, as Discord gives them.
    for (const message of missed.toReversed()) await take(message, events, guild);
  }

  async function post(to: Target, request: Discord.RequestData): Promise<string> {
    const { id } = z.object({ id: z.string() }).parse(await call((rest, routes) => rest.post(routes.channelMessages(channelOf(to)), request)));
    parts.values.set(sentKey(channelOf(to)), id);
    return id;
  }

  const ownId = async (): Promise<string> => z.object({ id: z.string() }).parse(await call((rest, routes) => rest.get(routes.user()))).id;

  return {
    name: 'discord',
    limit: LIMIT,
    async start(events) {
      const { library: { Client, Events, GatewayIntentBits, Partials } } = await library();
      own = await ownId();
      const made = new Client({
        intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages, GatewayIntentBits.MessageContent], partials: [Partials.Channel], rest: { api, version: '10' },
      });
      const inTurn = (work: () => Promise<void>): void => {
        line = line.then(work).catch((error: unknown) => { parts.log.warn('an event of Discord could not be taken in', { error: error instanceof Error ? error.message : String(error) }); });
      };
      made.on(Events.Raw, (given: unknown) => {
        const { t: kind, d: content } = Packet.parse(given);
        if (kind === 'MESSAGE_CREATE') inTurn(() => take(content, events));
        else if (kind === 'INTERACTION_CREATE') inTurn(() => pressed(content, events));
      });
      made.on(Events.Error, (error) => { parts.log.warn('Discord', { error: error.message }); });
      made.on(Events.ShardReconnecting, () => { events.status('retrying', 'The connection to Discord ended; it is made again.'); });
      for (const back of [Events.ShardResume, Events.ShardReady] as const) made.on(back, () => { events.status('connected'); inTurn(() => catchUp(events)); });
      made.on(Events.ShardDisconnect, ({ code }) => { events.status('failed', `Discord ended the connection (code ${String(code)}). Look at the bot at discord.com/developers, then start the app again.`); });
      client = made;
      try {
        await made.login(needed(parts, 'DISCORD_BOT_TOKEN'));
      } catch (error) {
        await made.destroy();
        throw failure(error);
      }
    },
    async stop() {
      await client?.destroy();
      client = undefined;
      await line;
    },
    async hasArrived(to, { key, text, since }) {
      const channel = channelOf(to);
      // What is younger than the last one we know of; else what our clock says, with room for its being wrong.
      const after = parts.values.get(sentKey(channel)) ?? idAt(since - CLOCKS_APART_MS);
      const found = z.array(Sent).parse(await call((rest, routes) => rest.get(routes.channelMessages(channel), { query: new URLSearchParams({ after, limit: String(MISSED_MESSAGES) }) })));
      if (own === '') own = await ownId();
      const arrived = found.some(({ author, content, nonce }) => author.id === own && (nonce === undefined || nonce === null ? content.trim() === text.trim() : String(nonce) === nonceOf(key)));
      // A page that is full may have begun too early to hold it.
      return arrived || (found.length < MISSED_MESSAGES ? false : undefined);
    },
    async sendText(to, text, { buttons = [], key } = {}) {
      const styles = new Map([['deny', 4], ['once', 3]]);
      const made = buttons.map(({ label, data }) => ({ type: 2, label, custom_id: data, style: styles.get(data.split(':')[0] ?? '') ?? 2 }));
      const components = Array.from({ length: Math.ceil(made.length / BUTTONS_IN_A_ROW) }, (_, row) => ({ type: 1, components: made.slice(row * BUTTONS_IN_A_ROW, (row + 1) * BUTTONS_IN_A_ROW) }));
      // Nobody but the people in the chat is called by what a model writes.
      return post(to, { body: { content: text, components, allowed_mentions: { parse: [] }, ...once(key) } });
    },
    async sendFile(to, { path }, { key } = {}) {
      const data = await readFile(path);
      return post(to, { body: { ...once(key) }, files: [{ name: basename(path), data }] });
    },
    async settle(to, messageId, text) {
      await call((rest, routes) => rest.patch(routes.channelMessage(channelOf(to), messageId), { body: { content: text.slice(0, LIMIT), components: [] } }));
    },
    async typing(to) {
      await call((rest, routes) => rest.post(routes.channelTyping(channelOf(to))));
    },
  };
}
