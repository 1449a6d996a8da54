/** A toolset that cannot be used stays visible, with the reason and what mends it: a tool under its name whose check says why. */
import type { CheckReason, PluginOwner, ToolRegistration, ToolRegistry } from '../../tools/registry.ts';
import { toolError } from '../../tools/result.ts';

export interface Unavailable {
  readonly tool: string;
  readonly toolset: string;
  readonly description: string;
  readonly reason: CheckReason;
}

/** Never offered to a model: its check fails for as long as it stands. */
export function unavailableTool({ tool, toolset, description, reason }: Unavailable): ToolRegistration {
  return {
    name: tool, toolset, schema: { description }, checkFn: () => reason,
    handler: () => toolError(`${reason.message}${reason.fix === undefined ? '' : ` ${reason.fix}`}`),
  };
}

/** Puts it there; returns the way to take it away. */
export function showUnavailable(registry: ToolRegistry, owner: PluginOwner, what: Unavailable): () => void {
  const registration = unavailableTool(what);
  if (registry.getEntry(registration.name) !== undefined) return () => undefined;
  registry.register(registration, { owner });
  return () => registry.deregister(registration.name, { owner });
}
