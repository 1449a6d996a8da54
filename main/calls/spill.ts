/** Results too large for the model go to a file, and the model reads a preview and the path (hermes-runtime 3.7). */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { Clock, Log, TurnResult } from '../ports.ts';

/** Characters, Hermes' figures. */
const DEFAULT_RESULT_CHARS = 100_000;
const MCP_RESULT_CHARS = 50_000;
const TURN_CHARS = 200_000;
const PREVIEW_CHARS = 1_500;
/** Shares of a small window, and what is left at least. */
const RESULT_SHARE = 0.15;
const TURN_SHARE = 0.3;
const LEAST_RESULT_CHARS = 8_000;
const LEAST_TURN_CHARS = 16_000;
const CHARS_PER_TOKEN = 4;
const MAX_ID_CHARS = 120;
const KEEP_MS = 24 * 60 * 60 * 1_000;
const PRUNE_EVERY_MS = 60 * 60 * 1_000;

/** Never spilled: a saved result must be readable page by page without being saved again. */
const PINNED: ReadonlyMap<string, number> = new Map([['read_file', Number.POSITIVE_INFINITY]]);

export interface SpillParts {
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  readonly log: Log;
  /** `<home>/cache/spillover` */
  readonly folder: string;
  /** `tool_budget` of config.yaml: `mcp_result_size_chars`, `overrides.<tool>`. */
  budget(path: string): unknown;
}

export interface Bounded { readonly text: string; readonly savedTo: string | null }

/** A block of ours holds a preview, a path and little else; a longer text that begins like one is an output like any other. */
const MOST_BLOCK_CHARS = PREVIEW_CHARS + 6_000;
function isPersisted(text: string): boolean {
  return text.length <= MOST_BLOCK_CHARS && text.startsWith('<persisted-output>') && text.endsWith('</persisted-output>');
}

