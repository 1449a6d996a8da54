/** The `ApprovalRules` seam, and what the pipeline asks of the stored rules: which parts of a line they cover, and what "always" saves. */
import type { RuleChoice } from '../../../preload/contract/approval-rules.ts';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import { chainOf, rootOf } from '../../lineage.ts';
import type { ApprovalRules, Clock, Storage } from '../../ports.ts';
import type { Allowlist } from '../allowlist.ts';
import type { ReviewPlace } from '../detect.ts';
import type { Inspect } from './check.ts';
import type { RuleContext } from './coverage.ts';
import { createExchange } from './exchange.ts';
import { chosenDrafts, previewRules, type Line, type PreviewFacts } from './preview.ts';
import { withExample } from './example.ts';
import { projectRoot } from './project.ts';
import type { Provenance, Rules } from './rules.ts';

const HISTORY_MS = 30 * 86_400_000;
const HISTORY_ROWS = 1_000;

/** Where a command would run; `cwd` and `home` as far as they are known. */
export type PlaceOf = (wanted: { readonly backend?: string; readonly cwd?: string }) => ReviewPlace;

export interface RulesDeskParts {
  readonly rules: Rules;
  readonly allowlist: Allowlist;
  readonly storage: Pick<Storage, 'approvals' | 'values'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly inspect: Inspect;
  readonly place: PlaceOf;
  readonly resolve: RuleContext['resolve'];
}

export interface RulesDesk extends ApprovalRules {
  /** Stores what the answer names, and returns how to take it back. Throws `request/not-possible`. */
  save(request: ApprovalRequest, choice: RuleChoice, from: Provenance): { readonly texts: readonly string[]; undo(): void };
}

/** Where a line runs, as rules see it. */
export const contextFor = (place: ReviewPlace, resolve: RuleContext['resolve'], chats: readonly string[] = []): RuleContext => ({
  backend: place.backend, resolve, ...(place.cwd === undefined ? {} : { cwd: place.cwd }), ...(place.home === undefined ? {} : { home: place.home }),
  chats,
});

export function createRulesDesk({ rules, allowlist, storage, clock, inspect, place, resolve }: RulesDeskParts): RulesDesk {
  const exchange = createExchange({ rules, allowlist, inspect });
  const lineOf = (request: ApprovalRequest): Line => {
    const where = place({ backend: request.backend, cwd: request.cwd });
    return { command: request.command, inspection: inspect(request.command, where), context: contextFor(where, resolve, chainOf(storage.values, request.sessionId)) };
  };
  const factsOf = (request: ApprovalRequest, history: readonly Line[]): PreviewFacts => {
    const line = lineOf(request);
    const root = request.backend === 'local' ? projectRoot(request.cwd, line.context.home) : request.cwd;
    return { request, line, history, root, inspect, rules: rules.holding().allow, chat: rootOf(storage.values, request.sessionId) };
  };
  /** Each command that was asked about lately once, newest first. */
  const history = (than: ApprovalRequest): Line[] => {
    const since = clock.now() - HISTORY_MS;
    const seen = new Set([than.command.trim()]);
    const rows = storage.approvals.history({ limit: HISTORY_ROWS }).filter((row) => {
      const command = row.command.trim();
      return row.tool === 'terminal' && row.automatic === undefined && (row.decidedAt ?? 0) >= since && !seen.has(command) && seen.add(command);
    });
    return rows.map(lineOf);
  };
  return {
    list: () => rules.list(),
    add: (draft, by) => {
      rules.add([draft], { by });
      return rules.list();
    },
    remove: (id) => {
      rules.remove(id);
      return rules.list();
    },
    update: (id, draft) => {
      rules.update(id, draft);
      return rules.list();
    },
    restore: (ids) => {
      rules.restore(ids);
      return rules.list();
    },
    addExample: (id, command, matches) => {
      const rule = rules.all().find((each) => each.id === id);
      if (rule === undefined) throw new AppError('not-found', `there is no rule with the id ${id}`, { hint: 'It was removed before: read the list again.' });
      rules.update(id, withExample(rule, command, matches));
      return rules.list();
    },
    preview: (id: ApprovalId, { scope, anyBackend }) => {
      const request = storage.approvals.get(id);
      if (request === undefined) throw new AppError('not-found', `there is no approval request with the id ${id}`);
      return previewRules(factsOf(request, history(request)), { scope: scope ?? 'project', ...(anyBackend === undefined ? {} : { anyBackend }) }, clock.now());
    },
    exportAll: () => exchange.exportAll(),
    importPreview: (text) => exchange.preview(text),
    importAccept: (text, ids, by) => exchange.accept(text, ids, by),
    save: (request, choice, from) => {
      const stored = rules.add(chosenDrafts(factsOf(request, []), choice, clock.now()), from);
      const fresh = new Set(stored.map(({ id }) => id));
      return {
        texts: rules.list().filter(({ rule }) => fresh.has(rule.id)).map(({ text }) => text),
        undo: () => { for (const id of fresh) rules.remove(id); },
      };
    },
  };
}
