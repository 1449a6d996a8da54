import { X } from 'lucide-react';
import { ApprovalsDock, useWaitingCount } from '../features/approvals/index.tsx';
import { TerminalsDock, useRunningCount } from '../features/terminals/index.tsx';
import { ToolsetsDock } from '../features/toolsets/index.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useLayout } from './context.tsx';
import type { Navigation } from './navigation.ts';

/** The right side: what runs, what waits for the person, what the agent may use. */
export function Dock({ navigation }: { readonly navigation: Navigation }) {
  const tab = useLayout((layout) => layout.dockTab);
  const waiting = useWaitingCount();
  const running = useRunningCount();
  return (
    <aside aria-label="Terminals, approvals and toolsets" data-pane="dock" className="h-full bg-panel">
      <Tabs
        label="Side panel" selected={tab} onSelect={(id) => { navigation.openDock(id); }}
        actions={<IconButton icon={X} label="Hide the side panel" keys="Mod+J" onClick={() => { navigation.toggleDock(); }} />}
        tabs={[
          { id: 'terminals', title: 'Terminals', count: running, countMeans: 'running', content: <TerminalsDock /> },
          { id: 'approvals', title: 'Approvals', count: waiting, countMeans: 'waiting for you', tone: 'warn', content: <ApprovalsDock /> },
          { id: 'toolsets', title: 'Toolsets', content: <ToolsetsDock /> },
        ]}
      />
    </aside>
  );
}
