/** `approvals.*` and `allowlist.*`: deciding, and what was decided for good. */
import type { Caller } from '../bridge/host.ts';
import type { Approvals } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';

const HISTORY_ENTRIES = 200;

export function approvalRequests(approvals: Approvals): AreaHandlers<'approvals'> & AreaHandlers<'allowlist'> & AreaHandlers<'approvalRules'> {
  const { rules } = approvals;
  const by = ({ via }: Caller): string => via;
  return {
    'approvals.list': () => approvals.list(),
    'approvals.history': ({ query, limit }) => approvals.history({ limit: limit ?? HISTORY_ENTRIES, ...(query === undefined ? {} : { query }) }),
    'approvals.decide': ({ id, choice, reason, editedCommand, rule }, caller) => approvals.decide({
      id, choice, ...(rule === undefined ? {} : { rule }), ...(reason === undefined ? {} : { reason }), ...(editedCommand === undefined ? {} : { editedCommand }),
    }, by(caller)),
    'approvals.hold': ({ id, held }) => approvals.hold(id, held),
    'approvals.seen': ({ id }) => {
      approvals.seen(id);
      return {};
    },
    'approvals.export': ({ format, query }) => approvals.exportHistory({ format, ...(query === undefined ? {} : { query }) }),
    'approvals.setYolo': ({ sessionId, on }) => {
      approvals.setYolo(sessionId, on);
      return approvals.yolo();
    },
    'approvals.yolo': () => approvals.yolo(),
    'approvalRules.list': () => rules.list(),
    'approvalRules.add': ({ rule }, caller) => rules.add(rule, by(caller)),
    'approvalRules.remove': ({ id }) => rules.remove(id),
    'approvalRules.update': ({ id, rule }) => rules.update(id, rule),
    'approvalRules.restore': ({ ids }) => rules.restore(ids),
    'approvalRules.addExample': ({ id, command, matches }) => rules.addExample(id, command, matches),
    'approvalRules.preview': ({ id, scope, anyBackend }) => rules.preview(id, { ...(scope === undefined ? {} : { scope }), ...(anyBackend === undefined ? {} : { anyBackend }) }),
    'approvalRules.export': () => ({ text: rules.exportAll() }),
    'approvalRules.importPreview': ({ text }) => rules.importPreview(text),
    'approvalRules.importAccept': ({ text, ids }, caller) => rules.importAccept(text, ids, by(caller)),
    'allowlist.list': () => approvals.allowlist(),
    'allowlist.add': ({ entry }, caller) => approvals.allow(entry, { by: by(caller) }),
    'allowlist.remove': ({ entry }) => approvals.disallow(entry),
    'allowlist.restore': ({ entry }) => approvals.restoreEntry(entry),
    'allowlist.patterns': () => approvals.patterns(),
    'allowlist.test': ({ command, backend, sessionId }) => approvals.test(command, { ...(backend === undefined ? {} : { backend }), ...(sessionId === undefined ? {} : { sessionId }) }),
  };
}
