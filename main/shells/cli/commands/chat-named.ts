/** The chat that a person means on the command line. */
import type { Session } from '../../../../preload/contract/index.ts';
import { UsageError } from '../command.ts';

/** `chat`: its id, or its whole title where only one chat has it. Throws `UsageError`. */
export function chatNamed(chat: string, all: readonly Session[]): Session {
  const byId = all.find((session) => session.id === chat);
  const titled = all.filter(({ title }) => title === chat);
  const [only, second] = titled;
  if (byId !== undefined) return byId;
  if (second !== undefined) throw new UsageError(`several chats are called '${chat}'`, `Name one of ${titled.map(({ id }) => id).join(', ')}.`);
  if (only === undefined) throw new UsageError(`there is no chat '${chat}'`, 'See talaria sessions for the ids.');
  return only;
}
