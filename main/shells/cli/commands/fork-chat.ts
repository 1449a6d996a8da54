/** `sessions fork`: a new chat with the history of another one; its id goes to stdout. */
import { MessageId } from '../../../../preload/contract/ids.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';
import { chatNamed } from './chat-named.ts';

/** `from`: id of the last message that is taken along; all of the chat without it. With `--json` the new chat as an object. */
export function forkChat(context: CommandContext, chat: string, from: string | undefined): Promise<ExitCode> {
  const messageId = from === undefined ? undefined : MessageId.safeParse(from);
  if (messageId?.success === false) throw new UsageError(`'${from ?? ''}' is no id of a message`, 'See talaria sessions export CHAT --format json for the ids.');
  return context.withHost({}, async (host) => {
    const { id } = chatNamed(chat, await host.handle('sessions.list', {}, CALLER));
    const made = await host.handle('sessions.fork', { sessionId: id, ...(messageId === undefined ? {} : { messageId: messageId.data }) }, CALLER);
    if (context.json) printJson(context.streams.stdout, made);
    else {
      print(context.streams.stdout, made.id);
      print(context.streams.stderr, context.paint('dim', `${visibleLine(made.title)}. Go on in it with: talaria chat --session ${made.id}`));
    }
    return EXIT.done;
  });
}
