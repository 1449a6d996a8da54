/** Which states of a request still wait for an answer. */
import type { ApprovalRequest, ApprovalState } from '../../preload/contract/approvals.ts';

export const OPEN = ['created', 'delivered', 'seen', 'held'] as const satisfies readonly ApprovalState[];
/** The clock runs in these. */
export const TICKING = ['created', 'delivered', 'seen'] as const satisfies readonly ApprovalState[];

export const isOpen = (request: Pick<ApprovalRequest, 'state'>): boolean => OPEN.some((state) => state === request.state);
