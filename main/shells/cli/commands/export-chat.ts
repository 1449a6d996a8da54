/** `sessions export`: a chat as one text on stdout, to be sent into a file. */
import { SessionId } from '../../../../preload/contract/ids.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';

/** `chat`: its id, or its whole title where only one chat has it. */
export function exportChat(context: CommandContext, chat: string, format: 'markdown' | 'json'): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const all = await host.handle('sessions.list', {}, CALLER);
    const titled = all.filter(({ title }) => title === chat);
    const [only, second] = titled;
    if (second !== undefined) throw new UsageError(`several chats are called '${chat}'`, `Name one of ${titled.map(({ id }) => id).join(', ')}.`);
    const id = all.find((session) => session.id === chat)?.id ?? only?.id;
    if (id === undefined) throw new UsageError(`there is no chat '${chat}'`, 'See talaria sessions for the ids.');
    const { text } = await host.handle('sessions.export', { sessionId: SessionId.parse(id), format: context.json ? 'json' : format }, CALLER);
    context.streams.stdout.write(text);
    return EXIT.done;
  });
}
