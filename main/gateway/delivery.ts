/**
 * What goes out: each finished message of a messenger's chat is put into the outbox in one transaction with the note that it is there, and leaves it
 * when the messenger has it. A piece is marked before it is sent: after a death in between it is looked for, sent again under the same key, or, where
 * a messenger has neither, told to be in doubt (`once.ts`).
 */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Message } from '../../preload/contract/sessions.ts';
import type { HomePaths } from '../../tools/context.ts';
import type { Clock, Log, Storage } from '../ports.ts';
import type { OutboxEntry } from '../storage/gateway.ts';
import { fileRefusal } from './files.ts';
import { sendPiece, unsureWords, type Piece } from './once.ts';
import { PlatformError, type Button, type OutgoingFile, type Platform } from './platform.ts';
import { splitText, takeFiles } from './text.ts';

const LAST_MESSAGES = 300;
const RETRY_UNKNOWN_MS = 30_000;
const NOTICES_SENT: ReadonlySet<string> = new Set(['notice/stopped', 'notice/budget', 'notice/schedule', 'notice/command', 'notice/length']);

export interface DeliveryParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly paths: HomePaths;
  readonly storage: Pick<Storage, 'gateway' | 'messages' | 'schedules' | 'transaction'>;
  readonly redact: (text: string) => string;
  /** The messenger, when it can send now. */
  platform(name: Platform['name']): Platform | undefined;
}

export interface Delivery {
  /** Puts what the chat has new into the outbox, and sends it. */
  finished(sessionId: SessionId): void;
  /** Words of the app itself for that conversation. */
  say(to: Pick<OutboxEntry, 'platform' | 'chat' | 'thread'>, text: string, buttons?: readonly Button[]): void;
  /** Sends what waits. */
  flush(): void;
  /** Resolves when what could be sent is sent. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

function wordsOf(message: Message): string | undefined {
  if (message.state === 'queued' || message.state === 'streaming') return undefined;
  // Half of an answer that the process died over: the turn is gone on with, and writes it anew.
  if (message.role === 'assistant' && message.error?.code === 'notice/restart') return undefined;
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
      const triedAt = at === entry.sentParts ? entry.tryingAt : null;
      if (triedAt === null) storage.gateway.partTrying(entry.id, clock.now());
      const options = { key: `${entry.key}-${String(at)}`, buttons: at === pieces.length - 1 ? entry.buttons : undefined };
      try {
        const { kind } = await sendPiece(platform, entry, piece, options, triedAt);
        if (kind === 'unsure') await platform.sendText(entry, unsureWords(piece), { key: `${options.key}-unsure` });
      } catch (error) {
        const known = error instanceof PlatformError ? error : new PlatformError(error instanceof Error ? error.message : String(error), RETRY_UNKNOWN_MS, { cause: error, unsure: true });
        log.warn('a message could not be sent through its messenger', { platform: entry.platform, retryMs: known.retryMs, unsure: known.unsure, error: parts.redact(known.message) });
        if (triedAt === null && !known.unsure) storage.gateway.partTrying(entry.id, null);
        if (known.retryMs === undefined && entry.runId !== null) storage.schedules.updateRun(entry.runId, { deliveryError: parts.redact(`${entry.platform}: ${known.message}`) });
        if (known.retryMs === undefined && 'text' in piece) return true;
        if (known.retryMs !== undefined) {
          hold(entry.platform, known.retryMs);
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
    say(to, text, buttons) {
      storage.gateway.putOut({ platform: to.platform, chat: to.chat, thread: to.thread }, text, clock.now(), { buttons });
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
