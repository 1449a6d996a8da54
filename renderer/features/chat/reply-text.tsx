import { useMemo } from 'react';
import type { SessionId } from '../../../preload/contract/index.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { replyParts } from './media-lines.ts';
import { useChatSlots } from './slots.tsx';

/** The words of a reply, with the files it names in their place. */
export function ReplyText({ text, streaming, sessionId }: { readonly text: string; readonly streaming: boolean; readonly sessionId: SessionId }) {
  const { ReplyFile } = useChatSlots();
  const parts = useMemo(() => replyParts(text, streaming), [text, streaming]);
  return parts.map((part, index) => part.kind === 'file'
    ? <ReplyFile key={`${index} ${part.path}`} path={part.path} sessionId={sessionId} />
    : <Markdown key={index} text={part.text} streaming={streaming && index === parts.length - 1} />);
}
