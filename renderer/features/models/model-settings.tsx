import { useState } from 'react';
import type { FoundServer, ModelConnection } from '../../../preload/contract/index.ts';
import { formatNumber } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { ConnectForm } from './connect-form.tsx';
import { useModels } from './context.tsx';
import { FoundServers } from './found-servers.tsx';

/** Fields filled in by hand, or by a click on a found server. */
export function ConnectPanel({ current, onSaved }: { readonly current: ModelConnection | null; readonly onSaved?: () => void }) {
  const [picked, setPicked] = useState<FoundServer>();
  const initial = picked === undefined ? current ?? undefined : { baseUrl: picked.baseUrl, model: picked.models[0] ?? '', hasKey: false };
  return (
    <div className="flex flex-col gap-4">
      <FoundServers onPick={setPicked} />
      <ConnectForm key={picked?.baseUrl ?? current?.baseUrl ?? 'new'} initial={initial} {...(onSaved === undefined ? {} : { onSaved })} />
    </div>
  );
}

/** The "Model" section of the settings page. */
export function ModelSettings() {
  const current = useModels((state) => state.current);
  if (current.kind === 'loading') return null;
  if (current.kind === 'failed') return <InlinePanel role="alert" tone="danger" title={current.error.message}>{current.error.hint}</InlinePanel>;
  return (
    <div className="flex flex-col gap-4">
      {current.value === null
        ? <p className="text-muted">No model is connected. Any server that speaks the OpenAI chat protocol works, on this machine or elsewhere.</p>
        : <Connected connection={current.value} />}
      <ConnectPanel current={current.value} />
    </div>
  );
}

function Connected({ connection }: { readonly connection: ModelConnection }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Model', connection.model],
    ['Address', connection.baseUrl],
    ['Key', connection.hasKey ? 'stored' : 'none'],
    ['Context', connection.contextTokens > 0 ? `${formatNumber(connection.contextTokens)} tokens` : 'not told by the server'],
    ['Comes from', connection.source],
  ];
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md border border-line bg-panel px-3 py-2 text-xs">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 font-mono wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
