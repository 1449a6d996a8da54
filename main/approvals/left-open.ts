/** Questions that nobody was there for: they stay in the queue, and what is allowed later holds for the same command, once (hermes-runtime 4.10). */
import type { ApprovalRequest } from '../../preload/contract/approvals.ts';
import { SessionId } from '../../preload/contract/ids.ts';
import type { Storage } from '../ports.ts';

/** Answers of a chat that are looked through. */
const REMEMBERED = 50;

const isSame = (row: ApprovalRequest, asked: Asked): boolean => row.tool === asked.tool && row.command === asked.command && row.cwd === asked.cwd && row.backend === asked.backend;

interface Asked { readonly sessionId: string; readonly tool: string; readonly command: string; readonly cwd: string; readonly backend: string }

/** The open question about exactly this, if there is one: a second one would only repeat it. */
export const openOne = (open: readonly ApprovalRequest[], asked: Asked): ApprovalRequest | undefined =>
  open.find((row) => row.leftOpen === 'waiting' && row.sessionId === asked.sessionId && isSame(row, asked));

/** Takes the yes that was given for exactly this command, so that it holds one time only. Undefined when there is none. */
export function takeYes(storage: Pick<Storage, 'approvals' | 'transaction'>, asked: Asked): ApprovalRequest | undefined {
  const look = (): ApprovalRequest | undefined => storage.approvals.history({ sessionId: SessionId.parse(asked.sessionId), query: 'left open', limit: REMEMBERED })
    .find((each) => each.leftOpen === 'waiting' && each.state === 'approved' && isSame(each, asked));
  // Nearly always there is none: that costs no write.
  if (look() === undefined) return undefined;
  return storage.transaction(() => {
    const row = look();
    if (row !== undefined) storage.approvals.transition(row.id, ['approved'], { leftOpen: 'used' });
    return row;
  });
}
