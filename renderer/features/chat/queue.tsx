import { CornerDownRight, X } from 'lucide-react';
import { IconButton } from '../../ui/icon-button.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { useChat, useChatFeature, useMessage } from './context.tsx';
import type { MessageId } from '../../../preload/contract/index.ts';

const NOTHING: readonly MessageId[] = [];

/** What was typed while the agent works: sent when its turn ends, and until then can be taken back. */
export function Queue() {
  const queue = useChat((chat) => chat.queue) ?? NOTHING;
  if (queue.length === 0) return null;
  return (
    <section aria-label="Queued messages" className="border-b border-line px-3 py-1">
      <p className="py-0.5 text-2xs text-faint">Waiting to be sent</p>
      <ul>{queue.map((id) => <QueuedMessage key={id} id={id} />)}</ul>
    </section>
  );
}

function QueuedMessage({ id }: { readonly id: MessageId }) {
  const feature = useChatFeature();
  const message = useMessage(id);
  const steered = useChat((chat) => chat.steered.has(id)) ?? false;
  if (message === undefined) return null;
  return (
    <li className="flex items-center gap-2 text-xs text-muted">
      <CornerDownRight size={13} aria-hidden className="shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate"><VisibleText text={message.text} /></span>
      <span className="shrink-0 text-2xs text-faint">{steered ? 'before its next step' : 'when this turn ends'}</span>
      <IconButton size="small" side="top" icon={X} label="Take back" onClick={() => { feature.unqueue(id).catch(showFailure); }} />
    </li>
  );
}
