import { Trash2, TriangleAlert } from 'lucide-react';
import type { AllowlistEntry } from '../../../preload/contract/approvals.ts';
import { Badge } from '../../ui/badge.tsx';
import { useNow } from '../../ui/clock.ts';
import { failureWords } from '../../ui/failure.ts';
import { formatFull, formatWhen } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { toasts } from '../../ui/toasts.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { allowlist } from './live.ts';
import { KIND_WORDS } from './model.ts';

export function EntryRow({ entry }: { readonly entry: AllowlistEntry }) {
  const now = useNow(false);
  const kind = KIND_WORDS[entry.kind];
  const provenance = [
    entry.createdAt === undefined ? 'written in config.yaml' : `added ${formatWhen(entry.createdAt, now)}`,
    ...(entry.createdBy === undefined ? [] : [`from ${entry.createdBy}`]),
    entry.uses === undefined || entry.uses === 0 ? 'never used' : `used ${entry.uses}×`,
    ...(entry.lastUsedAt === undefined ? [] : [`last ${formatWhen(entry.lastUsedAt, now)}`]),
  ];
  return (
    <li className="flex items-start gap-2 px-3 py-2" data-entry={entry.entry}>
      <span className="mt-px w-14 shrink-0" title={kind.meaning}><Badge>{kind.word}</Badge></span>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <code className="text-xs leading-[18px] wrap-anywhere whitespace-pre-wrap"><VisibleText text={entry.entry} /></code>
        <p className="text-xs text-muted" title={entry.createdAt === undefined ? undefined : formatFull(entry.createdAt)}>{provenance.join(' · ')}</p>
        {entry.createdFrom === undefined || entry.createdFrom === entry.entry ? null : (
          <p className="truncate text-xs text-muted" title={entry.createdFrom.slice(0, 500)}>made for <code><VisibleText text={entry.createdFrom.slice(0, 300)} /></code></p>
        )}
        {entry.warning === undefined ? null : <p className="flex items-start gap-1 text-xs text-warn"><TriangleAlert size={12} aria-hidden className="mt-0.5 shrink-0" />{entry.warning}</p>}
      </div>
      <IconButton size="small" icon={Trash2} label={`Remove ${entry.entry.slice(0, 80)}`} onClick={() => { remove(entry.entry); }} />
    </li>
  );
}

function remove(entry: string): void {
  const short = entry.length > 60 ? `${entry.slice(0, 60)}…` : entry;
  allowlist.remove(entry).then(
    () => { toasts.getState().show({ text: `Removed ${short}: it asks again from now on`, undo: { label: 'Undo', run: () => { restore(entry); } } }); },
    (error: unknown) => { toasts.getState().show({ text: `Not removed: ${failureWords(error)}`, tone: 'danger' }); },
  );
}

function restore(entry: string): void {
  allowlist.restore(entry).catch((error: unknown) => { toasts.getState().show({ text: `Not restored: ${failureWords(error)}`, tone: 'danger' }); });
}
