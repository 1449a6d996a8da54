import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { Message } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { failureWords } from '../../ui/failure.ts';
import { formatClock } from '../../ui/format.ts';
import { useFrame } from '../../ui/frame.tsx';
import { useChatFeature } from './context.tsx';
import { endEdit, takesFocus, writeEdit } from './edits.ts';
import { useChatSlots } from './slots.tsx';

/** A message of the person's in an editor, where it stood. What is sent goes into a fork that ends before it, so nothing is lost. */
export function EditMessage({ message, text }: { readonly message: Message; readonly text: string }) {
  const feature = useChatFeature();
  const frame = useFrame();
  const { KeptSince } = useChatSlots();
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const wordsId = useId();
  const blank = text.trim() === '';
  useEffect(() => {
    const textarea = field.current;
    if (textarea === null || !takesFocus(message.id)) return;
    textarea.focus();
    textarea.setSelectionRange(textarea.value.length, textarea.value.length);
  }, [message.id]);

  const cancel = (): void => {
    const row = field.current?.closest('[data-message]');
    endEdit(message.id);
    requestAnimationFrame(() => { row?.querySelector<HTMLElement>('button')?.focus(); });
  };
  const send = (): void => {
    if (blank || sending) return;
    setSending(true);
    setProblem(undefined);
    feature.fork({ messageId: message.id, text }).then(
      (forked) => {
        endEdit(message.id);
        frame.openSession(forked);
      },
      (error: unknown) => {
        setProblem(failureWords(error));
        setSending(false);
      },
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') cancel();
    else if (event.key === 'Enter' && !event.shiftKey && event.target === field.current) send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <article aria-label={`You, ${formatClock(message.createdAt)}, being edited`} onKeyDown={onKeyDown} className="mt-2 mb-4 rounded-lg border border-line-strong/60 bg-raised focus-within:border-accent">
      {problem === undefined ? null : <p role="alert" className="rounded-t-lg border-b border-danger/30 bg-danger-soft px-3 py-1 text-xs wrap-anywhere text-danger">{problem}</p>}
      <textarea
        ref={field} value={text} rows={1} dir="auto" disabled={sending} aria-label="Edit your message" aria-describedby={wordsId}
        onChange={(event) => { setProblem(undefined); writeEdit(message.id, event.target.value); }}
        className="block max-h-[40vh] min-h-10 w-full resize-none [field-sizing:content] overflow-y-auto bg-transparent px-3 pt-2 pb-1 text-base outline-none"
      />
      <KeptSince message={message} />
      <div className="flex flex-wrap items-center gap-2 px-3 pt-1 pb-2">
        <p id={wordsId} className="min-w-60 flex-1 text-xs text-muted">Goes into a fork that ends before this message. This chat stays as it is.</p>
        <Button size="small" disabled={sending} onClick={cancel}>Cancel</Button>
        <Button size="small" tone="primary" disabled={blank} busy={sending} onClick={send}>Send in a fork</Button>
      </div>
    </article>
  );
}
