/** Telegram's Bot API by long polling, through grammY's client. An update is confirmed by the next poll, after its message is on disk. */
import { extname } from 'node:path';
import type * as Grammy from 'grammy';
import type { Api } from 'grammy';
import type { Message, Update } from 'grammy/types';
import { keepIncoming, type IncomingFile } from '../incoming-files.ts';
import { needed, neverConnected, pause, PlatformError, type Platform, type PlatformEvents, type PlatformParts, type Target } from '../platform.ts';

/** The Bot API's limit for one message. */
const LIMIT = 4_096;
/** getFile serves no more. */
const MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024;
const POLL_S = 25;
/** On top of the poll, at most: a connection that is dead without a word is given up after that. */
const SILENCE_S = 15;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
const CONFLICT_RETRY_MS = 30_000;

type GetUpdatesSignal = Parameters<Api['getUpdates']>[1];

export function createTelegram(parts: PlatformParts): Platform {
  const apiRoot = (parts.settings.value('api_root') ?? 'https://api.telegram.org').replace(/\/+$/, '');
  const pollSeconds = Number(parts.settings.value('poll_seconds') ?? POLL_S);
  let loaded: Promise<{ api: Api; grammy: typeof Grammy }> | undefined;
  let stopping = new AbortController();
  let polling: Promise<void> = Promise.resolve();

  function client(): Promise<{ api: Api; grammy: typeof Grammy }> {
    const token = needed(parts, 'TELEGRAM_BOT_TOKEN');
    loaded ??= import('grammy').then((grammy) => ({ grammy, api: new grammy.Api(token, { apiRoot, timeoutSeconds: pollSeconds + Math.min(SILENCE_S, 2 * pollSeconds) }) }));
    return loaded;
  }

  /** What the SDK threw, in words with a next step and whether another try makes sense. */
  async function failure(error: unknown): Promise<PlatformError> {
    const { GrammyError, HttpError } = (await client()).grammy;
    if (error instanceof PlatformError) return error;
    if (error instanceof GrammyError) {
      const code = error.error_code;
      const asked = error.parameters.retry_after;
      if (code === 429) return new PlatformError(`Telegram asks for fewer messages; it takes them again in ${String(asked ?? 5)} s.`, (asked ?? 5) * 1_000, { cause: error });
      if (code === 401 || (code === 404 && error.method === 'getMe')) return new PlatformError('Telegram does not accept the token. Get the right one from @BotFather and put it into TELEGRAM_BOT_TOKEN in the .env of the home.', undefined, { cause: error });
      if (code === 409) return new PlatformError('Another program reads the messages of this bot. End it, or use another bot for it.', CONFLICT_RETRY_MS, { cause: error });
      if (code >= 500) return new PlatformError(`Telegram has trouble: ${error.description}`, 5_000, { cause: error });
      return new PlatformError(`Telegram refused: ${error.description}`, undefined, { cause: error });
    }
    if (error instanceof HttpError) return new PlatformError(`Telegram could not be reached at ${apiRoot}. Check the network.`, 5_000, { cause: error, unsure: !neverConnected(error) });
    return new PlatformError(error instanceof Error ? error.message : String(error), undefined, { cause: error });
  }

  async function call<T>(work: (api: Api) => Promise<T>): Promise<T> {
    try {
      return await work((await client()).api);
    } catch (error) {
      throw await failure(error);
    }
  }

  const targetOptions = ({ thread }: Target): { message_thread_id?: number } => (thread === '' ? {} : { message_thread_id: Number(thread) });

  function incomingOf(message: Message): IncomingFile[] {
    const found = message.document ?? message.voice ?? message.audio ?? message.video ?? message.photo?.at(-1);
    if (found === undefined) return [];
    const name = ('file_name' in found ? found.file_name : undefined) ?? (message.photo !== undefined ? 'photo.jpg' : message.voice !== undefined ? 'voice.ogg' : 'file');
    return [{
      id: found.file_unique_id, name,
      fetch: async () => {
        const file = await call((api) => api.getFile(found.file_id));
        return fetch(`${apiRoot}/file/bot${needed(parts, 'TELEGRAM_BOT_TOKEN')}/${file.file_path ?? ''}`, { redirect: 'error', signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(60_000)]) });
      },
    }];
  }

  async function take(update: Update, events: PlatformEvents, username: string): Promise<void> {
    const pressed = update.callback_query;
    if (pressed !== undefined) {
      if (pressed.message === undefined || pressed.data === undefined) return;
      const { message } = pressed;
      const answer = await events.pressed({ chat: String(message.chat.id), thread: threadOf(message), data: pressed.data, sender: { id: String(pressed.from.id), name: nameOf(pressed.from) } });
      // The answer to a press is worth little later: a failure to give it stops nothing.
      await call((api) => api.answerCallbackQuery(pressed.id, { text: answer.slice(0, 200) })).catch((error: unknown) => { parts.log.warn('a press of a button could not be answered', { error: error instanceof Error ? error.message : String(error) }); });
      return;
    }
    const { message } = update;
    if (message?.from === undefined || message.from.is_bot) return;
    const known = await events.isKnown(String(message.from.id));
    const words = (message.text ?? message.caption ?? '').replace(new RegExp(`^(/\\w+)@${username}\\b`, 'i'), '$1');
    const { files, text } = await keepIncoming(known ? incomingOf(message) : [], words, parts, { bytes: MAX_DOWNLOAD_BYTES, words: "Telegram's bots get at most 20 MB." });
    if (text === '' && files.length === 0) return;
    await events.message({
      messageId: `${String(message.chat.id)}:${String(message.message_id)}`, chat: String(message.chat.id), thread: threadOf(message), sender: { id: String(message.from.id), name: nameOf(message.from) },
      direct: message.chat.type === 'private', title: message.chat.type === 'private' ? nameOf(message.from) : message.chat.title, text, files,
    });
  }

  async function poll(events: PlatformEvents, username: string, signal: AbortSignal): Promise<void> {
    let offset = 0;
    let wait = FIRST_RETRY_MS;
    for (;;) {
      try {
        const { api } = await client();
        const updates = await api.getUpdates({ offset, timeout: pollSeconds, allowed_updates: ['message', 'callback_query'] }, signal as GetUpdatesSignal); // grammY's own type of the same thing
        for (const update of updates) {
          await take(update, events, username);
          offset = update.update_id + 1;
        }
        if (wait !== FIRST_RETRY_MS) events.status('connected', `@${username}`);
        wait = FIRST_RETRY_MS;
      } catch (error) {
        if (signal.aborted) return;
        const known = await failure(error);
        const isRefusal = known.retryMs === undefined && known.cause instanceof (await client()).grammy.GrammyError;
        events.status(isRefusal ? 'failed' : 'retrying', known.message);
        if (isRefusal) return;
        const stopped = await pause(Math.max(wait, known.retryMs ?? 0), signal).then(() => false, () => true);
        if (stopped) return;
        wait = Math.min(wait * 2, LAST_RETRY_MS);
      }
    }
  }

  return {
    name: 'telegram',
    limit: LIMIT,
    async start(events) {
      stopping = new AbortController();
      const me = await call((api) => api.getMe());
      await call((api) => api.deleteWebhook());
      events.status('connected', `@${me.username}`);
      polling = poll(events, me.username, stopping.signal);
    },
    async stop() {
      stopping.abort();
      await polling;
    },
    async sendText(to, text, { buttons = [] } = {}) {
      const keyboard = buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: buttons.map(({ label, data }) => [{ text: label, callback_data: data }]) } };
      const sent = await call((api) => api.sendMessage(to.chat, text, { ...targetOptions(to), ...keyboard, link_preview_options: { is_disabled: true } }));
      return String(sent.message_id);
    },
    async sendFile(to, { path, asDocument }) {
      const { InputFile } = (await client()).grammy;
      const file = new InputFile(path);
      const options = targetOptions(to);
      const kind = asDocument ? '' : extname(path).toLowerCase();
      const sent = await call(async (api) => {
        if (['.jpg', '.jpeg', '.png', '.webp'].includes(kind)) return api.sendPhoto(to.chat, file, options);
        if (kind === '.ogg' || kind === '.opus') return api.sendVoice(to.chat, file, options);
        if (kind === '.mp3' || kind === '.m4a') return api.sendAudio(to.chat, file, options);
        if (kind === '.mp4') return api.sendVideo(to.chat, file, options);
        return api.sendDocument(to.chat, file, options);
      });
      return String(sent.message_id);
    },
    async settle(to, messageId, text) {
      await call((api) => api.editMessageText(to.chat, Number(messageId), text.slice(0, LIMIT)));
    },
    async typing(to) {
      await call((api) => api.sendChatAction(to.chat, 'typing', targetOptions(to)));
    },
  };
}

const nameOf = (user: { readonly first_name: string; readonly last_name?: string; readonly username?: string }): string =>
  [user.first_name, user.last_name].filter((part) => part !== undefined && part !== '').join(' ') || user.username || 'somebody';

/** A message that the bot may not read any more has no topic either. */
function threadOf(message: { readonly is_topic_message?: boolean | undefined; readonly message_thread_id?: number | undefined } | { readonly date: 0 }): string {
  return 'is_topic_message' in message && message.message_thread_id !== undefined ? String(message.message_thread_id) : '';
}
