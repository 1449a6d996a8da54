/** Ties what is asked while a tool runs to the chat of its call. */
import type { Calls } from '../ports.ts';
import type { Credentials } from './credentials.ts';

/** The same calls; whatever one of them connects to asks its questions in the chat of the call, and stops asking with it. */
export function scopedCalls<Kind extends Pick<Calls, 'callTool'>>(calls: Kind, credentials: Pick<Credentials, 'within'>): Kind {
  return {
    ...calls,
    callTool: (name, args, context, how) => {
      const { sessionId, signal } = context;
      const onWaiting = (waiting: boolean): void => context.emit({ kind: 'person', state: waiting ? 'waiting' : 'settled' });
      return credentials.within({ sessionId, signal, onWaiting }, () => calls.callTool(name, args, context, how));
    },
  };
}
