import { ShieldCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { plural } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { approvals, update, useApprovals } from './live.ts';
import { isOpen, mustReadFirst, openIds, pickAll, pickNone, withoutSettled } from './model.ts';
import { useBarGuard } from './use-bar-guard.ts';

/** Every open question of every chat, oldest first; answered ones stay as a line until they are cleared away. */
export function Queue() {
  const queue = useApprovals((model) => model.queue);
  const open = useApprovals((model) => openIds(model).length);
  const failure = useApprovals((model) => (model.status === 'failed' ? model.failure : undefined));
  const settled = queue.length - open;
  return (
    <div className="flex flex-col gap-2.5 p-2.5">
      {failure === undefined ? null : (
        <InlinePanel tone="danger" role="alert" title="The open requests could not be read" actions={<Button size="small" onClick={() => { void approvals.reload(); }}>Try again</Button>}>{failure}</InlinePanel>
      )}
      {open > 1 ? <BatchBar open={open} /> : null}
      {queue.length === 0 && failure === undefined ? (
        <EmptyState icon={ShieldCheck} title="Nothing waits for you">A command that needs your word stops here, with everything you need to decide.</EmptyState>
      ) : null}
      {queue.map((id) => <ApprovalCard key={id} requestId={id} pickable={open > 1} />)}
      {settled === 0 ? null : <Button size="small" tone="ghost" className="self-center" onClick={() => { update(withoutSettled); }}>Clear {plural(settled, 'answered request')}</Button>}
    </div>
  );
}

/** One answer to several: once or no, never "always". */
function BatchBar({ open }: { readonly open: number }) {
  const picked = useApprovals(useShallow((model) => [...model.picked].filter((id) => { const request = model.byId.get(id); return request !== undefined && isOpen(request); })));
  const unread = useApprovals((model) => [...model.picked].some((id) => { const request = model.byId.get(id); return request !== undefined && mustReadFirst(model, request); }));
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const accepts = useBarGuard(bar, picked.length === 0 ? 'none' : 'some');
  const pressed = useRef<boolean>(undefined);
  /** Of a click with the pointer the press counts: a bar that came under a finger already down answers nothing. */
  const guarded = { onPointerDown: (event: React.PointerEvent) => { pressed.current = accepts(event.timeStamp); } };
  const send = (choice: 'once' | 'deny', at: number): void => {
    const accepted = pressed.current ?? accepts(at);
    pressed.current = undefined;
    setRefused(!accepted);
    if (!accepted) return;
    setSending(true);
    void approvals.decideEach(picked, choice).finally(() => { setSending(false); });
  };
  return (
    <div ref={bar} role="toolbar" aria-label="Answer several" className="flex flex-wrap items-center gap-1.5">
      <span className="flex-1 text-xs text-muted">{picked.length === 0 ? `${open} wait for you` : `${picked.length} of ${open} picked`}</span>
      {picked.length === 0 ? (
        <Button size="small" tone="ghost" title="Dangerous ones are left out: pick those by hand" onClick={() => { update(pickAll); }}>Pick all but dangerous</Button>
      ) : (
        <>
          <Button size="small" tone="ghost" onClick={() => { update(pickNone); }}>Pick none</Button>
          <Button size="small" busy={sending} disabled={unread} {...guarded} onKeyDown={swallowPlainYes} onClick={(event) => { send('once', event.timeStamp); }}>Run {picked.length} once</Button>
          <Button size="small" busy={sending} {...guarded} onClick={(event) => { send('deny', event.timeStamp); }}>Deny {picked.length}</Button>
          {refused ? <p role="status" className="basis-full text-xs font-medium text-warn">{TOO_SOON_SEVERAL}</p> : null}
        </>
      )}
    </div>
  );
}

const TOO_SOON_SEVERAL = 'Not taken: the buttons had only just appeared or moved. Press again.';

/** As on the cards: Enter and Space alone never approve. */
function swallowPlainYes(event: React.KeyboardEvent): void {
  if (event.key === 'Enter' || event.key === ' ') event.preventDefault();
}
