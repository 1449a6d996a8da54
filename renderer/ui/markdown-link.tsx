import { Popover } from 'radix-ui';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { bridge } from '../bridge.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { showFailure } from './show-failure.ts';
import { VisibleText } from './visible-text.tsx';

/** A link from a model: its real target is shown before anything opens. */
export function MarkdownLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const host = webHost(href);
  const [shown, setShown] = useState(false);
  const open = (): void => { bridge.request('host.openLink', { url: href }).catch(showFailure); };
  return (
    <Popover.Root open={shown} onOpenChange={setShown}>
      <Popover.Anchor asChild>
        <a href={href} aria-haspopup="dialog" aria-expanded={shown} onClick={(event) => { event.preventDefault(); setShown(true); }} onAuxClick={(event) => { event.preventDefault(); }}>{children}</a>
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content side="top" sideOffset={4} collisionPadding={8} aria-label="Link" className="z-50 w-80 rounded-lg border border-line bg-raised p-2 text-xs shadow-raised">
          {host === undefined
            ? <p className="px-1 text-muted">This is not a web address, so it cannot be opened from a chat.</p>
            : <p className="px-1 font-medium">Opens <VisibleText text={host} /> in your browser</p>}
          <p className="max-h-24 overflow-y-auto px-1 py-1 font-mono text-2xs text-muted wrap-anywhere"><VisibleText text={href} /></p>
          <div className="flex items-center justify-end gap-1">
            <CopyButton text={href} label="Copy address" />
            {host === undefined ? null : <Popover.Close asChild><Button size="small" tone="primary" onClick={open}>Open</Button></Popover.Close>}
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Host of an http(s) address in its ASCII form, so that look-alike letters show; undefined for anything else. */
export function webHost(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : undefined;
}
