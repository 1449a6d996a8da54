import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import type { ReactNode } from 'react';
import { useLayout } from './context.tsx';
import { Banners } from './banners.tsx';

export interface WindowProps {
  readonly list: ReactNode;
  readonly centre: ReactNode;
  readonly dock: ReactNode;
  /** Drawn over everything, inside the main landmark. */
  readonly layer: ReactNode;
}

/** Pixels: below these a panel's own content no longer reads well. */
const LIST = { size: 248, min: 190, max: 420 };
const DOCK = { size: 420, min: 300 };
const CENTRE_MIN = 400;

const RULE = 'w-px bg-line outline-offset-0 transition-colors hover:bg-accent data-[separator=active]:bg-accent focus-visible:bg-accent';

/**
 * Three panels beside each other where there is room, else the two side panels over the chat. They never take the focus away by force.
 * All of it is the main landmark: the handles between the panels belong to none of the parts. The centre is the same element in every
 * width, so that resizing the window loses nothing that is being typed.
 */
export function WindowLayout({ list, centre, dock, layer }: WindowProps) {
  const narrow = useLayout((layout) => layout.narrow);
  const listOpen = useLayout((layout) => layout.listOpen);
  const dockOpen = useLayout((layout) => layout.dockOpen) && dock !== undefined;
  const besideList = listOpen && !narrow;
  const besideDock = dockOpen && !narrow;
  const panelIds = [...(besideList ? ['list'] : []), 'centre', ...(besideDock ? ['dock'] : [])];
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({ id: 'talaria.panels', panelIds, storage: localStorage, onlySaveAfterUserInteractions: true });
  return (
    <main className="flex h-full flex-col">
      <Banners />
      <div className="relative min-h-0 flex-1">
        <Group orientation="horizontal" defaultLayout={defaultLayout} onLayoutChanged={onLayoutChanged} className="h-full">
          {besideList ? <Panel key="list" id="list" defaultSize={LIST.size} minSize={LIST.min} maxSize={LIST.max} groupResizeBehavior="preserve-pixel-size">{list}</Panel> : null}
          {besideList ? <Separator key="after-list" aria-label="Width of the chats" className={RULE} /> : null}
          <Panel key="centre" id="centre" minSize={narrow ? 0 : CENTRE_MIN}><div data-pane="chat" className="h-full">{centre}</div></Panel>
          {besideDock ? <Separator key="before-dock" aria-label="Width of the side panel" className={RULE} /> : null}
          {besideDock ? <Panel key="dock" id="dock" defaultSize={DOCK.size} minSize={DOCK.min} groupResizeBehavior="preserve-pixel-size">{dock}</Panel> : null}
        </Group>
        {narrow && listOpen ? <div className="absolute inset-y-0 left-0 z-30 w-[min(300px,80%)] border-r border-line shadow-raised">{list}</div> : null}
        {narrow && dockOpen ? <div className="absolute inset-y-0 right-0 z-30 w-[min(460px,90%)] border-l border-line shadow-raised">{dock}</div> : null}
      </div>
      {layer}
    </main>
  );
}
