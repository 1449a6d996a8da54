/** What plugins may do in chats besides their tools: call tools the whole way, and speak to the model. */
import { SessionId } from '../../preload/contract/ids.ts';
import type { Agent } from '../agent/agent.ts';
import type { PluginReach } from '../plugins/plugin-context.ts';
import type { Calls, Ids, MakeToolContext } from '../ports.ts';
import type { Sessions } from './sessions.ts';

export interface ReachParts {
  readonly agent: Pick<Agent, 'send'>;
  readonly sessions: Pick<Sessions, 'existing'>;
  readonly calls: Pick<Calls, 'callTool'>;
  readonly makeContext: MakeToolContext;
  readonly ids: Pick<Ids, 'call'>;
  /** Aborted when the host closes. */
  readonly signal: AbortSignal;
}

/** Both throw `not-found` or `session/deleted` for a chat that is not there. */
export function createPluginReach({ agent, sessions, calls, makeContext, ids, signal }: ReachParts): PluginReach {
  const existing = (sessionId: string): SessionId => sessions.existing(SessionId.parse(sessionId)).id;
  return {
    injectMessage: (text, sessionId) => { agent.send(existing(sessionId), text, { steer: true }); },
    async dispatchTool(name, args, sessionId) {
      const { result, fullText } = await calls.callTool(name, args, makeContext({ sessionId: existing(sessionId), callId: ids.call(), signal }));
      return typeof result === 'string' ? result : fullText;
    },
  };
}
