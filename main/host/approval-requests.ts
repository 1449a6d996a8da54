/** `approvals.*` and `allowlist.*`: deciding, and what was decided for good. */
import type { Caller } from '../bridge/host.ts';
import type { Approvals } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';

const HISTORY_ENTRIES = 200;

export function approvalRequests(approvals: Approvals): AreaHandlers<'approvals'> & AreaHandlers<'allowlist'> {
  const by = ({ via }: Caller): string => via;
  return {
    'approvals.list': () => approvals.list(),
    'approvals.history': ({ query, limit }) => approvals.history({ limit: limit ?? HISTORY_ENTRIES, ...(query === undefined ? {} : { query }) }),
    'approvals.decide': ({ id, choice, reason, editedCommand }, caller) => approvals.decide({
      id, choice, ...(reason === undefined ? {} : { reason }), ...(editedCommand === undefined ? {} : { editedCommand }),
    }, by(caller)),
    'approvals.hold': ({ id, held }) => approvals.hold(id, held),
    'approvals.seen': ({ id }) => {
      approvals.seen(id);
      return {};
    },
    'allowlist.list': () => approvals.allowlist(),
    'allowlist.add': ({ entry }, caller) => approvals.allow(entry, { by: by(caller) }),
    'allowlist.remove': ({ entry }) => approvals.disallow(entry),
    'allowlist.test': ({ command, backend, sessionId }) => approvals.test(command, { ...(backend === undefined ? {} : { backend }), ...(sessionId === undefined ? {} : { sessionId }) }),
  };
}
