/** Tools that call tools: the whole path of a call, in the place and under the rules of the call it serves. */
import { CallId, SessionId } from '../../preload/contract/ids.ts';
import type { NestedCallService } from '../../tools/context.ts';
import type { Calls, MakeToolContext } from '../ports.ts';

export function createNestedCalls(calls: Pick<Calls, 'callTool'>, makeContext: MakeToolContext): NestedCallService {
  return {
    async call(name, args, parent, { signal, emit }) {
      const context = makeContext({
        sessionId: SessionId.parse(parent.sessionId), callId: CallId.parse(parent.toolCallId), signal, emit, fromScript: true, approvals: parent.services.approvals,
        // An empty list: nobody has chosen tools yet, as in a call from the command line.
        ...(parent.enabledTools !== undefined && parent.enabledTools.length > 0 && { enabledTools: parent.enabledTools }),
        ...(parent.userTask !== undefined && { userTask: parent.userTask }),
      });
      return (await calls.callTool(name, args, context)).fullText;
    },
  };
}
