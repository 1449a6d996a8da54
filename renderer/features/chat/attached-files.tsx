import { X } from 'lucide-react';
import { useRef } from 'react';
import type { SessionId } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import type { Attachings } from './attaching.ts';
import { useChatSlots } from './slots.tsx';

/** The files that will go with the message, each of which can be taken off. */
export function AttachedFiles({ attaching, sessionId, backend }: { readonly attaching: Attachings; readonly sessionId: SessionId | undefined; readonly backend: string | undefined }) {
  const { AttachedPicture } = useChatSlots();
  if (attaching.files.length === 0 && attaching.problem === undefined) return null;
  return (
    <section aria-label="Attached files" className="px-3 pt-2">
      <ul className="flex flex-wrap gap-1.5">
        {attaching.files.map(({ key, name, bytes, attachment }) => (
          <li key={key} className="flex h-9 max-w-64 items-center gap-2 rounded-md border border-line bg-panel pr-0.5 pl-1.5 text-xs">
            {attachment === undefined ? <span role="status" aria-label={`Taking in ${name}`}><Spinner /></span> : attachment.type?.startsWith('image/') === true ? <AttachedPicture attachment={attachment} sessionId={sessionId} /> : null}
            <span className="min-w-0 truncate"><VisibleText text={name} /></span>
            <span className="shrink-0 text-2xs text-faint">{formatBytes(bytes)}</span>
            <IconButton size="small" side="top" icon={X} label={`Take off ${name}`} onClick={() => { attaching.remove(key); }} />
          </li>
        ))}
      </ul>
      {backend === undefined || backend === 'local' || attaching.files.length === 0 ? null : <p className="pt-1 text-2xs text-muted">The agent’s tools get copies on {backend} when this is sent.</p>}
      {attaching.problem === undefined ? null : <p role="alert" className="pt-1 text-xs text-danger wrap-anywhere">{attaching.problem}</p>}
    </section>
  );
}

export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={field} type="file" multiple hidden tabIndex={-1} aria-label="Files to attach"
        onChange={(event) => {
          onFiles([...event.target.files ?? []]);
          event.target.value = '';
        }}
      />
      <Button size="small" tone="ghost" onClick={() => { field.current?.click(); }}>Attach</Button>
    </>
  );
}
