import { Cpu, RefreshCw } from 'lucide-react';
import { useEffect } from 'react';
import type { FoundServer } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { useModels, useModelsFeature } from './context.tsx';

/** Model servers that answer on this machine, each one click away. */
export function FoundServers({ onPick }: { readonly onPick: (server: FoundServer) => void }) {
  const feature = useModelsFeature();
  const found = useModels((state) => state.found);
  useEffect(() => {
    if (feature.store.getState().found === undefined) feature.discover();
  }, [feature]);
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex h-7 items-center gap-2">
        <h3 className="flex-1 text-xs font-medium">On this machine</h3>
        <Button size="small" tone="ghost" icon={<RefreshCw size={13} aria-hidden />} disabled={found?.kind === 'loading'} onClick={() => { feature.discover(); }}>Look again</Button>
      </div>
      {found === undefined || found.kind === 'loading' ? (
        <p role="status" className="flex items-center gap-2 text-xs text-muted"><Spinner />Looking for Ollama, LM Studio, llama.cpp and vLLM</p>
      ) : found.kind === 'failed' ? <p role="alert" className="text-xs text-danger">{found.error.message}</p>
        : found.value.length === 0 ? <p role="status" className="text-xs text-muted">No Ollama, LM Studio, llama.cpp or vLLM answers on this machine. Start one and look again, or enter an address below.</p>
          : (
            <ul className="flex flex-col gap-1">
              {found.value.map((server) => (
                <li key={server.baseUrl} className="flex items-center gap-2 rounded-md border border-line px-3 py-2">
                  <Cpu size={16} aria-hidden className="shrink-0 text-muted" />
                  <div className="min-w-0 flex-1">
                    <p className="font-medium">{server.name} <span className="font-normal text-muted">{plural(server.models.length, 'model')}</span></p>
                    <p className="truncate font-mono text-2xs text-faint">{server.baseUrl}{server.models.length === 0 ? '' : ` · ${server.models.slice(0, 3).join(', ')}`}</p>
                  </div>
                  <Button size="small" onClick={() => { onPick(server); }}>Use {server.name}</Button>
                </li>
              ))}
            </ul>
          )}
    </div>
  );
}
