/** `terminals.*` and `processes.*`. Attachments belong to a connection and are answered by the bridge. */
import type { Credentials } from '../credentials/credentials.ts';
import type { Terminals } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';
import type { Sessions } from './sessions.ts';

export function terminalRequests(terminals: Terminals, sessions: Sessions, credentials: Pick<Credentials, 'within'>): AreaHandlers<'terminals'> & AreaHandlers<'processes'> {
  return {
    'terminals.list': () => terminals.list(),
    'terminals.open': async ({ cwd, sessionId, cols, rows }) => {
      const session = sessionId === undefined ? undefined : sessions.existing(sessionId);
      const directory = cwd === undefined ? session?.cwd : await sessions.checkedCwd(cwd, session?.backend);
      return credentials.within({ sessionId: sessionId ?? null }, () => terminals.open({
        cols, rows, ...(sessionId === undefined ? {} : { sessionId }), ...(directory === undefined ? {} : { cwd: directory }),
      }));
    },
    'terminals.write': ({ id, data }) => {
      terminals.write(id, data);
      return {};
    },
    'terminals.resize': ({ id, cols, rows }) => {
      terminals.resize(id, cols, rows);
      return {};
    },
    'terminals.drive': ({ id, driver }) => terminals.drive(id, driver),
    'terminals.kill': ({ id, how }) => terminals.kill(id, how),
    'terminals.rename': ({ id, title }) => terminals.rename(id, title),
    'terminals.dismiss': ({ id }) => {
      terminals.dismiss(id);
      return {};
    },
    'terminals.text': ({ id }) => terminals.text(id),
    'terminals.screen': async ({ id }) => ({ screen: await terminals.screen(id) }),
    'processes.list': () => terminals.processes(),
  };
}
