import { useId, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { Question } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/input.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { useChatFeature } from './context.tsx';
import { FormQuestion } from './form-question.tsx';

/** A question of the model, or of an MCP server that it has called. */
export function QuestionForm({ question }: { readonly question: Question }) {
  return question.form === undefined ? <WordsQuestion question={question} /> : <FormQuestion question={question} form={question.form} />;
}

/** Pick one of its choices, or answer in own words. */
function WordsQuestion({ question }: { readonly question: Question }) {
  const feature = useChatFeature();
  const [text, setText] = useState('');
  const [sending, setSending] = useState(false);
  const titleId = useId();
  const answer = (value: string): void => {
    if (value.trim() === '') return;
    setSending(true);
    feature.answer(question.callId, value.trim()).catch((error: unknown) => { setSending(false); showFailure(error); });
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    answer(text);
  };
  return (
    <form onSubmit={submit} aria-labelledby={titleId} className="flex flex-col gap-2">
      <p id={titleId} className="font-medium wrap-anywhere whitespace-pre-wrap">{question.question}</p>
      {question.choices.length === 0 ? null : (
        <div className="flex flex-wrap gap-1.5">
          {question.choices.map((choice) => (
            <Button key={choice} disabled={sending} onClick={() => { answer(choice); }} className="h-auto min-h-7 py-1 text-left whitespace-normal">{choice}</Button>
          ))}
        </div>
      )}
      <div className="flex gap-1.5">
        <Input aria-label="Your own answer" placeholder={question.choices.length === 0 ? 'Your answer' : 'Or answer in your own words'} value={text} onChange={(event) => { setText(event.target.value); }} className="flex-1" />
        <Button type="submit" tone="primary" busy={sending} disabled={text.trim() === ''}>Answer</Button>
      </div>
    </form>
  );
}
