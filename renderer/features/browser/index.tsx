/** The public door of the agent's browser: its page, live, above the composer. */
import { Globe, Maximize2, X } from 'lucide-react';
import { useState } from 'react';
import type { SessionId } from '../../../preload/contract/index.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { OpenPage } from './open-page.tsx';
import { useLook } from './use-look.ts';

/** Nothing until the chat has a page. `working`: a browser tool runs now. */
export function LiveBrowser({ sessionId, working }: { readonly sessionId: SessionId; readonly working: boolean }) {
  const [open, setOpen] = useState(false);
  const { look, again } = useLook(sessionId, working || open);
  if (look === undefined) return null;
  return (
    <section aria-label="Browser of this chat" className="mx-auto w-full max-w-190 shrink-0 px-6 pb-1">
      <div className="flex flex-col gap-2 rounded-lg border border-line bg-panel p-2">
        <div className="flex min-w-0 items-center gap-2">
          {open || look.jpeg === null ? <Globe size={16} aria-hidden className="shrink-0 text-muted" /> : (
            <button type="button" aria-label="Open the page" onClick={() => { setOpen(true); }} className="h-14 w-22 shrink-0 overflow-hidden rounded-sm border border-line">
              <img src={`data:image/jpeg;base64,${look.jpeg}`} alt="" className="h-full w-full object-cover object-top" />
            </button>
          )}
          <div className="flex min-w-0 flex-1 flex-col text-xs">
            <span className="truncate font-medium"><VisibleText text={look.title === '' ? 'Page' : look.title} /></span>
            <span className="truncate text-muted"><VisibleText text={look.url} /></span>
          </div>
          {look.held ? <Badge tone="accent">you drive</Badge> : working ? <Badge tone="accent">the agent drives</Badge> : null}
          {open ? <IconButton size="small" icon={X} label="Close the page's view" onClick={() => { setOpen(false); }} /> : <Button size="small" icon={<Maximize2 size={12} aria-hidden />} onClick={() => { setOpen(true); }}>Open</Button>}
        </div>
        {open ? <OpenPage sessionId={sessionId} look={look} again={again} /> : null}
      </div>
    </section>
  );
}
