/** `chat`: a conversation on the terminal. */
import { createInterface } from 'node:readline/promises';
import { AppError } from '../../../../preload/contract/index.ts';
import { openApprovalDesk } from '../approval-desk.ts';
import { EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { openCredentialDesk } from '../credential-desk.ts';
import { hostPlace, openChat, type ChatPlace } from '../open-chat.ts';
import { openQuestionDesk } from '../question-desk.ts';
import { print, type Streams } from '../streams.ts';
import { runTurn } from '../turn.ts';
import { turnPrinter } from '../turn-printer.ts';
import { visibleLine } from '../visible.ts';
import { toggleYolo, warnYolo } from '../yolo.ts';

export interface ChatChoices extends ChatPlace { readonly model?: string; readonly baseUrl?: string }

/** Ctrl-C stops the running turn; at the prompt, Ctrl-C, Ctrl-D and `/exit` leave. */
export function chat(context: CommandContext, choices: ChatChoices): Promise<ExitCode> {
  const { streams, paint } = context;
  if (!streams.interactive) throw new UsageError('chat needs a terminal', 'In scripts use: talaria run PROMPT');
  const { model, baseUrl } = choices;
  return context.withHost({ ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }), ...hostPlace(choices) }, async (host) => {
    const session = await openChat(host, choices);
    print(streams.stderr, paint('dim', `${visibleLine(session.title)} (${session.id}). !command runs a command, Ctrl-C stops, /yolo switches the questions off and on, /exit leaves.`));
    await warnYolo(context, host);
    const history: string[] = [];
    for (;;) {
      const text = await readLine(streams, history, context.signal);
      if (text === undefined || text === '/exit') return EXIT.done;
      if (text === '') continue;
      if (text === '/yolo') {
        await toggleYolo(context, host, session.id);
        continue;
      }
      const stop = new AbortController();
      const signal = AbortSignal.any([context.signal, stop.signal]);
      const printer = turnPrinter(streams);
      const onSignal = (): void => { stop.abort(); };
      process.on('SIGINT', onSignal);
      const closers = [
        openApprovalDesk({ host, streams, sessionId: session.id, rule: 'ask', beforeQuestion: printer.freshLine, onInterrupt: onSignal }),
        openQuestionDesk({ host, streams, signal, beforeQuestion: printer.freshLine }),
        openCredentialDesk({ host, streams, beforeQuestion: printer.freshLine, onInterrupt: onSignal }),
      ];
      try {
        const end = await runTurn({ host, sessionId: session.id, text, signal, onEvent: printer.onEvent });
        printer.freshLine();
        if (end.error !== null) print(streams.stderr, paint('red', visibleLine(end.error.message)));
        if (end.reason === 'stopped') print(streams.stderr, paint('dim', 'Stopped.'));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        print(streams.stderr, paint('red', visibleLine(error.message)) + (error.hint === undefined ? '' : `\n${visibleLine(error.hint)}`));
      } finally {
        process.off('SIGINT', onSignal);
        for (const close of closers) close();
      }
      if (context.signal.aborted) return EXIT.interrupted;
    }
  });
}

/** Undefined at Ctrl-C and Ctrl-D. */
async function readLine(streams: Streams, history: string[], signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: streams.stdin, output: streams.stderr, history: [...history], historySize: 200 });
  const left = new Promise<undefined>((resolve) => { lines.on('close', () => { resolve(undefined); }); lines.on('SIGINT', () => { lines.close(); }); });
  try {
    const text = await Promise.race([lines.question('› ', { signal }), left]);
    if (text !== undefined && text.trim() !== '') history.unshift(text);
    return text?.trim();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}
