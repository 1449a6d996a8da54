/** Questions the model asks the person through `clarify`: open ones by call id, answered exactly once. */
import type { CallId, SessionId } from '../../preload/contract/ids.ts';
import type { Question } from '../../preload/contract/sessions.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { QuestionService } from '../../tools/context.ts';
import type { Clock } from '../ports.ts';

interface Open { readonly question: Question; settle(answer: string | undefined): void }

export interface Questions extends QuestionService {
  list(sessionId: SessionId): Question[];
  /** Throws `not-found` when that question is not open (any more). */
  answer(callId: CallId, answer: string): void;
}

export interface QuestionParts {
  readonly clock: Pick<Clock, 'now'>;
  /** Somebody can see a question now. */
  readonly canAsk: () => boolean;
  readonly onAsked: (question: Question) => void;
  readonly onSettled: (question: Question) => void;
}

export function createQuestions(parts: QuestionParts): Questions {
  const open = new Map<string, Open>();
  return {
    get available() {
      return parts.canAsk();
    },
    ask(asked, signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const question: Question = {
          callId: asked.toolCallId as CallId, sessionId: asked.sessionId as SessionId, // the host made the context they come from out of these ids
          question: asked.question, choices: [...asked.choices], createdAt: parts.clock.now(),
        };
        const settle = (answer: string | undefined): void => {
          if (!open.delete(question.callId)) return;
          signal.removeEventListener('abort', giveUp);
          parts.onSettled(question);
          resolve(answer);
        };
        const giveUp = (): void => settle(undefined);
        signal.addEventListener('abort', giveUp, { once: true });
        open.set(question.callId, { question, settle });
        parts.onAsked(question);
      });
    },
    list: (sessionId) => [...open.values()].filter(({ question }) => question.sessionId === sessionId).map(({ question }) => question),
    answer(callId, answer) {
      const asked = open.get(callId);
      if (!asked) throw new AppError('not-found', 'That question is not open any more.', { hint: 'It was answered, or the chat was stopped.' });
      asked.settle(answer);
    },
  };
}
