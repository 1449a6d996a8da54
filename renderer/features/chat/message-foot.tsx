import { GitFork } from 'lucide-react';
import { useState } from 'react';
import type { FocusEvent, PointerEvent } from 'react';
import type { Message, MessageId } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatClock, formatFull } from '../../ui/format.ts';
import { useFrame } from '../../ui/frame.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { useChatFeature } from './context.tsx';
import { beginEdit } from './edits.ts';

interface Here {
  readonly here: boolean;
  readonly handlers: {
    readonly onPointerEnter: () => void; readonly onPointerLeave: (event: PointerEvent<HTMLElement>) => void;
    readonly onFocus: () => void; readonly onBlur: (event: FocusEvent<HTMLElement>) => void;
  };
}

/** Whether the pointer or the focus is on a message: only then its controls are drawn, because a long chat has very many of them. */
export function useHere(): Here {
  const [here, setHere] = useState(false);
  return {
    here,
    handlers: {
      onPointerEnter: () => { setHere(true); },
      onPointerLeave: ({ currentTarget }) => { setHere(currentTarget.contains(document.activeElement)); },
      onFocus: () => { setHere(true); },
      onBlur: ({ currentTarget, relatedTarget }) => { setHere((relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) || currentTarget.matches(':hover')); },
    },
  };
}

function useFork(messageId: MessageId): { readonly busy: boolean; readonly fork: () => void } {
  const feature = useChatFeature();
  const frame = useFrame();
  const [busy, setBusy] = useState(false);
  const fork = (): void => {
    setBusy(true);
    feature.fork({ messageId }).then((forked) => { frame.openSession(forked); }, showFailure).finally(() => { setBusy(false); });
  };
  return { busy, fork };
}

/** Time, copy and what else can be done, seen while the pointer or the focus is on the message. Its height is kept, so that nothing moves. */
export function MessageFoot({ message, here }: { readonly message: Message; readonly here: boolean }) {
  return (
    <div className="-mb-2 flex h-6 items-center gap-1 text-2xs text-faint opacity-0 group-focus-within/message:opacity-100 group-hover/message:opacity-100">
      <time title={formatFull(message.createdAt)} className="tabular-nums">{formatClock(message.createdAt)}</time>
      {message.model === null ? null : <span className="min-w-0 truncate">· {message.model}</span>}
      <CopyButton text={message.text} label="Copy message" />
      {here && message.role === 'user' ? <Button size="small" tone="ghost" className="text-2xs" onClick={() => { beginEdit(message.id, message.text); }}>Edit</Button> : null}
      {here ? <ForkButton id={message.id} /> : null}
    </div>
  );
}

function ForkButton({ id }: { readonly id: MessageId }) {
  const { busy, fork } = useFork(id);
  return <Button size="small" tone="ghost" className="text-2xs" busy={busy} onClick={fork}>Fork from here</Button>;
}

/** The same for what has no foot: calls and notices. It stands in the margin. */
export function ForkMark({ id }: { readonly id: MessageId }) {
  const { busy, fork } = useFork(id);
  return <IconButton size="small" side="left" icon={GitFork} label="Fork from here" disabled={busy} onClick={fork} className="absolute top-2.5 right-0" />;
}
