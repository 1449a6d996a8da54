/** What the tests of the registry share: one that keeps its lines, a plugin, tools that say who they are. */
import { type PluginOwner, ToolRegistry } from '../../../tools/registry.ts';
import { contextOf, parsed } from '../calls/support.ts';

export interface Line { level: string; message: string }

/** `asyncLimitMs` is the time that a tool registered with `isAsync` has. */
export function quiet(asyncLimitMs?: number): { registry: ToolRegistry; lines: Line[] } {
  const lines: Line[] = [];
  return { registry: new ToolRegistry({ log: (level, message) => lines.push({ level, message }), ...(asyncLimitMs === undefined ? {} : { asyncLimitMs }) }), lines };
}

export const plugin = (more: Partial<PluginOwner> = {}): PluginOwner => ({ id: 'acme', allowOverride: false, scope: 'global', ...more });

export const say = (text: string) => (): string => JSON.stringify({ says: text });

export async function says(registry: ToolRegistry, name: string): Promise<unknown> {
  return parsed(await registry.dispatch(name, {}, contextOf()))['says'];
}
