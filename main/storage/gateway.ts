/** Messengers on disk: which chat belongs to which conversation, what came in once, and what is still to be sent. */
import type { Database } from 'better-sqlite3';
import { SessionId } from '../../preload/contract/ids.ts';
import { PlatformName } from '../../preload/contract/gateway.ts';

export interface ChatPlace { readonly platform: PlatformName; readonly chat: string; readonly thread: string }
export interface GatewayChat extends ChatPlace { readonly title: string; readonly sessionId: SessionId; readonly deliveredSeq: number }
export interface OutboxButton { readonly label: string; readonly data: string }
export interface OutboxEntry extends ChatPlace {
  readonly id: number;
  /** Tells this message from all others of all homes. */
  readonly key: string;
  readonly text: string;
  readonly buttons: readonly OutboxButton[];
  /** The scheduled run whose result it is. */
  readonly runId: number | null;
  readonly sentParts: number;
  /** The part behind `sentParts` is on its way since then, and nobody knows whether it arrived; null = it surely did not. */
  readonly tryingAt: number | null;
}

export interface GatewayStore {
  chat(place: ChatPlace): GatewayChat | undefined;
  chatOf(sessionId: SessionId): GatewayChat | undefined;
  chats(): GatewayChat[];
  putChat(chat: GatewayChat): void;
  delivered(sessionId: SessionId, seq: number): void;
  /** False when a message of that id was taken in before. Durable when it returns. */
  takeIn(platform: PlatformName, messageId: string, message: string, at: number): boolean;
  handled(platform: PlatformName, messageId: string): void;
  /** Taken in and not handled, oldest first. */
  open(): { readonly platform: PlatformName; readonly messageId: string; readonly message: string }[];
  /** Forgets handled messages from before. */
  forgetBefore(at: number): void;
  putOut(place: ChatPlace, text: string, at: number, more?: { readonly buttons?: readonly OutboxButton[] | undefined; readonly runId?: number | undefined }): void;
  /** Oldest first. */
  outbox(): OutboxEntry[];
  /** Before a part is handed to the messenger, and with null when it surely did not arrive. Durable when it returns. */
  partTrying(id: number, at: number | null): void;
  partSent(id: number, parts: number): void;
  sent(id: number): void;
}

interface ChatRow { readonly platform: string; readonly chat: string; readonly thread: string; readonly title: string; readonly session_id: string; readonly delivered_seq: number }
interface OutRow {
  readonly id: number; readonly platform: string; readonly chat: string; readonly thread: string; readonly text: string; readonly sent_parts: number;
  readonly key: string; readonly trying_at: number | null; readonly buttons: string | null; readonly run_id: number | null;
}

export function gatewayStore(database: Database): GatewayStore {
  const one = database.prepare<[string, string, string], ChatRow>('SELECT * FROM gateway_chats WHERE platform = ? AND chat = ? AND thread = ?');
  const bySession = database.prepare<[string], ChatRow>('SELECT * FROM gateway_chats WHERE session_id = ?');
  const all = database.prepare<[], ChatRow>('SELECT * FROM gateway_chats ORDER BY rowid');
  const put = database.prepare(`INSERT INTO gateway_chats(platform, chat, thread, title, session_id, delivered_seq) VALUES (@platform, @chat, @thread, @title, @sessionId, @deliveredSeq)
    ON CONFLICT(platform, chat, thread) DO UPDATE SET title = excluded.title, session_id = excluded.session_id, delivered_seq = excluded.delivered_seq`);
  const mark = database.prepare('UPDATE gateway_chats SET delivered_seq = max(delivered_seq, ?) WHERE session_id = ?');
  const take = database.prepare('INSERT INTO gateway_inbox(platform, message_id, at, message) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const handle = database.prepare('UPDATE gateway_inbox SET message = NULL WHERE platform = ? AND message_id = ?');
  const open = database.prepare<[], { platform: string; message_id: string; message: string }>('SELECT platform, message_id, message FROM gateway_inbox WHERE message IS NOT NULL ORDER BY at, rowid');
  const forget = database.prepare('DELETE FROM gateway_inbox WHERE message IS NULL AND at < ?');
  const putOut = database.prepare('INSERT INTO gateway_outbox(platform, chat, thread, text, at, buttons, run_id, key) VALUES (@platform, @chat, @thread, @text, @at, @buttons, @runId, lower(hex(randomblob(10))))');
  const outbox = database.prepare<[], OutRow>('SELECT * FROM gateway_outbox ORDER BY id');
  const part = database.prepare('UPDATE gateway_outbox SET sent_parts = ?, trying_at = NULL WHERE id = ?');
  const trying = database.prepare('UPDATE gateway_outbox SET trying_at = ? WHERE id = ?');
  const drop = database.prepare('DELETE FROM gateway_outbox WHERE id = ?');

  const chatOf = (row: ChatRow | undefined): GatewayChat | undefined => row && {
    platform: PlatformName.parse(row.platform), chat: row.chat, thread: row.thread, title: row.title, sessionId: SessionId.parse(row.session_id), deliveredSeq: row.delivered_seq,
  };
  return {
    chat: ({ platform, chat, thread }) => chatOf(one.get(platform, chat, thread)),
    chatOf: (sessionId) => chatOf(bySession.get(sessionId)),
    chats: () => all.all().flatMap((row) => chatOf(row) ?? []),
    putChat: (chat) => { put.run(chat); },
    delivered: (sessionId, seq) => { mark.run(seq, sessionId); },
    takeIn: (platform, messageId, message, at) => take.run(platform, messageId, at, message).changes === 1,
    handled: (platform, messageId) => { handle.run(platform, messageId); },
    open: () => open.all().map((row) => ({ platform: PlatformName.parse(row.platform), messageId: row.message_id, message: row.message })),
    forgetBefore: (at) => { forget.run(at); },
    putOut: ({ platform, chat, thread }, text, at, { buttons, runId } = {}) => { putOut.run({ platform, chat, thread, text, at, runId: runId ?? null, buttons: buttons === undefined ? null : JSON.stringify(buttons) }); },
    outbox: () => outbox.all().map((row) => ({
      id: row.id, key: row.key, platform: PlatformName.parse(row.platform), chat: row.chat, thread: row.thread, text: row.text, sentParts: row.sent_parts, tryingAt: row.trying_at, runId: row.run_id,
      buttons: row.buttons === null ? [] : JSON.parse(row.buttons) as OutboxButton[], // written by putOut
    })),
    partTrying: (id, at) => { trying.run(at, id); },
    partSent: (id, parts) => { part.run(parts, id); },
    sent: (id) => { drop.run(id); },
  };
}
