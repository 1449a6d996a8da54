import { useEffect, useRef } from 'react';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { told } from './told.ts';
import type { LinkTarget } from './screen/links.ts';

export interface LinkPanelProps {
  readonly target: LinkTarget;
  readonly onQuote: ((text: string) => void) | undefined;
  readonly onClose: () => void;
}

/** A link in a terminal was clicked: shows where it really goes, and asks. */
export function LinkPanel({ target, onQuote, onClose }: LinkPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => { panel.current?.focus(); }, []);
  const address = target.kind === 'file' ? `${target.path}${target.line === undefined ? '' : `:${target.line}`}` : target.url;
  const then = (deed: () => void): void => { deed(); onClose(); };
  const title = target.kind === 'refused' ? 'This link is not a web address and is not opened' : target.kind === 'file' ? 'A place in a file' : 'Open this address in your browser?';
  return (
    <div ref={panel} role="alertdialog" aria-label={title} tabIndex={-1} className="outline-none" onKeyDown={(event) => { if (event.key === 'Escape') onClose(); }}>
      <InlinePanel
        tone={target.kind === 'refused' ? 'warn' : 'info'} className="shadow-raised" title={title}
        actions={(
          <>
            {target.kind === 'web' ? <Button size="small" tone="primary" onClick={() => { then(() => { told(bridge.request('host.openLink', { url: target.url }), 'Not opened'); }); }}>Open</Button> : null}
            <Button size="small" onClick={() => { then(() => { told(navigator.clipboard.writeText(address), 'Not copied'); }); }}>Copy</Button>
            {target.kind === 'file' && onQuote !== undefined ? <Button size="small" onClick={() => { then(() => { onQuote(address); }); }}>Send to chat</Button> : null}
            <Button size="small" onClick={onClose}>Cancel</Button>
          </>
        )}
      >
        <code className="text-ink"><VisibleText text={address.slice(0, 2_000)} /></code>
        {target.kind === 'web' && target.shown !== undefined ? <p>It was shown as: <VisibleText text={target.shown.slice(0, 200)} /></p> : null}
      </InlinePanel>
    </div>
  );
}
