import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import type { PanelProps } from './card-actions.tsx';
import { ConfirmHint } from './card-actions.tsx';
import { GuardedButton } from './guarded-button.tsx';
import { entryMeaning } from './words.ts';

/** Shows exactly the lines that "always" will write, and what each of them lets through. */
export function AlwaysPanel({ request, guard, busy, onAnswer, onRefused, onClose, confirm }: PanelProps & { readonly confirm: boolean }) {
  const heading = useRef<HTMLParagraphElement>(null);
  useEffect(() => { heading.current?.focus({ preventScroll: true }); }, []);
  return (
    <div role="group" aria-label="Always allow" className="flex flex-col gap-2">
      <p ref={heading} tabIndex={-1} className="font-medium outline-none">
        {request.alwaysEntries.length === 1 ? 'This line will be added' : `These ${request.alwaysEntries.length} lines will be added`} to <code className="text-xs">command_allowlist</code> in config.yaml
      </p>
      <ul className="flex max-h-40 flex-col gap-1 overflow-y-auto">
        {request.alwaysEntries.map((entry) => (
          <li key={entry} className="rounded-md border border-line bg-sunken px-2 py-1">
            <code className="block text-xs wrap-anywhere whitespace-pre-wrap"><VisibleText text={entry} /></code>
            <span className="text-xs text-muted">Lets through {entryMeaning(entry, request)}.</span>
          </li>
        ))}
      </ul>
      <p className="text-xs text-muted">Counts from the next command on, and can be removed in Settings at any time.</p>
      <div className="flex flex-wrap items-center gap-1.5">
        <GuardedButton guard={guard} busy={busy} approves tone="primary" onRefused={onRefused} onPress={() => { onAnswer({ choice: 'always' }); }}>Save and run</GuardedButton>
        <Button onClick={onClose}>Back</Button>
        {confirm ? <ConfirmHint what="save and run" /> : null}
      </div>
    </div>
  );
}
