/** The switch of one tool, as it is kept under `mcp_servers.<name>.tools` of config.yaml. */
import type { JsonObject, JsonValue } from '../../tools/context.ts';
import { isWanted } from './names.ts';

const isObject = (value: JsonValue | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const texts = (value: JsonValue | undefined): string[] | undefined => (Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : undefined);

/**
 * Names are the server's own; `all` are the tools that it has. Where there is an `include`, it is what counts, otherwise `exclude` (hermes-runtime 7.13).
 * A pattern that stands for this tool and others gives way to the names of the others, so that nothing else is switched with it.
 */
export function switchedTools(tools: JsonValue | undefined, all: readonly string[], tool: string, enabled: boolean): JsonValue {
  const before = isObject(tools) ? tools : {};
  const include = texts(before['include']);
  const exclude = texts(before['exclude']) ?? [];
  if (isWanted(tool, { include, exclude }) === enabled) return before;
  const without = (patterns: readonly string[]): string[] => patterns.flatMap((pattern) => {
    const matched = all.filter((name) => isWanted(name, { include: [pattern] }));
    return matched.includes(tool) ? matched.filter((name) => name !== tool) : [pattern];
  });
  if (include !== undefined) return { ...before, include: enabled ? [...include, tool] : without(include) };
  return { ...before, exclude: enabled ? without(exclude) : [...exclude, tool] };
}
