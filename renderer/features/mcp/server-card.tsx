import { ChevronRight, KeyRound, LogOut, RotateCw } from 'lucide-react';
import { useId, useState } from 'react';
import type { McpServerInfo } from '../../../preload/contract/mcp.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { formatFull, plural } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { servers, useServers } from './live.ts';
import { Changes, ServerTools } from './server-tools.tsx';

const STATES: Record<McpServerInfo['state'], { readonly words: string; readonly tone: Tone }> = {
  connected: { words: 'connected', tone: 'ok' },
  connecting: { words: 'connecting…', tone: 'accent' },
  idle: { words: 'asleep until it is needed', tone: 'neutral' },
  failed: { words: 'down, tried again soon', tone: 'danger' },
  parked: { words: 'down, tried again in minutes', tone: 'danger' },
  'needs-sign-in': { words: 'needs sign-in', tone: 'warn' },
  off: { words: 'off', tone: 'neutral' },
  wrong: { words: 'wrong in config.yaml', tone: 'danger' },
};

/** One server: how it stands, what it runs, and what can be done about it. */
export function ServerCard({ server }: { readonly server: McpServerInfo }) {
  const [open, setOpen] = useState(false);
  const toolsId = useId();
  const titleId = useId();
  const busy = useServers((model) => model.busy);
  const isBusy = (action: string): boolean => busy.has(`${server.name} ${action}`);
  const { words, tone } = STATES[server.state];
  const runs = server.state !== 'off' && server.state !== 'wrong';
  return (
    <li aria-labelledby={titleId} data-server={server.name} data-state={server.state} className="flex flex-col gap-2 rounded-lg border border-line px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 id={titleId} className="min-w-0 truncate font-medium">{server.name}</h3>
        <Badge tone={tone}>{words}</Badge>
        <span className="flex-1" />
        {server.state === 'needs-sign-in' ? <Button size="small" tone="primary" busy={isBusy('sign-in')} icon={<KeyRound size={12} aria-hidden />} onClick={() => { void servers.signIn(server.name); }}>Sign in</Button> : null}
        {server.signedIn ? <Button size="small" tone="ghost" busy={isBusy('sign-out')} icon={<LogOut size={12} aria-hidden />} onClick={() => { void servers.signOut(server.name); }}>Sign out</Button> : null}
        {runs ? <Button size="small" tone="ghost" busy={isBusy('restart')} icon={<RotateCw size={12} aria-hidden />} onClick={() => { void servers.restart(server.name); }}>Restart</Button> : null}
      </div>
      {server.signInPage === null ? null : (
        <div role="status" className="flex flex-wrap items-center gap-2 text-xs text-muted">
          <span>A page has been opened in your browser. Come back here when you are through with it. Nothing opened? Copy its address:</span>
          <CopyButton text={server.signInPage} label="Copy the address of the sign-in page" />
        </div>
      )}
      <p className="text-xs text-muted wrap-anywhere">
        <code><VisibleText text={server.where} /></code>
        {server.pid === null ? null : <span> · process {server.pid}</span>}
        {server.variables.length === 0 ? null : <span> · is given {server.variables.join(', ')}</span>}
      </p>
      {server.why === null ? null : <p className="text-xs wrap-anywhere"><VisibleText text={server.why} /></p>}
      {server.unasked === null ? null : (
        <InlinePanel tone="warn" title={`It wanted to ask you something, ${formatFull(server.unasked.at)}`}>
          <p className="text-ink wrap-anywhere"><VisibleText text={server.unasked.message} /></p>
          <p>It was answered with cancel, because {server.unasked.why}. Restarting it may have it ask again.</p>
        </InlinePanel>
      )}
      {server.problems.length === 0 ? null : (
        <InlinePanel tone="warn" title={`${plural(server.problems.length, 'problem')} with its list of tools`}>
          <ul className="flex max-h-40 list-disc flex-col gap-1 overflow-y-auto pl-4">
            {server.problems.map((problem) => <li key={problem} className="wrap-anywhere"><VisibleText text={problem} /></li>)}
          </ul>
        </InlinePanel>
      )}
      {server.stderr.trim() === '' || server.state === 'connected' ? null : (
        <Disclosure title="Its last words" label={`Last words of ${server.name}`}>
          <pre tabIndex={0} className="mt-1 max-h-40 overflow-auto rounded-sm bg-sunken p-2 whitespace-pre-wrap wrap-anywhere"><VisibleText text={server.stderr.trim()} /></pre>
        </Disclosure>
      )}
      <Changes server={server} />
      {server.tools.length === 0 ? null : (
        <>
          <button type="button" aria-expanded={open} aria-controls={toolsId} onClick={() => { setOpen(!open); }} className="flex items-center gap-1 self-start rounded-sm text-xs text-muted hover:text-ink">
            {plural(server.tools.length, 'tool')}, {server.tools.filter(({ state }) => state === 'offered').length} offered
            <ChevronRight size={12} aria-hidden className={classNames('transition-transform', open && 'rotate-90')} />
          </button>
          {open ? <ServerTools id={toolsId} server={server} /> : null}
        </>
      )}
    </li>
  );
}
