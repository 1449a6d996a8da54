/** Step 5: messages of messengers that were on their way when a process died, with buttons, and those that tell of scheduled work. */
import type { Migration } from '../migrations.ts';

export const sentOnce: Migration = {
  version: 5,
  name: 'sent once',
  sql: `
  ALTER TABLE gateway_outbox ADD COLUMN key TEXT NOT NULL DEFAULT ''; -- tells this message from all others, for messengers that take a key
  ALTER TABLE gateway_outbox ADD COLUMN trying_at REAL; -- the part behind sent_parts is on its way since then; null = it is surely not there yet
  ALTER TABLE gateway_outbox ADD COLUMN buttons TEXT; -- as JSON, under the last part
  ALTER TABLE gateway_outbox ADD COLUMN run_id INTEGER; -- the scheduled run whose result it is
  UPDATE gateway_outbox SET key = lower(hex(randomblob(10)));
  `,
};
