/** The permanent allowlist: `command_allowlist` of config.yaml, shared with Hermes and with people's editors (hermes-runtime 4.7). */
import { existsSync } from 'node:fs';
import { parse } from 'yaml';
import type { AllowlistEntry } from '../../preload/contract/approvals.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { JsonValue } from '../../tools/context.ts';
import type { Clock, ConfigStore, EventBus, Log, Storage } from '../ports.ts';
import { holdsSecret } from '../redact.ts';
import { legacyMeaning } from './legacy-keys.ts';
import { globMatches } from './parse/glob.ts';
import { isSimpleCommand } from './simple-command.ts';
import { UNUSED_DAYS } from './standing/hygiene.ts';

const PATH = 'command_allowlist';
const LONGEST_ENTRY = 8_000;
const NOTED_COMMAND_CHARS = 500;
const DAY_MS = 86_400_000;
/** Programs that run what their arguments say: a rule over all of their arguments allows everything. */
const RUNS_ANYTHING = /^(?:\S*\/)?(?:sudo|doas|su|env|xargs|nohup|time|timeout|nice|ssh|eval|exec|sh|bash|zsh|dash|ksh|fish|python[\d.]*|perl|ruby|node|deno|bun|php|powershell|pwsh|cmd)(?:\.exe)? \*/i;
// eslint-disable-next-line no-control-regex -- control characters are what this expression is for
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

export interface AllowlistParts {
  readonly config: Pick<ConfigStore, 'get' | 'update' | 'onChange'> & { refresh?(): void };
  readonly storage: Pick<Storage, 'approvals'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly events: Pick<EventBus, 'publish'>;
  readonly log: Log;
  readonly redact: (text: string) => string;
  /** Approval keys of the detector, with their tier. */
  readonly keys: ReadonlyMap<string, 'floor' | 'danger' | 'unknown'>;
}

export interface Allowlist {
  /** The entries as they are on disk now, each once. */
  entries(): readonly string[];
  /** The entry that allows this text as a whole, if one does. */
  matching(command: string, entries: readonly string[]): string | undefined;
  /** The entry that stands for this approval key, if one does. */
  covering(key: string, entries: readonly string[]): string | undefined;
  list(): AllowlistEntry[];
  /** Throws `request/not-possible` for an entry that may not be stored. */
  check(entry: string): void;
  /** Writes entries that are not there yet. Throws `request/not-possible` for one that may not be stored, and what the config throws. Returns the new ones. */
  add(entries: readonly string[], from: { readonly by: string; readonly command?: string }): Promise<readonly string[]>;
  remove(entry: string): Promise<void>;
  /** Writes a removed entry again; what is known about it was kept. Throws as `add` does. */
  restore(entry: string): Promise<void>;
  /** Keeps when an entry last let something through. */
  noteUse(entry: string): void;
  close(): void;
}

/** Undefined for a text that is no list. */
function listOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value as readonly JsonValue[]; // cast: Array.isArray does not narrow readonly arrays
  if (typeof value !== 'string') return undefined;
  try {
    const parsed: unknown = parse(value);
    return Array.isArray(parsed) ? parsed as readonly JsonValue[] : undefined; // cast: what the YAML core schema makes
  } catch {
    // A text that is no YAML: told by the caller, as any other text that is no list.
    return undefined;
  }
}

