/** `sessions export`: a chat as one text on stdout, to be sent into a file. */
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import { chatNamed } from './chat-named.ts';

export function exportChat(context: CommandContext, chat: string, format: 'markdown' | 'json'): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const { id } = chatNamed(chat, await host.handle('sessions.list', {}, CALLER));
    const { text } = await host.handle('sessions.export', { sessionId: id, format: context.json ? 'json' : format }, CALLER);
    context.streams.stdout.write(text);
    return EXIT.done;
  });
}
