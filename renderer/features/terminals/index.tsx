/** The public door of the terminals: the dock, the preview for chats, the count for badges. */
import { Activity, Plus, SquareTerminal } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useFrame } from '../../ui/frame.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { useShown } from '../../ui/use-shown.ts';
import { selectTerminal, setFilter, terminals, useTerminals } from './live.ts';
import { told } from './told.ts';
import { filtered, inOrder, runningCount } from './model.ts';
import type { Filter } from './model.ts';
import { Panes } from './panes.tsx';
import { Processes } from './processes.tsx';
import { TerminalList } from './terminal-list.tsx';

export { TERMINAL_KEYS } from './pane-keys.ts';
export { TerminalPreferences } from './preferences.tsx';
export { TerminalPreview } from './preview.tsx';

/** How many terminals run a program now. */
export function useRunningCount(): number {
  return useTerminals(runningCount);
}

/** Shows one terminal in the dock; the frame brings the dock forward. */
export function openTerminal(id: TerminalId): void {
  selectTerminal(id);
}

/** Until the view is there to be measured; the first fit corrects it. */
const FIRST_SIZE = { cols: 80, rows: 24 };

const FILTERS: readonly { readonly filter: Filter; readonly title: string; readonly empty: string }[] = [
  { filter: 'all', title: 'All', empty: 'Each command that the agent runs has a live view here, and you can open a shell of your own.' },
  { filter: 'chat', title: 'This chat', empty: 'The agent has run nothing in this chat yet.' },
  { filter: 'background', title: 'Background', empty: 'No background process was started.' },
  { filter: 'own', title: 'Yours', empty: 'You have no shell of your own open.' },
];

export function TerminalsDock() {
  const { sessionId } = useFrame();
  const element = useRef<HTMLDivElement>(null);
  const shown = useShown(element);
  const model = useTerminals((state) => state);
  const [processesShown, setProcessesShown] = useState(false);
  const ordered = useMemo(() => inOrder(model), [model]);
  const listed = filtered(ordered, model.filter, sessionId);
  const selected = listed.find((terminal) => terminal.id === model.selected) ?? listed[0];
  const shownNow = selected === undefined ? [] : [selected, ...model.panes.flatMap((id) => (id === selected.id ? [] : model.byId.get(id) ?? []))];
  /** The shell that was just opened here takes the keys: left on the button, a blank or Enter would open another one. */
  const [fresh, setFresh] = useState<TerminalId>();
  const opening = useRef(false);
  const openShell = (): void => {
    if (opening.current) return;
    opening.current = true;
    const opened = terminals.open(FIRST_SIZE, sessionId).then(({ id }) => { setFresh(id); }).finally(() => { opening.current = false; });
    told(opened, 'No shell could be opened');
  };
  return (
    <div ref={element} className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center gap-0.5 border-b border-line px-2 py-1.5">
        <div role="group" aria-label="Which terminals" className="flex min-w-0 flex-1 gap-0.5">
          {FILTERS.map(({ filter, title }) => {
            const count = filtered(ordered, filter, sessionId).length;
            const pressed = !processesShown && model.filter === filter;
            return (
              <button
                key={filter} type="button" aria-pressed={pressed} onClick={() => { setFilter(filter); setProcessesShown(false); }}
                className={classNames('h-6 shrink-0 rounded-md px-1.5 text-xs font-medium hover:text-ink aria-pressed:bg-selected', pressed ? 'text-ink' : 'text-muted')}
              >
                {title}{count === 0 ? null : <span className="pl-1 font-normal text-muted tabular-nums">{count}</span>}
              </button>
            );
          })}
        </div>
        <IconButton size="small" icon={Activity} label="Processes" aria-pressed={processesShown} onClick={() => { setProcessesShown(!processesShown); }} />
        <IconButton size="small" icon={Plus} label="New terminal" onClick={() => { setProcessesShown(false); openShell(); }} />
      </div>
      {processesShown ? <Processes /> : (
        <>
          {model.status === 'failed' ? (
            <InlinePanel tone="danger" role="alert" className="m-2.5" title="The terminals could not be read" actions={<Button size="small" onClick={() => { void terminals.reload(); }}>Try again</Button>}>{model.failure}</InlinePanel>
          ) : null}
          {listed.length === 0 && model.status === 'ready' ? (
            <EmptyState icon={SquareTerminal} title="No terminals" action={<Button icon={<Plus size={14} aria-hidden />} onClick={openShell}>New terminal</Button>}>
              {FILTERS.find(({ filter }) => filter === model.filter)?.empty}
            </EmptyState>
          ) : null}
          {listed.length === 0 ? null : <div className="max-h-[30%] shrink-0 overflow-y-auto"><TerminalList terminals={listed} selected={selected?.id} shown={shown} /></div>}
          {shownNow.length === 0 ? null : (
            <Panes
              terminals={shownNow} direction={model.direction} replaced={model.previous} fresh={fresh} onFocusTaken={() => { setFresh(undefined); }}
              onSplit={(beside, direction) => { told(terminals.split(beside, direction).then(({ id }) => { setFresh(id); }), 'No shell could be opened'); }}
            />
          )}
        </>
      )}
    </div>
  );
}
