/** `toolsets.*`: the panel. */
import type { Toolsets } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';
import type { Sessions } from './sessions.ts';

export function toolsetRequests(toolsets: Toolsets, sessions: Sessions): AreaHandlers<'toolsets'> {
  return {
    'toolsets.list': ({ sessionId }) => {
      if (sessionId !== undefined) sessions.existing(sessionId);
      return toolsets.list(sessionId);
    },
    'toolsets.set': async ({ name, sessionId, enabled }) => {
      if (sessionId !== undefined) sessions.existing(sessionId);
      await toolsets.set(name, enabled, sessionId);
      return toolsets.list(sessionId);
    },
    'toolsets.check': ({ sessionId }) => {
      if (sessionId !== undefined) sessions.existing(sessionId);
      return toolsets.list(sessionId, { fresh: true });
    },
  };
}
