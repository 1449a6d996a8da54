/** Where approvals are switched off. Pure. */
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { YoloState } from '../../../preload/contract/index.ts';

/** `process`: for the whole run, by how it was started; `chat`: in this chat, by a person; `off`: questions are asked. */
export type YoloWhere = 'process' | 'chat' | 'off';

export function yoloIn(state: YoloState, sessionId: SessionId | undefined): YoloWhere {
  if (state.process) return 'process';
  return sessionId !== undefined && state.sessions.includes(sessionId) ? 'chat' : 'off';
}
