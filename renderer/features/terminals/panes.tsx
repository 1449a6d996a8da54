import { Fragment } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { classNames } from '../../ui/class-names.ts';
import { closePane } from './live.ts';
import type { Direction } from './model.ts';
import { TerminalView } from './terminal-view.tsx';

/** Below these a terminal shows nothing worth reading, in pixels. */
const NARROWEST = 120;
const LOWEST = 110;

export interface PanesProps {
  /** The selected one first. */
  readonly terminals: readonly Terminal[];
  readonly direction: Direction;
  /** What the first of them has replaced. */
  readonly replaced: Terminal['id'] | undefined;
  /** The one that was just opened by hand and takes the keys. */
  readonly fresh: Terminal['id'] | undefined;
  readonly onFocusTaken: () => void;
  readonly onSplit: (terminal: Terminal, direction: Direction) => void;
}

/** The selected terminal, and those that were put next to it. */
export function Panes({ terminals, direction, replaced, fresh, onFocusTaken, onSplit }: PanesProps) {
  const beside = direction === 'beside';
  /** By place, not by terminal: the sizes stay when another terminal is shown there, and over a reload. */
  const panelIds = terminals.map((_, index) => `pane-${index}`);
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({ id: `talaria.terminals.${direction}`, panelIds, storage: localStorage, onlySaveAfterUserInteractions: true });
  return (
    <Group orientation={beside ? 'horizontal' : 'vertical'} defaultLayout={defaultLayout} onLayoutChanged={onLayoutChanged} className="min-h-0 flex-1">
      {terminals.map((terminal, index) => (
        <Fragment key={terminal.id}>
          {index === 0 ? null : <Separator aria-label={beside ? 'Width of the terminals' : 'Height of the terminals'} className={classNames('bg-line outline-offset-0 hover:bg-accent focus-visible:bg-accent data-[separator=active]:bg-accent', beside ? 'w-px' : 'h-px')} />}
          <Panel id={`pane-${index}`} minSize={beside ? NARROWEST : LOWEST} className="flex flex-col">
            <TerminalView
              terminal={terminal} takesFocus={terminal.id === fresh} onFocusTaken={onFocusTaken}
              onSplit={(wanted) => { onSplit(terminal, wanted); }}
              replaced={index === 0 ? replaced : undefined}
              {...(terminals.length === 1 ? {} : { onClose: () => { closePane(terminal.id); } })}
            />
          </Panel>
        </Fragment>
      ))}
    </Group>
  );
}
