/**
 * Step 7: forks of chats. Their copied texts carry numbers below zero: they rank behind what was really said then, are in no order of time
 * with it, and are indexed for the search after the fork was made, piece by piece (`copies-index.ts`), because indexing takes longer than copying.
 */
import type { Migration } from '../migrations.ts';
import { callText, ENDED, put } from './001-first.ts';

export const forks: Migration = {
  version: 7,
  name: 'forks',
  sql: `
  ALTER TABLE sessions ADD COLUMN forked_from TEXT; -- id of the chat that this one is a fork of
  CREATE TABLE unindexed_copies (
    session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
    next INTEGER NOT NULL -- copies with this number and above are not in the search yet
  ) STRICT, WITHOUT ROWID;

  DROP TRIGGER messages_indexed;
  CREATE TRIGGER messages_indexed AFTER INSERT ON messages WHEN new.number > 0 AND new.state <> 'streaming' AND new.text <> '' BEGIN
    ${put('new.number', 'new.text')}
  END;
  DROP TRIGGER calls_indexed;
  CREATE TRIGGER calls_indexed AFTER INSERT ON calls WHEN new.number > 0 AND new.state IN ${ENDED} BEGIN
    ${put('new.number', callText('new'))}
  END;
  `,
};
