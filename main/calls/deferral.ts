/**
 * Tools of MCP servers and plugins behind three bridge tools, when their schemas would fill the model's window
 * (hermes-runtime 2.5.7). Built-in tools are never deferred.
 */
import type { ToolDefinition } from '../ports.ts';
import type { Offered } from './tool-limit.ts';

/** Share of the window above which foreign schemas are deferred. */
export const DEFERRAL_SHARE = 0.1;
const DEFAULT_RESULTS = 5;
const MOST_RESULTS = 20;

export type BridgeName = 'tool_search' | 'tool_describe' | 'tool_call';
export const BRIDGE_NAMES: ReadonlySet<string> = new Set(['tool_search', 'tool_describe', 'tool_call'] satisfies BridgeName[]);

function bridge(name: BridgeName, description: string, properties: Record<string, { type: string; description: string }>, required: readonly string[]): ToolDefinition {
  return Object.freeze({ type: 'function' as const, function: Object.freeze({ name, description, parameters: { type: 'object', properties, required } }) });
}

export const BRIDGE_DEFINITIONS: readonly ToolDefinition[] = [
  bridge('tool_call', 'Call a tool that tool_search found. Look at its parameters with tool_describe first.', {
    name: { type: 'string', description: 'Name of the tool.' },
    arguments: { type: 'object', description: 'Arguments as tool_describe shows them.' },
  }, ['name']),
  bridge('tool_describe', 'Show the description and the parameters of a tool that tool_search found.', {
    name: { type: 'string', description: 'Name of the tool.' },
  }, ['name']),
  bridge('tool_search', 'Find more tools: many tools of connected servers and plugins are not listed here. Search by what you want to do.', {
    query: { type: 'string', description: 'A few words on what the tool should do.' },
    limit: { type: 'integer', description: `How many to list, ${String(DEFAULT_RESULTS)} by default.` },
  }, ['query']),
];

/** What a `tool_call` stands for: the tool that it names and what that is called with. Arguments as text are read; text that is no JSON counts as none. */
export function innerCall(args: Readonly<Record<string, unknown>>): { readonly name: string; readonly args: unknown } {
  const { name, arguments: given } = args;
  return { name: typeof name === 'string' ? name : '', args: (typeof given === 'string' ? parsed(given) : given) ?? {} };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not an error here: see above
  }
}

/** Why a call of a bridge cannot be understood, in words; undefined when it can. */
export function bridgeProblem(bridge: string, given: Readonly<Record<string, unknown>>): string | undefined {
  const field = bridge === 'tool_search' ? 'query' : 'name';
  if (typeof given[field] !== 'string' || given[field].trim() === '') {
    return field === 'query' ? "tool_search needs 'query': a few words on what the tool should do." : `${bridge} needs 'name': the name of a tool that tool_search found.`;
  }
  if (bridge !== 'tool_call') return undefined;
  const { name, arguments: inner, ...others } = given;
  if (inner === undefined && Object.keys(others).length > 0) {
    return `tool_call takes the arguments of ${name as string} as one object under 'arguments', not beside 'name' or under another word (got ${Object.keys(others).join(', ')}). Nothing was run.`; // cast: checked above
  }
  return typeof inner === 'string' && inner.trim() !== '' && parsed(inner) === undefined
    ? `The text under 'arguments' is no valid JSON. Nothing was run; send the arguments of ${name as string} as one object.` : undefined; // cast: checked above
}

/** Lower-case words; names are cut at underscores and humps. */
function wordsOf(text: string): string[] {
  return text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Tools that a chat may reach through the bridge. */
export class DeferredTools {
  readonly #tools: readonly Offered[];
  #named: ReadonlyMap<string, ToolDefinition> | undefined;

  constructor(tools: readonly Offered[]) {
    this.#tools = tools;
  }

  /** Made when first asked for: most requests are never searched. */
  get #byName(): ReadonlyMap<string, ToolDefinition> {
    return this.#named ??= new Map(this.#tools.map(({ prepared: { definition } }) => [definition.function.name, definition]));
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** Best first: words of the query found in the name count four times those in the description; rare words count more. */
  search(query: string, limit: number = DEFAULT_RESULTS): { name: string; description: string }[] {
    const wanted = [...new Set(wordsOf(query))];
    const documents = [...this.#byName.values()].map(({ function: { name, description } }) => ({ name, description, nameWords: wordsOf(name), words: wordsOf(description) }));
    const matches = (words: readonly string[], word: string): boolean => words.some((other) => other === word || (word.length > 3 && other.startsWith(word)));
    const weights = wanted.map((word) => {
      const holders = documents.filter(({ nameWords, words }) => matches(nameWords, word) || matches(words, word)).length;
      return Math.log(1 + documents.length / (holders + 1));
    });
    const scored = documents.map(({ name, description, nameWords, words }) => ({
      name, description,
      score: wanted.reduce((sum, word, index) => sum + (weights[index] ?? 0) * (matches(nameWords, word) ? 4 : matches(words, word) ? 1 : 0), 0),
    }));
    return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, Math.min(Math.max(limit, 1), MOST_RESULTS)).map(({ name, description }) => ({ name, description }));
  }

  /** What tool_search answers: what was found, or what to do when nothing was. */
  answer(query: string, limit: unknown): object {
    const most = Number(typeof limit === 'number' || typeof limit === 'string' ? limit : Number.NaN);
    const results = this.search(query, Number.isInteger(most) ? most : undefined);
    if (results.length > 0) return { results };
    return { results, hint: this.#tools.length === 0 ? 'No tool is left to find: all tools of this chat are listed already.' : `None of the ${String(this.#tools.length)} tools matches. Try other words for what it should do, in English.` };
  }

  describe(name: string): ToolDefinition['function'] | undefined {
    return this.#byName.get(name)?.function;
  }
}

export const NO_DEFERRED_TOOLS = new DeferredTools([]);
