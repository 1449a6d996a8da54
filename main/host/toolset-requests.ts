/** `toolsets.*`: the panel. */
import type { Extensions } from '../plugins/extension.ts';
import type { Toolsets } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';
import type { Sessions } from './sessions.ts';

export function toolsetRequests(toolsets: Toolsets, sessions: Sessions, extensions: Pick<Extensions, 'rescan' | 'ready' | 'trust'>): AreaHandlers<'toolsets'> {
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
    'toolsets.trust': async ({ name }) => {
      await extensions.trust(name);
      return toolsets.list();
    },
    'toolsets.check': async ({ sessionId }) => {
      if (sessionId !== undefined) sessions.existing(sessionId);
      await extensions.rescan();
      await extensions.ready();
      return toolsets.list(sessionId, { fresh: true });
    },
  };
}
