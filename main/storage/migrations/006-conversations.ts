/** Step 6: which chats a conversation of a messenger has had, so that `session_search` can keep to them. `/new` starts another chat there. */
import type { Migration } from '../migrations.ts';

export const conversations: Migration = {
  version: 6,
  name: 'conversations',
  sql: `
  CREATE TABLE gateway_past_chats (
    session_id TEXT PRIMARY KEY, platform TEXT NOT NULL, chat TEXT NOT NULL, thread TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX gateway_past_chats_place ON gateway_past_chats(platform, chat, thread);
  INSERT INTO gateway_past_chats SELECT session_id, platform, chat, thread FROM gateway_chats WHERE true ON CONFLICT DO NOTHING;
  CREATE TRIGGER gateway_chat_begins AFTER INSERT ON gateway_chats BEGIN
    INSERT INTO gateway_past_chats VALUES (new.session_id, new.platform, new.chat, new.thread) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER gateway_chat_changes AFTER UPDATE OF session_id ON gateway_chats BEGIN
    INSERT INTO gateway_past_chats VALUES (new.session_id, new.platform, new.chat, new.thread) ON CONFLICT DO NOTHING;
  END;
  `,
};
