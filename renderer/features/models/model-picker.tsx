import { ChevronDown } from 'lucide-react';
import type { Session } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { useFrame } from '../../ui/frame.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { useModels, useModelsFeature } from './context.tsx';

const DEFAULT = '';

/** The model of one chat: the default, or another one of the connected server. */
export function ModelPicker({ session }: { readonly session: Session }) {
  const feature = useModelsFeature();
  const frame = useFrame();
  const current = useModels((state) => state.current);
  const offered = useModels((state) => state.offered);
  if (current.kind !== 'ready' || current.value === null) return <Button size="small" tone="ghost" onClick={() => { frame.openSettings('model'); }}>No model connected</Button>;
  const known = offered?.kind === 'ready' ? offered.value : [];
  const names = [...new Set([...(session.model === null ? [] : [session.model]), ...known])];
  const pick = (value: string): void => {
    feature.pickForSession(session.id, value === DEFAULT ? null : value)
      .catch(showFailure);
  };
  return (
    <span className="relative inline-flex min-w-0 items-center rounded-md text-xs text-muted focus-within:text-ink hover:bg-hover hover:text-ink">
      <select
        aria-label="Model of this chat" value={session.model ?? DEFAULT}
        onFocus={() => { feature.loadOffered(); }} onPointerDown={() => { feature.loadOffered(); }} onChange={(event) => { pick(event.target.value); }}
        className="h-6 max-w-56 min-w-0 appearance-none truncate rounded-md bg-transparent pr-5 pl-1.5 [&>option]:bg-raised [&>option]:text-ink"
      >
        <option value={DEFAULT}>{current.value.model} (default)</option>
        {names.map((name) => <option key={name} value={name}>{name}</option>)}
        {offered?.kind === 'loading' ? <option disabled>Asking for more…</option> : null}
        {offered?.kind === 'failed' ? <option disabled>{offered.error.message}</option> : null}
      </select>
      <ChevronDown size={12} aria-hidden className="pointer-events-none absolute right-1.5" />
    </span>
  );
}
