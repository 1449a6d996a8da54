/** Step 2: the rules that people make of their answers. */
import type { Migration } from '../migrations.ts';

export const approvalRules: Migration = {
  version: 2,
  name: 'stored approval rules',
  sql: `
  CREATE TABLE approval_rules (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, created_at REAL NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0, last_used_at REAL,
    max_uses INTEGER, expires_at REAL,
    rule TEXT NOT NULL -- the rest of it, as JSON
  ) STRICT;
  CREATE INDEX approval_rules_order ON approval_rules(created_at);
  `,
};
