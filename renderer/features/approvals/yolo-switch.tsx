import { ShieldOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { Button } from '../../ui/button.tsx';
import { useFrame } from '../../ui/frame.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { setYolo, useYolo } from './yolo-live.ts';

/** Switches the questions off in the open chat, after saying what that means. Draws nothing where no chat is open or nothing is asked anyway. */
export function YoloSwitch() {
  const { sessionId } = useFrame();
  const where = useYolo(sessionId);
  return sessionId === undefined || where !== 'off' ? null : <div className="flex shrink-0 flex-col border-t border-line p-1.5"><Ask key={sessionId} sessionId={sessionId} /></div>;
}

function Ask({ sessionId }: { readonly sessionId: SessionId }) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => { if (open) back.current?.focus(); }, [open]);
  if (!open) return <Button size="small" tone="ghost" icon={<ShieldOff size={12} aria-hidden />} aria-expanded={false} className="self-start" onClick={() => { setOpen(true); }}>Stop asking in this chat…</Button>;
  return (
    <div role="group" aria-label="Stop asking in this chat" onKeyDown={(event) => { if (event.key === 'Escape') setOpen(false); }}>
      <InlinePanel
        tone="danger" title="Let this chat run everything without asking?"
        actions={(
          <>
            <Button size="small" tone="danger" busy={busy} onClick={() => { setBusy(true); void setYolo(sessionId, true).finally(() => { setBusy(false); }); }}>Stop asking</Button>
            <Button ref={back} size="small" onClick={() => { setOpen(false); }}>Keep asking</Button>
          </>
        )}
      >
        The agent may then delete files, change the system and send data without your word, in this chat, until you switch it off or Talaria ends. What never runs, and your deny rules, are still stopped.
      </InlinePanel>
    </div>
  );
}
