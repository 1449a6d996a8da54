/** Step 8: files that were given along with a message, as a JSON list of what a screen shows of them. The files lie beside the database. */
import type { Migration } from '../migrations.ts';

export const attachments: Migration = {
  version: 8,
  name: 'attachments',
  sql: `
  ALTER TABLE messages ADD COLUMN attachments TEXT;
  CREATE INDEX messages_attached ON messages(session_id) WHERE attachments IS NOT NULL;
  `,
};
