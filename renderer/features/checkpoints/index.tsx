/** What was kept before a tool's call changed files: shown as a difference, and put back by a person. */
import { useEffect, useId, useState } from 'react';
import { bridge } from '../../bridge.ts';
import type { Checkpoint, CheckpointDiff, CheckpointRestored, ToolCall } from '../../../preload/contract/index.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { plural } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { canHaveCheckpoints, changeWord, restoredWords } from './words.ts';

export { KeptSince } from './kept-since.tsx';

const SHOWN_PATHS = 8;

export function CallCheckpoints({ call }: { readonly call: ToolCall }) {
  const [kept, setKept] = useState<readonly Checkpoint[]>([]);
  const asks = canHaveCheckpoints(call);
  useEffect(() => {
    if (!asks) return;
    let current = true;
    bridge.request('checkpoints.list', { callId: call.id }).then((found) => { if (current) setKept(found); }, showFailure);
    return () => { current = false; };
  }, [asks, call.id]);
  return kept.map((checkpoint) => <KeptFiles key={checkpoint.id} checkpoint={checkpoint} />);
}

function KeptFiles({ checkpoint }: { readonly checkpoint: Checkpoint }) {
  const [diff, setDiff] = useState<CheckpointDiff>();
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const diffId = useId();
  const shown = checkpoint.paths.slice(0, SHOWN_PATHS);

  const look = async (): Promise<void> => { setDiff(await bridge.request('checkpoints.diff', { id: checkpoint.id })); };
  const during = (work: () => Promise<void>): void => {
    setBusy(true);
    work().catch(showFailure).finally(() => { setBusy(false); });
  };
  const tell = (answer: CheckpointRestored): void => {
    const { undo } = answer;
    const back = (): void => { during(async () => { await bridge.request('checkpoints.restore', { id: undo ?? checkpoint.id }); if (diff !== undefined) await look(); }); };
    toasts.getState().show({ text: restoredWords(answer), ...(answer.failed.length > 0 ? { tone: 'danger' } : {}), ...(undo === null ? {} : { undo: { label: 'Undo', run: back } }) });
  };
  const putBack = (more: { readonly path?: string; readonly since?: boolean } = {}): void => {
    setAsking(false);
    during(async () => {
      tell(await bridge.request('checkpoints.restore', { id: checkpoint.id, ...more }));
      if (diff !== undefined) await look();
    });
  };

  return (
    <section aria-label="Kept before this call" className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 text-xs wrap-anywhere text-muted">
          Kept before this call: <span className="font-mono">{shown.map((path, index) => <span key={path}>{index === 0 ? '' : ', '}<VisibleText text={path === '' ? checkpoint.root : path} /></span>)}</span>
          {checkpoint.paths.length > shown.length ? ` and ${checkpoint.paths.length - shown.length} more` : ''}
        </p>
        <Button size="small" busy={busy && diff === undefined && !asking} aria-expanded={diff !== undefined} aria-controls={diffId} onClick={() => { if (diff === undefined) during(look); else setDiff(undefined); }}>
          {diff === undefined ? 'Show what changed' : 'Hide what changed'}
        </Button>
        <Button size="small" busy={busy && diff !== undefined} onClick={() => { setAsking(true); }}>Put back…</Button>
      </div>
      {checkpoint.skipped.length === 0 ? null : (
        <ul className="list-disc pl-4 text-xs text-muted">{checkpoint.skipped.slice(0, SHOWN_PATHS).map(({ path, why }) => <li key={path} className="wrap-anywhere">Not kept: <VisibleText text={path} /> ({why})</li>)}</ul>
      )}
      {asking ? <Question checkpoint={checkpoint} onPutBack={putBack} onCancel={() => { setAsking(false); }} /> : null}
      <div id={diffId} hidden={diff === undefined}>{diff === undefined ? null : <Difference diff={diff} onPutBack={(path) => { putBack({ path }); }} />}</div>
    </section>
  );
}

function Question({ checkpoint, onPutBack, onCancel }: { readonly checkpoint: Checkpoint; readonly onPutBack: (more?: { readonly since?: boolean }) => void; readonly onCancel: () => void }) {
  return (
    <div role="alertdialog" aria-label="Put files back" onKeyDown={(event) => { if (event.key === 'Escape') onCancel(); }}>
      <InlinePanel
        tone="warn" title="Put these files back to what they were before this call?"
        actions={(
          <>
            <Button size="small" tone="primary" autoFocus onClick={() => { onPutBack(); }}>Put back</Button>
            <Button size="small" onClick={() => { onPutBack({ since: true }); }}>These and all later changes</Button>
            <Button size="small" onClick={onCancel}>Cancel</Button>
          </>
        )}
      >
        In <VisibleText text={checkpoint.root} />. What stands there now is kept first, so this can be undone.
      </InlinePanel>
    </div>
  );
}

function Difference({ diff, onPutBack }: { readonly diff: CheckpointDiff; readonly onPutBack: (path: string) => void }) {
  if (diff.changes.length === 0) return <p className="text-xs text-muted">Nothing is different from then.</p>;
  return (
    <div className="flex flex-col gap-1.5">
      <ul aria-label="Changed files" className="flex flex-col gap-1">
        {diff.changes.slice(0, 100).map(({ path, state }) => (
          <li key={path} className="flex items-center gap-2 text-xs">
            <Badge tone={state === 'deleted' ? 'danger' : state === 'created' ? 'ok' : 'neutral'}>{changeWord(state)}</Badge>
            <span className="min-w-0 flex-1 truncate font-mono"><VisibleText text={path} /></span>
            <Button size="small" aria-label={`Put back ${path}`} onClick={() => { onPutBack(path); }}>Put back</Button>
          </li>
        ))}
      </ul>
      {diff.changes.length > 100 ? <p className="text-xs text-muted">and {plural(diff.changes.length - 100, 'more file')}</p> : null}
      <CodeBlock code={diff.text} language="diff" label="What changed" maxHeight="max-h-80" />
      {diff.cut ? <p className="text-xs text-muted">The rest is left out.</p> : null}
    </div>
  );
}
