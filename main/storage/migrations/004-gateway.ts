/** Step 4: what came in through messengers and what has to go out. */
import type { Migration } from '../migrations.ts';

export const gateway: Migration = {
  version: 4,
  name: 'messengers',
  sql: `
  CREATE TABLE gateway_chats (
    platform TEXT NOT NULL, chat TEXT NOT NULL, thread TEXT NOT NULL DEFAULT '', title TEXT NOT NULL, session_id TEXT NOT NULL,
    delivered_seq REAL NOT NULL DEFAULT 0, -- messages of the chat up to here are in the outbox or sent
    PRIMARY KEY (platform, chat, thread)
  ) STRICT;
  CREATE TABLE gateway_inbox (
    platform TEXT NOT NULL, message_id TEXT NOT NULL, at REAL NOT NULL,
    message TEXT, -- as JSON, until it is handled
    PRIMARY KEY (platform, message_id)
  ) STRICT;
  CREATE INDEX gateway_inbox_open ON gateway_inbox(at) WHERE message IS NOT NULL;
  CREATE TABLE gateway_outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, platform TEXT NOT NULL, chat TEXT NOT NULL, thread TEXT NOT NULL DEFAULT '', text TEXT NOT NULL,
    sent_parts INTEGER NOT NULL DEFAULT 0, at REAL NOT NULL
  ) STRICT;
  `,
};
