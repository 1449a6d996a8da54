/** Tool calls that belong to no turn: from the command line, and from the form that tries a tool. */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { CallOutcome, Calls, Ids, MakeToolContext } from '../ports.ts';

export type DirectCall = (name: string, args: unknown, call: { readonly sessionId: SessionId; readonly signal: AbortSignal }) => Promise<CallOutcome>;

export interface DirectCallParts {
  readonly calls: Pick<Calls, 'callTool'>;
  readonly extensions: { ready(): Promise<void>; settled(): Promise<void> };
  readonly registry: { getEntry(name: string): object | undefined };
  readonly makeContext: MakeToolContext;
  readonly ids: Pick<Ids, 'call'>;
  readonly closing: AbortSignal;
}

/** Never rejects for what the tool does. A name that is not there yet may be one of a server that is still being connected. */
export function createDirectCalls({ calls, extensions, registry, makeContext, ids, closing }: DirectCallParts): DirectCall {
  return async (name, args, { sessionId, signal }) => {
    if (registry.getEntry(name) === undefined || name.startsWith('mcp_')) await extensions.ready();
    // Nobody asks in vain because a plugin starts slowly.
    if (registry.getEntry(name) === undefined) await extensions.settled();
    return calls.callTool(name, args, makeContext({ sessionId, callId: ids.call(), signal: AbortSignal.any([signal, closing]) }));
  };
}
