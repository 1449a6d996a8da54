/** The rules that people made of their answers. Its use is counted apart from what it says, so that an edit loses no count. */
import type { Database } from 'better-sqlite3';
import { ApprovalRule, type RuleId } from '../../preload/contract/approval-rules.ts';
import type { Log, Storage } from '../ports.ts';

interface RuleRow { rule: string; uses: number; last_used_at: number | null }

export function approvalRuleStore(database: Database, log: Log): Storage['approvalRules'] {
  const insert = database.prepare(`INSERT INTO approval_rules(id, kind, created_at, uses, last_used_at, max_uses, expires_at, rule)
    VALUES (@id, @kind, @createdAt, @uses, @lastUsedAt, @maxUses, @expiresAt, @rule)`);
  const all = database.prepare<[], RuleRow>('SELECT rule, uses, last_used_at FROM approval_rules ORDER BY created_at, rowid');
  const remove = database.prepare('DELETE FROM approval_rules WHERE id = ?');
  const update = database.prepare('UPDATE approval_rules SET kind = @kind, max_uses = @maxUses, expires_at = @expiresAt, rule = @rule WHERE id = @id');
  const use = database.prepare(`UPDATE approval_rules SET uses = uses + 1, last_used_at = @now
    WHERE id = @id AND (max_uses IS NULL OR uses < max_uses) AND (expires_at IS NULL OR expires_at > @now)`);
  const told = new Set<string>();

  /** A rule that cannot be read lets nothing through; it is told about once. */
  const readable = (row: RuleRow): ApprovalRule[] => {
    const stored: unknown = JSON.parse(row.rule);
    const read = ApprovalRule.safeParse({ ...(stored as object), uses: row.uses, lastUsedAt: row.last_used_at }); // cast: written below, checked by the schema
    if (read.success) return [read.data];
    if (!told.has(row.rule)) log.error('a stored approval rule is not readable and does not count', { issues: read.error.issues });
    told.add(row.rule);
    return [];
  };
  const useAll = database.transaction((ids: readonly RuleId[], now: number): boolean => {
    for (const id of ids) if (use.run({ id, now }).changes === 0) throw new Exhausted();
    return true;
  });
  return {
    insert: (rule) => { insert.run({ ...rule, rule: JSON.stringify(rule) }); },
    list: () => all.all().flatMap(readable),
    remove: (id) => remove.run(id).changes > 0,
    update: (rule) => update.run({ id: rule.id, kind: rule.kind, maxUses: rule.maxUses, expiresAt: rule.expiresAt, rule: JSON.stringify(rule) }).changes > 0,
    use: (ids, now) => {
      try {
        return useAll.immediate(ids, now);
      } catch (error) {
        if (error instanceof Exhausted) return false;
        throw error;
      }
    },
  };
}

/** Rolls the uses of a line back when one of its rules is gone or used up. */
class Exhausted extends Error {}
