/**
 * What goes out: each finished message of a messenger's chat is put into the outbox in one transaction with the note that it is there, and leaves it
 * when the messenger has it. A death in between loses nothing; only a piece that was on its way at that very moment can come twice.
 */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Message } from '../../preload/contract/sessions.ts';
import type { HomePaths } from '../../tools/context.ts';
import type { Clock, Log, Storage } from '../ports.ts';
import type { OutboxEntry } from '../storage/gateway.ts';
import { fileRefusal } from './files.ts';
import { PlatformError, type OutgoingFile, type Platform } from './platform.ts';
import { splitText, takeFiles } from './text.ts';

const LAST_MESSAGES = 300;
const RETRY_UNKNOWN_MS = 30_000;
const NOTICES_SENT: ReadonlySet<string> = new Set(['notice/stopped', 'notice/budget', 'notice/schedule', 'notice/command', 'notice/length']);

export interface DeliveryParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly paths: HomePaths;
  readonly storage: Pick<Storage, 'gateway' | 'messages' | 'transaction'>;
  readonly redact: (text: string) => string;
  /** The messenger, when it can send now. */
  platform(name: Platform['name']): Platform | undefined;
}

export interface Delivery {
  /** Puts what the chat has new into the outbox, and sends it. */
  finished(sessionId: SessionId): void;
  /** Words of the app itself for that conversation. */
  say(to: Pick<OutboxEntry, 'platform' | 'chat' | 'thread'>, text: string): void;
  /** Sends what waits. */
  flush(): void;
  /** Resolves when what could be sent is sent. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

type Piece = { readonly text: string } | { readonly file: OutgoingFile };

function wordsOf(message: Message): string | undefined {
  if (message.state === 'queued' || message.state === 'streaming') return undefined;
  if (message.role === 'assistant') return message.text.trim() === '' ? undefined : message.text;
  if (message.role !== 'notice' || message.error === null) return undefined;
  if (message.state === 'error') return `⚠️ ${message.error.message}${message.error.hint === undefined ? '' : `\n${message.error.hint}`}`;
  return NOTICES_SENT.has(message.error.code) ? message.text : undefined;
}

export function createDelivery(parts: DeliveryParts): Delivery {
  const { clock, log, storage } = parts;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;
  const held = new Set<string>();
  const timers = new Set<() => void>();

  async function piecesOf(entry: OutboxEntry, limit: number): Promise<Piece[]> {
    const { text, files } = takeFiles(entry.text);
    const refusals: string[] = [];
    const sendable: OutgoingFile[] = [];
    for (const file of files) {
      const refusal = await fileRefusal(file.path, parts.paths);
      if (refusal === undefined) sendable.push(file);
      else refusals.push(`(Not sent: ${refusal}.)`);
    }
    const words = [text, ...refusals].filter((each) => each !== '').join('\n\n');
    return [...splitText(words, limit).map((piece) => ({ text: piece })), ...sendable.map((file) => ({ file }))];
  }

  /** True when it is done with, sent or given up. */
  async function send(entry: OutboxEntry, platform: Platform): Promise<boolean> {
    const pieces = await piecesOf(entry, platform.limit);
    for (const [at, piece] of pieces.entries()) {
      if (at < entry.sentParts) continue;
      try {
        if ('text' in piece) await platform.sendText(entry, piece.text);
        else await platform.sendFile(entry, piece.file);
      } catch (error) {
        const retryMs = error instanceof PlatformError ? error.retryMs : RETRY_UNKNOWN_MS;
        log.warn('a message could not be sent through its messenger', { platform: entry.platform, retryMs, error: parts.redact(error instanceof Error ? error.message : String(error)) });
        if (retryMs === undefined && 'text' in piece) return true;
        if (retryMs !== undefined) {
          hold(entry.platform, retryMs);
          return false;
        }
      }
      storage.gateway.partSent(entry.id, at + 1);
    }
    return true;
  }

  function hold(platform: string, ms: number): void {
    held.add(platform);
    const cancel = clock.after(ms, () => { timers.delete(cancel); held.delete(platform); flush(); });
    timers.add(cancel);
  }

  async function sendAll(): Promise<void> {
    for (const entry of storage.gateway.outbox()) {
      const platform = parts.platform(entry.platform);
      if (closed) return;
      // The order within a messenger stays: nothing overtakes what waits.
      if (platform === undefined || held.has(entry.platform)) continue;
      if (await send(entry, platform)) storage.gateway.sent(entry.id);
    }
  }

  function flush(): void {
    if (closed) return;
    if (running !== undefined) {
      again = true;
      return;
    }
    running = sendAll().catch((error: unknown) => log.error('the outbox of the messengers could not be sent', { error })).finally(() => {
      running = undefined;
      if (!again) return;
      again = false;
      flush();
    });
  }

  return {
    flush,
    finished(sessionId) {
      const chat = storage.gateway.chatOf(sessionId);
      if (chat === undefined) return;
      storage.transaction(() => {
        const fresh = storage.messages.page(sessionId, { limit: LAST_MESSAGES }).messages.filter(({ seq, state }) => seq > chat.deliveredSeq && state !== 'queued');
        for (const message of fresh) {
          const words = wordsOf(message);
          if (words !== undefined) storage.gateway.putOut(chat, words, clock.now());
        }
        const last = fresh.at(-1);
        if (last !== undefined) storage.gateway.delivered(sessionId, last.seq);
      });
      flush();
    },
    say(to, text) {
      storage.gateway.putOut({ platform: to.platform, chat: to.chat, thread: to.thread }, text, clock.now());
      flush();
    },
    async idle() { while (running !== undefined) await running; },
    async close() {
      closed = true;
      for (const cancel of timers) cancel();
      await running;
    },
  };
}
