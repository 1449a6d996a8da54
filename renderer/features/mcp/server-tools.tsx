import { TriangleAlert } from 'lucide-react';
import type { McpServerInfo, McpToolInfo } from '../../../preload/contract/mcp.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Switch } from '../../ui/switch.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { servers, useServers } from './live.ts';

/** Tools whose words have changed, with what changed; none of them is offered until the person agrees. */
export function Changes({ server }: { readonly server: McpServerInfo }) {
  const busy = useServers((model) => model.busy.has(`${server.name} accept`));
  const held = server.tools.filter(({ state }) => state === 'held');
  if (held.length === 0) return null;
  return (
    <InlinePanel
      tone="warn" title={held.length === 1 ? 'One tool says something else of itself than when you first used it' : `${held.length} tools say something else of themselves than when you first used them`}
      actions={<Button size="small" tone="primary" busy={busy} onClick={() => { void servers.accept(server.name); }}>{held.length === 1 ? 'Accept as it is now' : 'Accept as they are now'}</Button>}
    >
      <p>{held.length === 1 ? 'It is' : 'They are'} held back from the model until you accept.</p>
      <ul className="mt-1.5 flex flex-col gap-2">
        {held.map((tool) => <li key={tool.name}><Difference tool={tool} /></li>)}
      </ul>
    </InlinePanel>
  );
}

function Difference({ tool }: { readonly tool: McpToolInfo }) {
  return (
    <div className="flex flex-col gap-1">
      <code className="text-xs font-medium text-ink">{tool.name}</code>
      {tool.difference.length === 0 ? <p>What it said before is not known any more.</p> : null}
      {tool.difference.map(({ part, before, after }) => (
        <dl key={part} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-0.5 text-ink">
          <dt className="text-muted">{part} was</dt>
          <dd className="max-h-40 overflow-y-auto rounded-sm bg-danger-soft px-1 whitespace-pre-wrap line-through decoration-danger/50" tabIndex={0}><VisibleText text={before} /></dd>
          <dt className="text-muted">{part} is</dt>
          <dd className="max-h-40 overflow-y-auto rounded-sm bg-ok-soft px-1 whitespace-pre-wrap" tabIndex={0}><VisibleText text={after} /></dd>
        </dl>
      ))}
    </div>
  );
}

/** Every tool of a server with its switch. */
export function ServerTools({ id, server }: { readonly id: string; readonly server: McpServerInfo }) {
  const busy = useServers((model) => model.busy);
  return (
    <ul id={id} aria-label={`Tools of ${server.name}`} className="flex flex-col gap-1.5 border-t border-line pt-2">
      {server.tools.map((tool) => (
        <li key={tool.name} className="flex gap-2.5">
          <span className="pt-0.5">
            <Switch
              checked={tool.state !== 'off'} label={`${tool.name} for all chats`} disabled={busy.has(`${server.name} tool ${tool.name}`)}
              onChange={(enabled) => { void servers.setTool(server.name, tool.name, enabled); }}
            />
          </span>
          <span className="flex min-w-0 flex-1 flex-col">
            <span className="flex min-w-0 items-baseline gap-1.5">
              <code className={classNames('min-w-0 truncate text-xs', tool.state === 'off' && 'text-muted')}>{tool.name}</code>
              {tool.state === 'held' ? <span className="shrink-0 text-xs text-warn">held back</span> : null}
            </span>
            <span className="line-clamp-2 text-xs text-muted wrap-anywhere"><VisibleText text={tool.description} /></span>
            {tool.suspicious.length === 0 ? null : (
              <span className="flex items-start gap-1 text-xs text-warn"><TriangleAlert size={12} aria-hidden className="mt-0.5 shrink-0" />Its description {tool.suspicious.join(', and it ')}.</span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
