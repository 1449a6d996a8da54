import { useEffect, useState } from 'react';
import { bridge } from '../../bridge.ts';
import type { Checkpoint, Message } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { showFailure } from '../../ui/show-failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { firstOfEachRoot, restoredWords } from './words.ts';

/** Newest ones that are looked at. */
const LOOKED_AT = 1_000;

/** What was kept of files since a message, for who says it again in other words: the files stay as they are unless they are put back here. */
export function KeptSince({ message }: { readonly message: Message }) {
  const [kept, setKept] = useState<readonly Checkpoint[]>([]);
  const [busy, setBusy] = useState(false);
  const { sessionId, createdAt } = message;
  useEffect(() => {
    let current = true;
    bridge.request('checkpoints.list', { sessionId, limit: LOOKED_AT }).then((found) => { if (current) setKept(found.filter((checkpoint) => checkpoint.createdAt >= createdAt && checkpoint.tool !== 'restore')); }, showFailure);
    return () => { current = false; };
  }, [createdAt, sessionId]);

  const putBack = (checkpoint: Checkpoint): void => {
    setBusy(true);
    bridge.request('checkpoints.restore', { id: checkpoint.id, since: true }).then((answer) => {
      const { undo } = answer;
      const back = (): void => { if (undo !== null) bridge.request('checkpoints.restore', { id: undo }).catch(showFailure); };
      toasts.getState().show({ text: restoredWords(answer), ...(answer.failed.length > 0 ? { tone: 'danger' } : {}), ...(undo === null ? {} : { undo: { label: 'Undo', run: back } }) });
    }, showFailure).finally(() => { setBusy(false); });
  };

  if (kept.length === 0) return null;
  return (
    <section aria-label="Files changed since this message" className="mx-3 mt-1 flex flex-col gap-1.5 rounded-md border border-warn-line/50 bg-warn-soft px-3 py-2 text-xs">
      <p>Files were changed since this message ({plural(kept.length, 'change')} kept). Sending does not put them back: they stay as they are now.</p>
      {firstOfEachRoot(kept).map((checkpoint) => (
        <p key={checkpoint.id} className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 flex-1 font-mono wrap-anywhere text-muted"><VisibleText text={checkpoint.root} /></span>
          <Button size="small" busy={busy} onClick={() => { putBack(checkpoint); }}>Put back as before this message</Button>
        </p>
      ))}
    </section>
  );
}
