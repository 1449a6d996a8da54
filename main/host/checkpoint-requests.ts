/** `checkpoints.*`: what tools changed, and putting it back. */
import type { Checkpoints } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';

const LISTED = 200;

export function checkpointRequests(checkpoints: Checkpoints): AreaHandlers<'checkpoints'> {
  return {
    'checkpoints.list': ({ sessionId, callId, limit }) => checkpoints.list({
      limit: limit ?? LISTED, ...(sessionId === undefined ? {} : { sessionId }), ...(callId === undefined ? {} : { callId }),
    }),
    'checkpoints.diff': ({ id, path }) => checkpoints.diff(id, path),
    'checkpoints.restore': ({ id, path, since }) => checkpoints.restore(id, { ...(path === undefined ? {} : { path }), ...(since === undefined ? {} : { since }) }),
  };
}