/** File name of a call's result: its id where that is a plain name, else cleaned with a digest that keeps it apart from others. */
export function spillName(id: string): string {
  const clean = id.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
  if (clean === id && id.length <= MAX_ID_CHARS && !/^\.*$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${clean.slice(0, MAX_ID_CHARS - digest.length - 1)}_${digest}`;
}

function cutBetweenCharacters(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

function previewOf(text: string): string {
  const head = cutBetweenCharacters(text, PREVIEW_CHARS);
  const newline = head.lastIndexOf('\n');
  return newline > PREVIEW_CHARS / 2 ? head.slice(0, newline) : head;
}

/** A structured part that is so many times longer than the words says more than they do. */
const MORE_THAN_WORDS = 2;

/** The text of an MCP envelope `{result, structuredContent?, _meta?}`; other text unchanged, and so an envelope whose structured part is what it is about. */
export function unwrapMcp(text: string): string {
  if (!text.startsWith('{"result"')) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('result' in parsed) || typeof parsed.result !== 'string') return text;
    if (!Object.keys(parsed).every((key) => ['result', 'structuredContent', '_meta'].includes(key))) return text;
    const structured = 'structuredContent' in parsed ? JSON.stringify(parsed.structuredContent).length : 0;
    return structured > parsed.result.length * MORE_THAN_WORDS ? text : parsed.result;
  } catch {
    // Not JSON after all: saved as it is.
    return text;
  }
}

function sizeWords(text: string): string {
  return `${String(text.length)} characters, ${(Buffer.byteLength(text) / 1_024).toFixed(1)} KB`;
}

export class Spill {
  readonly #parts: SpillParts;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SpillParts) {
    this.#parts = parts;
  }

  /** Characters of a tool's result that reach the model; Infinity for one that is never spilled. */
  limitFor(tool: string, contextTokens?: number): number {
    const { registry } = this.#parts;
    const pinned = PINNED.get(tool);
    if (pinned !== undefined) return pinned;
    const override = this.#parts.budget(`overrides.${tool}`);
    const window = contextTokens === undefined ? Number.POSITIVE_INFINITY : Math.max(contextTokens * CHARS_PER_TOKEN * RESULT_SHARE, LEAST_RESULT_CHARS);
    if (typeof override === 'number' && override > 0) return Math.min(override, window);
    const usual = Math.min(DEFAULT_RESULT_CHARS, window);
    if (tool.startsWith('mcp_')) {
      const configured = this.#parts.budget('mcp_result_size_chars');
      return Math.min(typeof configured === 'number' && configured > 0 ? configured : MCP_RESULT_CHARS, usual);
    }
    const own = registry.getMaxResultSize(tool, usual);
    return own === Number.POSITIVE_INFINITY ? own : Math.min(own, usual);
  }

  turnLimit(contextTokens?: number): number {
    return contextTokens === undefined ? TURN_CHARS : Math.min(TURN_CHARS, Math.max(contextTokens * CHARS_PER_TOKEN * TURN_SHARE, LEAST_TURN_CHARS));
  }

  /** The result itself when it is within the tool's limit, else its preview. Never rejects. */
  async bound(tool: string, callId: string, text: string, contextTokens?: number): Promise<Bounded> {
    return text.length <= this.limitFor(tool, contextTokens) ? { text, savedTo: null } : this.save(callId, text);
  }

  /** Saves the text and gives the block that stands for it; a shorter text with a note when nothing could be written. Never rejects. */
  async save(callId: string, text: string): Promise<Bounded> {
    if (isPersisted(text)) return { text, savedTo: null };
    const body = unwrapMcp(text);
    const path = join(this.#parts.folder, `${spillName(callId)}.txt`);
    const preview = previewOf(body);
    const more = preview.length < body.length ? '\n...' : '';
    try {
      await mkdir(this.#parts.folder, { recursive: true, mode: 0o700 });
      await writeFile(path, body, { mode: 0o600 });
      const { size } = await stat(path);
      if (size !== Buffer.byteLength(body)) throw new Error(`${path} holds ${String(size)} bytes instead of ${String(Buffer.byteLength(body))}`);
    } catch (error) {
      this.#parts.log.warn('A large result could not be saved; the model gets its beginning only.', { path, error: String(error) });
      return { text: `${preview}\n[Truncated: tool response was ${String(body.length)} chars. Full output could not be saved to sandbox.]`, savedTo: null };
    }
    void this.prune();
    return {
      savedTo: path,
      text: [
        '<persisted-output>', `This result is too large (${sizeWords(body)}).`, `Full output saved to: ${path}`,
        'Read the parts you need with read_file, using offset and limit.', '', `Preview of the first ${String(preview.length)} characters:`,
        `${preview}${more}`, '</persisted-output>',
      ].join('\n'),
    };
  }

  /** The results of a turn, the largest saved first until all fit. Order and members that fit stay as they are. Never rejects. */
  async limitTurn(results: readonly TurnResult[], contextTokens?: number): Promise<TurnResult[]> {
    const limited = [...results];
    const limit = this.turnLimit(contextTokens);
    let total = limited.reduce((sum, { text }) => sum + text.length, 0);
    const bySize = [...limited.keys()].sort((a, b) => (limited[b]?.text.length ?? 0) - (limited[a]?.text.length ?? 0));
    for (const index of bySize) {
      const result = limited[index];
      if (total <= limit || result === undefined) break;
      if (result.savedTo !== null || isPersisted(result.text) || PINNED.has(result.name)) continue;
      const saved = await this.save(result.callId, result.text);
      if (saved.text.length >= result.text.length) continue;
      total += saved.text.length - result.text.length;
      limited[index] = { ...result, ...saved };
    }
    return limited;
  }

  /** Removes saved results older than a day; looks at most once an hour. Never rejects. */
  async prune(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    try {
      for (const name of await readdir(this.#parts.folder)) {
        const path = join(this.#parts.folder, name);
        if (name.endsWith('.txt') && now - (await stat(path)).mtimeMs > KEEP_MS) await rm(path, { force: true });
      }
    } catch (error) {
      this.#parts.log.debug('Old saved results could not be removed.', { error: String(error) });
    }
  }
}
