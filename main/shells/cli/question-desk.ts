/** Answers what the model asks through `clarify`, and MCP servers through forms, while a command of ours runs. */
import { createInterface, type Interface } from 'node:readline/promises';
import { AppError, type Question } from '../../../preload/contract/index.ts';
import type { QuestionForm } from '../../../preload/contract/mcp.ts';
import { CALLER } from './command.ts';
import { askForm } from './form-prompt.ts';
import type { CliHost } from './host-port.ts';
import { print, type Streams } from './streams.ts';
import { visibleLine, visibleProse } from './visible.ts';

/** What the model reads when no person can be asked. */
const NOBODY = 'Nobody can be asked in this run. Decide yourself and say what you assumed.';

export interface QuestionDeskOptions {
  readonly host: CliHost;
  readonly streams: Streams;
  readonly signal: AbortSignal;
  readonly beforeQuestion?: () => void;
}

export function openQuestionDesk({ host, streams, signal, beforeQuestion }: QuestionDeskOptions): () => void {
  /** A form whose values do not fit is asked again, with what is wrong. */
  const fillIn = async (question: Question, form: QuestionForm): Promise<void> => {
    for (;;) {
      const reply = streams.interactive ? await withLines(streams, (lines) => askForm(question.question, form, streams, lines, signal)) : { action: 'cancel' as const, values: {} };
      try {
        await host.handle('chat.answer', { callId: question.callId, answer: '', reply }, CALLER);
        return;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'request/invalid' || reply.action !== 'accept') throw error;
        print(streams.stderr, `  ${visibleLine(error.message)}`);
      }
    }
  };
  const answer = async (question: Question): Promise<void> => {
    if (question.form !== undefined) return fillIn(question, question.form);
    const text = streams.interactive ? await ask(question, streams, signal) : NOBODY;
    await host.handle('chat.answer', { callId: question.callId, answer: text }, CALLER);
  };
  return host.events.subscribe('chat', (event) => {
    if (event.type !== 'question-asked') return;
    if (streams.interactive) beforeQuestion?.();
    answer(event.question).catch((error: unknown) => {
      if (!signal.aborted) host.log.warn('a question of the model could not be answered', { error });
    });
  });
}

/** A number picks a choice; any other text is the answer itself. */
async function ask(question: Question, streams: Streams, signal: AbortSignal): Promise<string> {
  print(streams.stderr, `\n? ${visibleProse(question.question)}`);
  question.choices.forEach((choice, index) => { print(streams.stderr, `  ${index + 1}. ${visibleLine(choice)}`); });
  const text = (await withLines(streams, (lines) => lines.question('> ', { signal }))).trim();
  return question.choices[Number(text) - 1] ?? text;
}

async function withLines<T>(streams: Streams, work: (lines: Interface) => Promise<T>): Promise<T> {
  const lines = createInterface({ input: streams.stdin, output: streams.stderr });
  try {
    return await work(lines);
  } finally {
    lines.close();
  }
}
