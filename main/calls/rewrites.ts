/** Descriptions that name other tools say only what the model can really call (hermes-runtime 2.5.5). */
import type { ToolSchema } from '../../tools/registry.ts';

/** Tools that scripts of execute_code may call. */
export const SANDBOX_TOOLS: readonly string[] = ['web_search', 'web_extract', 'read_file', 'write_file', 'search_files', 'patch', 'terminal'];
const WEB_TOOLS = ['web_search', 'web_extract'];

const mentions = (text: string, tool: string): boolean => new RegExp(`\\b${tool}\\b`).test(text);

/** Lines about unavailable tools go; in a line that names several, only their names go. */
export function withoutUnavailable(description: string, available: ReadonlySet<string>): string {
  const missing = SANDBOX_TOOLS.filter((tool) => !available.has(tool));
  const kept: string[] = [];
  for (const line of description.split('\n')) {
    const named = SANDBOX_TOOLS.filter((tool) => mentions(line, tool));
    if (named.length > 0 && named.every((tool) => missing.includes(tool))) continue;
    kept.push(missing.filter((tool) => named.includes(tool)).reduce(
      (text, tool) => text.replaceAll(new RegExp(`\\b${tool}\\b(?:\\([^()]*\\))?(?:\\s*,\\s*|(?=\\W|$))`, 'g'), ''), line,
    ).replaceAll(/,\s*(?=[.;:)]|$)/g, '').trimEnd());
  }
  return kept.join('\n');
}

/** Without sentences that recommend web_search or web_extract. */
export function withoutWebAdvice(description: string): string {
  return description.replaceAll(/(?:^|(?<=[.!?])\s+|\n)[^.!?\n]*\b(?:web_search|web_extract)\b[^.!?\n]*(?:[.!?]|$)/g, '').trim();
}

/** The schema for a request that offers `available`; a tool's own `rewriteSchema` has the first word. */
export function rewriteByName(name: string, schema: ToolSchema, available: ReadonlySet<string>): ToolSchema {
  if (name === 'execute_code') return { ...schema, description: withoutUnavailable(schema.description, available) };
  if (name === 'browser_navigate' && !WEB_TOOLS.some((tool) => available.has(tool))) return { ...schema, description: withoutWebAdvice(schema.description) };
  return schema;
}
