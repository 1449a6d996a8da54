/** The public door of the approvals: the dock, the card, and the counts for badges. */
import { useState } from 'react';
import type { ApprovalId, SessionId } from '../../../preload/contract/ids.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { History } from './history.tsx';
import { KeysHint } from './keys-hint.tsx';
import { focusApproval, useApprovals } from './live.ts';
import { openIds } from './model.ts';
import { Queue } from './queue.tsx';
import { YoloSwitch } from './yolo-switch.tsx';

export { ApprovalCard } from './approval-card.tsx';
export type { ApprovalCardProps } from './approval-card.tsx';
export { YoloBanner } from './yolo-banner.tsx';

/** How many questions wait for the person, in all chats or in one. */
export function useWaitingCount(sessionId?: SessionId): number {
  return useApprovals((model) => openIds(model).filter((id) => sessionId === undefined || model.byId.get(id)?.sessionId === sessionId).length);
}

/** Arms one card and brings it into sight; waits a frame, so that a dock that was just opened is drawn. */
export function openApproval(id: ApprovalId): void {
  requestAnimationFrame(() => { requestAnimationFrame(() => { focusApproval(id); }); });
}

const VIEWS = ['queue', 'history'] as const;

export function ApprovalsDock() {
  const [view, setView] = useState<(typeof VIEWS)[number]>('queue');
  const waiting = useWaitingCount();
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div role="group" aria-label="What to show" className="flex shrink-0 gap-0.5 border-b border-line px-2.5 py-1.5">
        {VIEWS.map((name) => (
          <button
            key={name} type="button" aria-pressed={view === name} onClick={() => { setView(name); }}
            className={classNames('h-6 rounded-md px-2 text-xs font-medium hover:text-ink aria-pressed:bg-selected', view === name ? 'text-ink' : 'text-muted')}
          >
            {name === 'queue' ? `Waiting${waiting === 0 ? '' : ` (${waiting})`}` : 'History'}
          </button>
        ))}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {view === 'history' && waiting > 0 ? (
          <div className="px-2.5 pt-2.5">
            <InlinePanel
              tone="warn" title={waiting === 1 ? 'One request waits for you' : `${waiting} requests wait for you`}
              actions={<Button size="small" onClick={() => { setView('queue'); }}>Show</Button>}
            />
          </div>
        ) : null}
        {view === 'queue' ? <Queue /> : <History />}
      </div>
      {/* Below the queue: what opens here pushes no card. */}
      <YoloSwitch />
      {view === 'queue' ? <KeysHint /> : null}
    </div>
  );
}
