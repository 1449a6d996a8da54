import { Paperclip } from 'lucide-react';
import type { Attachment, SessionId } from '../../../preload/contract/index.ts';
import { formatBytes } from '../../ui/format.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { useMedia } from './load.ts';
import { Media } from './media.tsx';

const pathOf = ({ id }: Attachment): string => `attachment:${id}`;

/** A picture beside its name, as small as a line. */
export function AttachedPicture({ attachment, sessionId }: { readonly attachment: Attachment; readonly sessionId: SessionId | undefined }) {
  const loaded = useMedia(pathOf(attachment), sessionId);
  return loaded.kind === 'ready' ? <img src={loaded.url} alt="" className="size-6 shrink-0 rounded-sm border border-line object-cover" /> : null;
}

/** A file that went with a message: a picture, sound or film in its place, anything else by its name. */
export function AttachedFile({ attachment, sessionId }: { readonly attachment: Attachment; readonly sessionId: SessionId }) {
  if (attachment.type !== null) return <Media path={pathOf(attachment)} name={attachment.name} sessionId={sessionId} absent="words" />;
  return (
    <span role="group" aria-label={`File: ${attachment.name}`} className="flex h-7 max-w-full items-center gap-1.5 rounded-md border border-line bg-raised px-2 text-xs">
      <Paperclip size={13} aria-hidden className="shrink-0 text-muted" />
      <span className="min-w-0 truncate"><VisibleText text={attachment.name} /></span>
      <span className="shrink-0 text-2xs text-faint">{formatBytes(attachment.bytes)}</span>
    </span>
  );
}
