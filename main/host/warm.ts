/** What the first message would otherwise wait for, done while nobody waits. */
import type { CallsRuntime } from '../calls/calls.ts';
import type { Clock, Log, Toolsets } from '../ports.ts';

/** A command that only asks for something is gone by then, and a window has drawn itself. */
const WARM_AFTER_MS = 2_000;
/** A window that is common among models; another one only makes the first list anew from parts that are there. */
const COMMON_CONTEXT_TOKENS = 200_000;

export interface WarmParts {
  readonly calls: Pick<CallsRuntime, 'warm' | 'getToolDefinitions'>;
  readonly toolsets: Pick<Toolsets, 'enabledFor'>;
}

/** Goes the way of a new chat's first request once: its tools are then made, and its code has run. */
export async function warmFirstRequest({ calls, toolsets }: WarmParts): Promise<void> {
  await calls.warm();
  await calls.getToolDefinitions({ ...toolsets.enabledFor(undefined), contextTokens: COMMON_CONTEXT_TOKENS, quiet: true });
}

/** Later, when every server that a request waits for has come. Returns the way to take it back. */
export function warmLater(parts: WarmParts & { readonly clock: Pick<Clock, 'after'>; readonly log: Log; readonly ready: () => Promise<unknown> }): () => void {
  return parts.clock.after(WARM_AFTER_MS, () => {
    parts.ready().then(() => warmFirstRequest(parts)).catch((error: unknown) => parts.log.error('what the first call needs could not be loaded ahead of it', { error }));
  });
}
