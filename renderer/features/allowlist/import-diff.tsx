import { useEffect, useRef, useState } from 'react';
import type { ImportItem, ImportPreview } from '../../../preload/contract/approval-rules.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { EFFECTS, tickedAtFirst, toggled } from './rules-model.ts';

interface DiffProps {
  readonly preview: ImportPreview;
  readonly onAccept: (ids: readonly string[]) => Promise<void>;
  readonly onClose: () => void;
}

/** What a file would add, what is here already, what may not be stored, and what is only here. Each new line has its own tick. */
export function ImportDiff({ preview, onAccept, onClose }: DiffProps) {
  const [ticked, setTicked] = useState(() => tickedAtFirst(preview));
  const [busy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => { heading.current?.focus(); }, []);
  const fresh = preview.items.filter(({ state }) => state === 'new');
  const same = preview.items.filter(({ state }) => state === 'same').length;
  const refused = preview.items.filter(({ state }) => state === 'refused');
  return (
    <div role="group" aria-label="What the file would change" className="flex flex-col gap-2 rounded-lg border border-line bg-panel p-3">
      <h4 ref={heading} tabIndex={-1} className="font-medium outline-none">
        {fresh.length === 0 ? 'Nothing in this file is new' : `${fresh.length} new, ${same} here already, ${refused.length} that may not be stored`}
      </h4>
      {fresh.length === 0 ? null : (
        <ul aria-label="New in the file" className="flex flex-col gap-1">
          {fresh.map((item) => (
            <li key={item.id}>
              <label className="flex items-start gap-2 rounded-md px-1 py-0.5 hover:bg-hover">
                <input type="checkbox" checked={ticked.has(item.id)} onChange={() => { setTicked(toggled(ticked, item.id)); }} className="mt-[3px] size-3.5 shrink-0 accent-accent" />
                <Line item={item} />
              </label>
            </li>
          ))}
        </ul>
      )}
      {refused.length === 0 ? null : (
        <ul aria-label="May not be stored" className="flex flex-col gap-1">
          {refused.map((item) => <li key={item.id} className="flex flex-col px-1"><Line item={item} /><span className="text-xs wrap-anywhere text-danger">{item.why}</span></li>)}
        </ul>
      )}
      {preview.removed.length === 0 ? null : (
        <div className="text-xs text-muted">
          <p>Only here, not in the file. They stay:</p>
          <ul className="max-h-32 overflow-y-auto" tabIndex={0} aria-label="Only here">{preview.removed.map((text) => <li key={text} className="wrap-anywhere"><code><VisibleText text={text} /></code></li>)}</ul>
        </div>
      )}
      <div className="flex flex-wrap gap-1.5">
        <Button
          tone="primary" busy={busy} disabled={ticked.size === 0}
          onClick={() => {
            setBusy(true);
            void onAccept([...ticked]).finally(() => { setBusy(false); });
          }}
        >
          Take over {ticked.size} ticked
        </Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}

function Line({ item }: { readonly item: ImportItem }) {
  const effect = EFFECTS[item.kind];
  return (
    <span className="flex min-w-0 flex-wrap items-start gap-x-1.5">
      <Badge tone={effect.tone}>{effect.word}</Badge>
      <code className="min-w-0 text-xs leading-[18px] wrap-anywhere"><VisibleText text={item.text} /></code>
      <span className="text-xs text-muted">{item.what === 'entry' ? 'line of config.yaml' : 'rule of Talaria'}</span>
    </span>
  );
}
