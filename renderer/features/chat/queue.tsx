import { CornerDownRight, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { useChat, useChatFeature, useMessage } from './context.tsx';
import { quoteInComposer } from './quotes.ts';
import type { Message, MessageId } from '../../../preload/contract/index.ts';

const NOTHING: readonly MessageId[] = [];

/** What was typed while the agent works: sent when its turn ends, and until then can be taken back. After a stop it waits for a word. */
export function Queue() {
  const queue = useChat((chat) => chat.queue) ?? NOTHING;
  const running = useChat((chat) => chat.running || chat.session?.status !== 'idle') ?? true;
  const [first] = queue;
  if (first === undefined) return null;
  return (
    <section aria-label="Queued messages" className="border-b border-line px-3 py-1">
      <div className="flex min-h-6 items-center gap-2">
        <p className="flex-1 text-2xs text-faint">{running ? 'Waiting to be sent' : 'Not sent, because the turn before was stopped'}</p>
        {running ? null : <SendNow first={first} />}
      </div>
      <ul>{queue.map((id) => <QueuedMessage key={id} id={id} />)}</ul>
    </section>
  );
}

/** What is sent goes before the queue, which follows by itself: so the first of it is what is sent. */
function SendNow({ first }: { readonly first: MessageId }) {
  const feature = useChatFeature();
  const message = useMessage(first);
  const [sending, setSending] = useState(false);
  const send = async ({ text, attachments = [] }: Message): Promise<void> => {
    setSending(true);
    try {
      await feature.unqueue(first);
      await feature.send(text, false, attachments.map(({ id }) => id)).catch((error: unknown) => {
        quoteInComposer(text);
        throw error;
      });
    } catch (error) {
      showFailure(error);
    } finally {
      setSending(false);
    }
  };
  return message === undefined ? null : <Button size="small" busy={sending} onClick={() => { void send(message); }}>Send now</Button>;
}

function QueuedMessage({ id }: { readonly id: MessageId }) {
  const feature = useChatFeature();
  const message = useMessage(id);
  const steered = useChat((chat) => chat.steered.has(id)) ?? false;
  const running = useChat((chat) => chat.running || chat.session?.status !== 'idle') ?? true;
  if (message === undefined) return null;
  return (
    <li className="flex items-center gap-2 text-xs text-muted">
      <CornerDownRight size={13} aria-hidden className="shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate"><VisibleText text={[message.text, ...message.attachments?.map(({ name }) => name) ?? []].filter((words) => words !== '').join(', ')} /></span>
      {running ? <span className="shrink-0 text-2xs text-faint">{steered ? 'before its next step' : 'when this turn ends'}</span> : null}
      <IconButton size="small" side="top" icon={X} label="Take back" onClick={() => { feature.unqueue(id).catch(showFailure); }} />
    </li>
  );
}