const textsOf = (items: readonly JsonValue[]): string[] =>
  [...new Set(items.flatMap((item) => (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean' ? [String(item).trim()] : [])))].filter((entry) => entry !== '');

export function createAllowlist(parts: AllowlistParts): Allowlist {
  const { config, storage, clock, events, log, keys } = parts;
  let complained = false;

  const entries = (): readonly string[] => {
    config.refresh?.();
    const items = listOf(config.get(PATH));
    if (items === undefined && !complained) log.warn(`${PATH} in config.yaml is not a list and is ignored`);
    complained = items === undefined;
    return textsOf(items ?? []);
  };
  /** How often it stands in the file. */
  const written = (entry: string): number => (listOf(config.get(PATH)) ?? []).filter((item) => textsOf([item])[0] === entry).length;
  const kindOf = (entry: string): AllowlistEntry['kind'] => {
    if (keys.has(entry) || entry === 'execute_code' || /^(?:plugin_rule|tirith):/.test(entry)) return 'description';
    if (legacyMeaning(entry).length > 0) return 'legacy-key';
    return /[*?[]/.test(entry) ? 'glob' : 'literal';
  };
  const warningFor = (entry: string, all: readonly string[], times: { readonly createdAt?: number; readonly lastUsedAt?: number } | undefined): string | undefined => {
    const kind = kindOf(entry);
    if (written(entry) > 1) return `Stands there ${written(entry)} times.`;
    if (keys.get(entry) === 'floor') return 'Has no effect: what this describes is never run.';
    if (holdsSecret(entry)) return 'Holds what looks like a secret: remove it and change the secret.';
    if (kind === 'glob' && /^[*?]/.test(entry)) return 'Allows every simple command that ends like this, whatever the program.';
    if (kind === 'glob' && RUNS_ANYTHING.test(entry)) return 'Allows any command: this program runs what its arguments say.';
    if (kind === 'literal' && !isSimpleCommand(entry)) return 'Has no effect: only simple commands are matched by their text, and this chains, redirects or substitutes.';
    const wider = all.find((other) => other !== entry && kind === 'literal' && kindOf(other) === 'glob' && globMatches(other, entry));
    if (wider !== undefined) return `Already allowed by ${wider}.`;
    const program = /^\/[^\s'"\\*?[]+/.exec(entry)?.[0];
    if ((kind === 'literal' || kind === 'glob') && program !== undefined && !existsSync(program)) return `There is no ${program} on this machine any more.`;
    const used = Math.max(times?.lastUsedAt ?? 0, times?.createdAt ?? 0);
    return used > 0 && clock.now() - used > UNUSED_DAYS * DAY_MS ? `It has not decided anything for ${UNUSED_DAYS} days.` : undefined;
  };
  const check = (entry: string): void => {
    const refuse = (message: string, hint: string): never => { throw new AppError('request/not-possible', message, { hint }); };
    if (entry === '') refuse('An empty rule allows nothing.', 'Write a command, a pattern or an approval key.');
    if (entry.length > LONGEST_ENTRY) refuse(`A rule has at most ${LONGEST_ENTRY} characters.`, 'Allow a shorter pattern instead.');
    if (CONTROL.test(entry)) refuse('A rule is one line without control characters.', 'Commands of several lines are asked about each time.');
    if (holdsSecret(entry)) refuse('This rule holds what looks like a secret, and config.yaml is readable text.', 'Write a pattern with * in place of the secret.');
    if (keys.get(entry) === 'floor') refuse(`"${entry}" is never run, whatever the rules say.`, 'There is nothing to allow here.');
    if (keys.get(entry) === 'unknown') refuse(`"${entry}" stands for text that cannot be judged, so it is asked about each time.`, 'Allow a concrete command or pattern instead.');
  };
  const malformed = (): never => {
    throw new AppError('request/not-possible', `${PATH} in config.yaml is not a list, so nothing can be added or removed`, { hint: 'Correct it in an editor: one `- entry` a line.' });
  };

  let known = entries().join('\n');
  const offConfig = config.onChange(() => {
    const now = entries().join('\n');
    if (now === known) return;
    known = now;
    events.publish('allowlist', { type: 'changed' });
  });

  return {
    entries,
    matching: (command, all) => {
      const text = command.trim();
      if (all.length === 0 || !isSimpleCommand(text)) return undefined;
      return all.find((entry) => entry === text || (/[*?[]/.test(entry) && globMatches(entry, text)));
    },
    covering: (key, all) => all.find((entry) => entry === key || legacyMeaning(entry).includes(key)),
    list: () => {
      const all = entries();
      const meta = storage.approvals.entryMeta();
      return all.map((entry): AllowlistEntry => {
        const warning = warningFor(entry, all, meta.get(entry));
        return { entry, kind: kindOf(entry), ...meta.get(entry), ...(warning === undefined ? {} : { warning }) };
      });
    },
    check,
    add: async (wanted, from) => {
      const trimmed = [...new Set(wanted.map((entry) => entry.trim()))];
      trimmed.forEach(check);
      let added: string[] = [];
      // What is on disk now and what is new: an entry that somebody took out by hand is not put back.
      await config.update(PATH, (value) => {
        const items = listOf(value) ?? malformed();
        const there = new Set(textsOf(items));
        added = trimmed.filter((entry) => !there.has(entry));
        return added.length === 0 ? value : [...items, ...added];
      });
      const command = from.command === undefined ? {} : { createdFrom: parts.redact(from.command).slice(0, NOTED_COMMAND_CHARS) };
      for (const entry of added) storage.approvals.noteEntry(entry, { createdAt: clock.now(), createdBy: from.by, ...command });
      return added;
    },
    remove: async (entry) => {
      await config.update(PATH, (value) => {
        const items = listOf(value) ?? malformed();
        const left = items.filter((item) => textsOf([item])[0] !== entry.trim());
        return left.length === items.length ? value : left;
      });
    },
    restore: async (entry) => {
      check(entry.trim());
      await config.update(PATH, (value) => {
        const items = listOf(value) ?? malformed();
        return textsOf(items).includes(entry.trim()) ? value : [...items, entry.trim()];
      });
    },
    noteUse: (entry) => storage.approvals.noteEntry(entry, { usedAt: clock.now() }),
    close: offConfig,
  };
}
