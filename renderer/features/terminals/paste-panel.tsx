import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { asOneLine, withoutHidden } from './paste.ts';
import type { PasteCheck } from './paste.ts';

const SHOWN_CHARS = 4_000;

/** Shows what a paste would type before it is typed. */
export function PastePanel({ check, onPaste, onCancel }: { readonly check: PasteCheck; readonly onPaste: (text: string) => void; readonly onCancel: () => void }) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => { panel.current?.focus(); }, []);
  const clean = withoutHidden(check.text);
  const reasons = [
    ...(check.lines > 1 ? [`has ${plural(check.lines, 'line')}`] : check.text.endsWith('\n') ? ['ends with Enter'] : []),
    ...(check.hidden ? ['holds characters that cannot be seen'] : []),
    ...(check.stripped ? ['held control characters, which were taken out'] : []),
  ];
  return (
    <div ref={panel} role="alertdialog" aria-label="Look before you paste" tabIndex={-1} className="outline-none" onKeyDown={(event) => { if (event.key === 'Escape') onCancel(); }}>
      <InlinePanel
        tone={check.hidden || check.stripped ? 'danger' : 'warn'} className="shadow-raised" title={`This ${reasons.join(' and ')}`}
        actions={(
          <>
            <Button size="small" tone="primary" onClick={() => { onPaste(check.hidden ? clean : check.text); }}>{check.hidden ? 'Paste without them' : 'Paste'}</Button>
            {check.lines > 1 || check.text.endsWith('\n') ? <Button size="small" onClick={() => { onPaste(asOneLine(clean)); }}>Paste as one line</Button> : null}
            {check.hidden ? <Button size="small" onClick={() => { onPaste(check.text); }}>Paste all</Button> : null}
            <Button size="small" onClick={onCancel}>Cancel</Button>
          </>
        )}
      >
        <pre tabIndex={0} role="group" aria-label="What would be pasted" className="max-h-32 overflow-auto rounded-sm bg-canvas px-2 py-1 text-ink wrap-anywhere whitespace-pre-wrap">
          <VisibleText text={check.text.slice(0, SHOWN_CHARS)} />{check.text.length > SHOWN_CHARS ? '…' : ''}
        </pre>
      </InlinePanel>
    </div>
  );
}
