/** `credentials.*`: what waits for a person to type, and the answer. */
import type { Credentials } from '../credentials/credentials.ts';
import type { AreaHandlers } from './handlers.ts';

export function credentialRequests(credentials: Credentials): AreaHandlers<'credentials'> {
  return {
    'credentials.list': () => credentials.list(),
    'credentials.answer': ({ id, value }) => {
      credentials.answer(id, value);
      return {};
    },
  };
}
