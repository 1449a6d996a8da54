import { ShieldOff } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useFrame } from '../../ui/frame.tsx';
import { setYolo, useYolo } from './yolo-live.ts';

/** Stands over the open chat for as long as nothing is asked in it. */
export function YoloBanner() {
  const { sessionId } = useFrame();
  const where = useYolo(sessionId);
  const [busy, setBusy] = useState(false);
  if (where === 'off') return null;
  return (
    <div role="status" aria-label="Approvals are switched off" className="flex min-h-8 items-center gap-2 border-b border-danger/35 bg-danger-soft py-1 pr-2 pl-3 text-xs text-danger">
      <ShieldOff size={14} aria-hidden className="shrink-0" />
      <p className="min-w-0 flex-1 wrap-anywhere">
        {where === 'process'
          ? <><strong>Nothing is asked in any chat.</strong> Talaria was started so (--yolo or HERMES_YOLO_MODE); start it without to be asked again.</>
          : <><strong>Nothing is asked in this chat.</strong> The agent runs what the model wants; only what never runs and your deny rules are stopped.</>}
      </p>
      {where === 'chat' && sessionId !== undefined ? (
        <Button size="small" busy={busy} onClick={() => { setBusy(true); void setYolo(sessionId, false).finally(() => { setBusy(false); }); }}>Ask again</Button>
      ) : null}
    </div>
  );
}
