/** Questions the model asks the person through `clarify`, and forms of MCP servers: open ones by call id, answered exactly once. */
import type { CallId, SessionId } from '../../preload/contract/ids.ts';
import type { FormReply, QuestionForm } from '../../preload/contract/mcp.ts';
import type { Question } from '../../preload/contract/sessions.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { QuestionService } from '../../tools/context.ts';
import type { Clock, FormAsker } from '../ports.ts';

interface Open { readonly question: Question; settle(answer: string | FormReply | undefined): void; check(values: FormReply['values']): string | undefined }

export interface Questions extends QuestionService, FormAsker {
  list(sessionId: SessionId): Question[];
  /** Throws `not-found` when that question is not open (any more), `request/invalid` when it cannot be answered like this. */
  answer(callId: CallId, answer: string, reply?: FormReply): void;
}

export interface QuestionParts {
  readonly clock: Pick<Clock, 'now'>;
  /** Somebody can see a question now. */
  readonly canAsk: () => boolean;
  /** The chat a person talks to, for one that another chat has sent out: what a sub-agent asks stands in both. */
  readonly rootOf: (sessionId: SessionId) => SessionId;
  readonly onAsked: (question: Question) => void;
  readonly onSettled: (question: Question) => void;
}

interface Asked { readonly sessionId: string; readonly toolCallId: string; readonly question: string; readonly choices?: readonly string[]; readonly form?: QuestionForm }

export function createQuestions(parts: QuestionParts): Questions {
  const open = new Map<string, Open>();
  /** The last form of each call that asks: the next one of the same call comes after it. */
  const forms = new Map<string, Promise<unknown>>();

  function put(asked: Asked, check: Open['check'], signal: AbortSignal): Promise<string | FormReply | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const question: Question = {
        callId: asked.toolCallId as CallId, sessionId: asked.sessionId as SessionId, // the host made the context they come from out of these ids
        question: asked.question, choices: [...asked.choices ?? []], createdAt: parts.clock.now(), ...(asked.form === undefined ? {} : { form: asked.form }),
      };
      const settle: Open['settle'] = (answer) => {
        if (!open.delete(question.callId)) return;
        signal.removeEventListener('abort', giveUp);
        parts.onSettled(question);
        resolve(answer);
      };
      const giveUp = (): void => settle(undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      open.set(question.callId, { question, settle, check });
      parts.onAsked(question);
    });
  }

  return {
    get available() {
      return parts.canAsk();
    },
    async ask(asked, signal) {
      const answer = await put(asked, () => undefined, signal);
      return typeof answer === 'string' ? answer : undefined;
    },
    async askForm({ check, ...asked }, signal) {
      const before = forms.get(asked.toolCallId) ?? Promise.resolve();
      const mine = before.then(() => put(asked, check, signal));
      forms.set(asked.toolCallId, mine);
      const reply = await mine;
      if (forms.get(asked.toolCallId) === mine) forms.delete(asked.toolCallId);
      return typeof reply === 'string' ? undefined : reply;
    },
    list: (sessionId) => [...open.values()].map(({ question }) => question).filter((question) => question.sessionId === sessionId || parts.rootOf(question.sessionId) === sessionId),
    answer(callId, answer, reply) {
      const asked = open.get(callId);
      if (!asked) throw new AppError('not-found', 'That question is not open any more.', { hint: 'It was answered, or the chat was stopped.' });
      if (asked.question.form === undefined) return asked.settle(answer);
      if (reply === undefined) throw new AppError('request/invalid', 'This question has a form: it is answered field by field.', { hint: 'Fill the form in, or decline it.' });
      const problem = reply.action === 'accept' ? asked.check(reply.values) : undefined;
      if (problem !== undefined) throw new AppError('request/invalid', problem, { hint: 'Mend the field and send it again.' });
      asked.settle(reply);
    },
  };
}
