/** The public door of the MCP servers: a section of the settings. */
import { Plug } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { SettingsSection } from '../../ui/frame.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { reloadServers, useFollowServers, useServers } from './live.ts';
import { ServerCard } from './server-card.tsx';

function McpServers() {
  useFollowServers();
  const list = useServers((model) => model.servers);
  const failure = useServers((model) => model.failure);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-xs text-muted">Programs and addresses that bring tools of their own. They are named under <code>mcp_servers</code> in config.yaml; a change there counts at once.</p>
      {failure === undefined ? null : (
        <InlinePanel tone="danger" role="alert" title="The servers could not be read" actions={<Button size="small" onClick={() => { void reloadServers(); }}>Try again</Button>}>{failure}</InlinePanel>
      )}
      {list?.length === 0 ? <EmptyState icon={Plug} title="No server is set up">Name one under mcp_servers in config.yaml: a command to start, or a url.</EmptyState> : null}
      <ul aria-label="MCP servers" className="flex flex-col gap-2.5">{list?.map((server) => <ServerCard key={server.name} server={server} />)}</ul>
    </div>
  );
}

export const McpSection: SettingsSection = { id: 'mcp', title: 'MCP servers', Component: McpServers };
