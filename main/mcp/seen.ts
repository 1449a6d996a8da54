/** What an MCP tool said of itself when it was first used: a server that changes its words later gets them read by a person first. */
import type { Tool } from '@modelcontextprotocol/client';
import { sha256, type TrustStore } from '../plugins/trust-store.ts';

/** JSON with keys in order, so that the same schema always gives the same text. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)).map(([key, item]) => [key, canonical(item)]));
}

/** One part of what a tool says of itself, then and now. */
export interface Difference { readonly part: 'description' | 'schema'; readonly before: string; readonly after: string }

/** In one sentence, for the reason and the result of a call. */
export function differenceWords(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'its words are not the ones that were accepted';
  return differences.map(({ part, before, after }) => `${part} was ${shown(before)}, is ${shown(after)}`).join('; ');
}

interface Words { readonly description: string; readonly schema: string }

function wordsOf({ description, inputSchema }: Tool): Words {
  return { description: description ?? '', schema: JSON.stringify(canonical(inputSchema)) };
}

const hashOf = (tool: Tool): string => sha256(JSON.stringify([tool.name, wordsOf(tool)]));

const SHOWN_CHARS = 600;
const shown = (text: string): string => JSON.stringify(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);

export class SeenTools {
  readonly #hashes: TrustStore;
  /** The words behind the hashes, for showing what changed. */
  readonly #texts: TrustStore;

  constructor(hashes: TrustStore, texts: TrustStore) {
    this.#hashes = hashes;
    this.#texts = texts;
  }

  /** Remembers tools that were never seen; returns those whose words have changed, each with what changed. */
  check(tools: readonly Tool[]): ReadonlyMap<string, readonly Difference[]> {
    this.accept(tools.filter(({ name }) => this.#hashes.get(name) === undefined));
    return new Map(tools.filter((tool) => this.#hashes.get(tool.name) !== hashOf(tool)).map((tool) => [tool.name, this.#difference(tool)]));
  }

  /** From now on these are what the tools are expected to say. */
  accept(tools: readonly Tool[]): void {
    if (tools.length === 0) return;
    this.#hashes.set(Object.fromEntries(tools.map((tool) => [tool.name, hashOf(tool)])));
    this.#texts.set(Object.fromEntries(tools.map((tool) => [tool.name, JSON.stringify(wordsOf(tool))])));
  }

  /** Empty when only the hash is known. */
  #difference(tool: Tool): Difference[] {
    const text = this.#texts.get(tool.name);
    if (text === undefined) return [];
    const before = JSON.parse(text) as Words; // `accept` wrote it
    const now = wordsOf(tool);
    return (['description', 'schema'] as const).filter((part) => before[part] !== now[part]).map((part) => ({ part, before: before[part], after: now[part] }));
  }
}
