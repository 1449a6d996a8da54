/** Rules out of this home and into another one, with a look at what would change in between. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { RuleDraft, type ImportItem, type ImportPreview } from '../../../preload/contract/approval-rules.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import type { Allowlist } from '../allowlist.ts';
import { checkDraft, type Inspect } from './check.ts';
import { identity } from './hygiene.ts';
import type { Rules } from './rules.ts';
import { ruleText } from './words.ts';

const FORMAT = 'talaria-rules';
const MOST_ITEMS = 10_000;
const Exported = z.object({ format: z.literal(FORMAT), version: z.literal(1), entries: z.array(z.string()).max(MOST_ITEMS), rules: z.array(RuleDraft).max(MOST_ITEMS) });

export interface ExchangeParts { readonly rules: Rules; readonly allowlist: Allowlist; readonly inspect: Inspect }

export interface Exchange {
  /** JSON with two-space indent: what both lists hold, without provenance and use. Rules of one chat stay here: there is no such chat elsewhere. */
  exportAll(): string;
  /** Throws `request/invalid` for another kind of text. */
  preview(text: string): ImportPreview;
  /** Takes over the named items and no others. Throws `request/not-possible` for an id that is not in the text or cannot be taken over. */
  accept(text: string, ids: readonly string[], by: string): Promise<ImportPreview>;
}

type Item = { readonly entry: string } | { readonly rule: RuleDraft };

const idOf = (item: Item): string => createHash('sha256').update('entry' in item ? `entry\n${item.entry}` : `rule\n${identity(item.rule)}`).digest('hex').slice(0, 12);

function read(text: string): Item[] {
  const invalid = (message: string, cause?: unknown): never => { throw new AppError('request/invalid', message, { hint: 'Take a file that "allowlist export" has written.', cause }); };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return invalid('this text is no JSON', cause);
  }
  const parsed = Exported.safeParse(value);
  if (!parsed.success) return invalid(`this is no export of rules: ${z.prettifyError(parsed.error)}`);
  const items: Item[] = [...parsed.data.entries.map((entry) => ({ entry: entry.trim() })), ...parsed.data.rules.map((rule) => ({ rule }))];
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(idOf(item)) && seen.add(idOf(item)));
}

export function createExchange({ rules, allowlist, inspect }: ExchangeParts): Exchange {
  const why = (check: () => void): string | undefined => {
    try {
      check();
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  };
  const look = (items: readonly Item[]): ImportPreview => {
    const entries = new Set(allowlist.entries());
    const stored = rules.all();
    const known = new Set(stored.map(identity));
    const named = new Set(items.map(idOf));
    const shown = items.map((item): ImportItem => {
      const id = idOf(item);
      const base = 'entry' in item ? { id, what: 'entry', kind: 'allow', text: item.entry } as const : { id, what: 'rule', kind: item.rule.kind, text: ruleText(item.rule) } as const;
      if ('entry' in item ? entries.has(item.entry) : known.has(identity(item.rule))) return { ...base, state: 'same' };
      const refused = why(() => { if ('entry' in item) allowlist.check(item.entry); else checkDraft(item.rule, inspect); });
      return refused === undefined ? { ...base, state: 'new' } : { ...base, state: 'refused', why: refused };
    });
    const removed = [
      ...[...entries].filter((entry) => !named.has(idOf({ entry }))),
      ...stored.filter((rule) => rule.scope.kind !== 'chat' && !named.has(idOf({ rule }))).map(ruleText),
    ];
    return { items: shown, removed };
  };
  return {
    exportAll: () => {
      const drafts = rules.all().filter(({ scope }) => scope.kind !== 'chat').map(({ id: _id, createdAt: _at, createdBy: _by, createdFrom: _from, createdIn: _in, uses: _uses, lastUsedAt: _last, ...draft }) => draft);
      return `${JSON.stringify({ format: FORMAT, version: 1, entries: allowlist.entries(), rules: drafts }, null, 2)}\n`;
    },
    preview: (text) => look(read(text)),
    accept: async (text, ids, by) => {
      const items = read(text);
      const offered = new Map(look(items).items.map((item) => [item.id, item]));
      for (const id of ids) {
        const item = offered.get(id);
        if (item === undefined) throw new AppError('request/not-possible', `there is no item ${id} in this text`, { hint: 'Look at the import again: the text has changed.' });
        if (item.state === 'refused') throw new AppError('request/not-possible', `"${item.text}" cannot be taken over: ${item.why ?? ''}`, { hint: 'Leave it out.' });
      }
      const wanted = new Set(ids);
      const taken = items.filter((item) => wanted.has(idOf(item)) && offered.get(idOf(item))?.state === 'new');
      rules.add(taken.flatMap((item) => ('rule' in item ? [item.rule] : [])), { by: `import by ${by}` });
      await allowlist.add(taken.flatMap((item) => ('entry' in item ? [item.entry] : [])), { by: `import by ${by}` });
      return look(items);
    },
  };
}
