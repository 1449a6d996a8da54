import { useShallow } from 'zustand/react/shallow';
import { useChat } from './context.tsx';
import type { Chat } from './model.ts';
import { QuestionForm } from './question-form.tsx';

/** Questions whose call is in no message of this chat: a sub-agent asks, or something outside of a turn. */
export function looseQuestions({ questions, messages }: Pick<Chat, 'questions' | 'messages'>): Chat['questions'] {
  if (questions.length === 0) return questions;
  const calls = new Set([...messages.values()].flatMap((message) => message.calls.map((call) => call.id)));
  return questions.filter(({ callId }) => !calls.has(callId));
}

/** Stands above the composer, so that it cannot scroll out of sight. */
export function LooseQuestions() {
  const sessionId = useChat((chat) => chat.sessionId);
  const questions = useChat(useShallow((chat) => looseQuestions(chat))) ?? [];
  if (questions.length === 0) return null;
  return (
    <section aria-label="Questions outside of the conversation" className="mx-auto max-h-1/2 w-full max-w-190 shrink-0 space-y-2 overflow-y-auto px-7 py-2">
      {questions.map((question) => (
        <div key={question.callId} className="rounded-md border border-warn-line bg-canvas p-3">
          <p className="pb-2 text-xs text-muted">{question.sessionId === sessionId ? 'Asked outside of a turn' : 'A sub-agent of this chat asks'}</p>
          <QuestionForm question={question} />
        </div>
      ))}
    </section>
  );
}
