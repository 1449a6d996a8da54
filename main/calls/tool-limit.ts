/** Which tools of a request stay when a model takes only so many. */
import type { ToolEntry } from '../../tools/registry.ts';
import { CORE_TOOLS } from '../../tools/toolsets.ts';
import type { ToolDefinition } from '../ports.ts';

export interface PreparedTool {
  readonly definition: ToolDefinition;
  /** Estimated tokens of the exact JSON that is sent. */
  readonly tokens: number;
}

/** A tool of a request. `foreign`: of a plugin or an MCP server. */
export interface Offered { readonly entry: ToolEntry; readonly prepared: PreparedTool; readonly foreign: boolean }

export const NO_NAMES: ReadonlySet<string> = new Set();
const CORE: ReadonlyMap<string, number> = new Map(CORE_TOOLS.map((name, position) => [name, position]));
/** OpenAI's limit; others have it too or a higher one. */
const DEFAULT_MAX_TOOLS = 128;

export function mostTools(configured: unknown): number {
  if (configured === 0) return Number.POSITIVE_INFINITY;
  return typeof configured === 'number' && configured > 0 ? Math.floor(configured) : DEFAULT_MAX_TOOLS;
}

/** Of a plugin or an MCP server. */
export const isForeign = (entry: ToolEntry): boolean => entry.owner !== undefined || entry.toolset.startsWith('mcp-');
/** Core tools stay longest, in the order of the core list (what reads, runs and writes before what speaks and schedules), then the other built-in ones. */
const rankOf = ({ entry, foreign }: Offered): number => (foreign ? CORE.size + 1 : CORE.get(entry.name) ?? CORE.size);

/** Order is kept. */
export function withinLimit(tools: readonly Offered[], most: number): { kept: readonly Offered[]; dropped: ReadonlySet<string> } {
  if (tools.length <= most) return { kept: tools, dropped: NO_NAMES };
  const last = [...tools].sort((a, b) => rankOf(a) - rankOf(b)).slice(Math.max(most, 0));
  const dropped = new Set(last.map(({ entry }) => entry.name));
  return { kept: tools.filter(({ entry }) => !dropped.has(entry.name)), dropped };
}
