/** The public door of the toolset panel. */
import { RefreshCw, Wrench } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ModelConnection } from '../../../preload/contract/settings.ts';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { useNow } from '../../ui/clock.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { failureWords } from '../../ui/failure.ts';
import { formatNumber, formatTicking } from '../../ui/format.ts';
import { useFrame } from '../../ui/frame.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Input } from '../../ui/input.tsx';
import { toasts } from '../../ui/toasts.tsx';
import { useShown } from '../../ui/use-shown.ts';
import { toolsets, useFollowToolsets, useToolsets } from './live.ts';
import { effectiveTokens, isEffective, matching, oldestCheck } from './model.ts';
import type { Scope } from './model.ts';
import { ToolsetRow } from './toolset-row.tsx';

export function ToolsetsDock() {
  const { sessionId } = useFrame();
  useFollowToolsets(sessionId);
  const [wishedScope, setScope] = useState<Scope>('chat');
  const scope = sessionId === undefined ? 'default' : wishedScope;
  const [query, setQuery] = useState('');
  const list = useToolsets((model) => model.list);
  const status = useToolsets((model) => model.status);
  const failure = useToolsets((model) => model.failure);
  const shown = matching(list, query);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-col gap-2 border-b border-line p-2.5">
        <div className="flex items-center gap-2">
          <ScopeChoice scope={scope} hasChat={sessionId !== undefined} onChoose={setScope} />
          <Input type="search" value={query} aria-label="Search toolsets and tools" placeholder="Search" className="min-w-0 flex-1" onChange={(event) => { setQuery(event.target.value); }} />
        </div>
        <Cost />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {status === 'failed' ? (
          <InlinePanel tone="danger" role="alert" className="m-2.5" title="The toolsets could not be read" actions={<Button size="small" onClick={() => { void toolsets.reload(); }}>Try again</Button>}>{failure}</InlinePanel>
        ) : null}
        {status === 'ready' && shown.length === 0 ? <EmptyState icon={Wrench} title="Nothing found">No toolset and no tool has these words in its name or description.</EmptyState> : null}
        <ul aria-label="Toolsets">
          {shown.map((toolset) => <ToolsetRow key={toolset.name} toolset={toolset} scope={scope} />)}
        </ul>
      </div>
      <LastCheck />
    </div>
  );
}

function ScopeChoice({ scope, hasChat, onChoose }: { readonly scope: Scope; readonly hasChat: boolean; readonly onChoose: (scope: Scope) => void }) {
  const choice = (value: Scope, label: string, disabled: boolean) => (
    <button
      type="button" aria-pressed={scope === value} disabled={disabled} title={disabled ? 'Open a chat first' : undefined} onClick={() => { onChoose(value); }}
      className={classNames('h-6 rounded-[5px] px-2 text-xs font-medium disabled:opacity-55', scope === value ? 'bg-raised text-ink shadow-sm' : 'text-muted enabled:hover:text-ink')}
    >
      {label}
    </button>
  );
  return (
    <div role="group" aria-label="What the switches change" className="flex shrink-0 rounded-md bg-hover p-0.5">
      {choice('chat', 'This chat', !hasChat)}
      {choice('default', 'All chats', false)}
    </div>
  );
}

/** What the tools cost in each request, against the model's window. */
function Cost() {
  const list = useToolsets((model) => model.list);
  const model = useModel();
  const tokens = effectiveTokens(list);
  const count = list.filter(isEffective).length;
  const share = model === undefined || model.contextTokens <= 0 ? undefined : tokens / model.contextTokens;
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-baseline gap-x-1.5 text-xs text-muted">
        <span className="font-medium text-ink tabular-nums">{formatNumber(tokens)} tokens</span>
        <span>of tools in each request, from {count} of {list.length} toolsets</span>
      </p>
      {share === undefined || model === undefined ? null : (
        <>
          <div role="img" aria-label={`${percent(share)} of the window of ${model.model}`} className="h-1 overflow-hidden rounded-full bg-hover">
            <div className={classNames('h-full rounded-full', share > 0.25 ? 'bg-warn-line' : 'bg-accent')} style={{ width: `${Math.min(100, share * 100)}%` }} />
          </div>
          <p className="text-xs text-muted">{percent(share)} of the {formatNumber(model.contextTokens)} tokens that {model.model} can read</p>
        </>
      )}
    </div>
  );
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? 'less than 1 %' : `${Math.round(share * 100)} %`;
}

function useModel(): ModelConnection | undefined {
  const [model, setModel] = useState<ModelConnection>();
  useEffect(() => {
    let current = true;
    const read = (): void => {
      bridge.request('models.current', {}).then(
        (found) => { if (current) setModel(found ?? undefined); },
        /** Without a model there is no window to compare with; the models page tells the fault. */
        (error: unknown) => { if (current) setModel(undefined); console.warn('the current model could not be read', error); },
      );
    };
    read();
    const off = bridge.subscribe('models', read);
    return () => { current = false; off(); };
  }, []);
  return model;
}

const AGE_STEP_MS = 10_000;

function LastCheck() {
  const element = useRef<HTMLDivElement>(null);
  const shown = useShown(element);
  const checking = useToolsets((model) => model.checking);
  const checkedAt = useToolsets((model) => oldestCheck(model.list));
  const now = useNow(shown && checkedAt !== undefined, AGE_STEP_MS);
  const age = checkedAt === undefined ? undefined : now - checkedAt;
  const check = (): void => {
    toolsets.check().catch((error: unknown) => { toasts.getState().show({ text: `Could not check: ${failureWords(error)}`, tone: 'danger' }); });
  };
  return (
    <div ref={element} className="flex shrink-0 items-center justify-between gap-2 border-t border-line px-2.5 py-1.5 text-xs text-muted">
      <span role="status">{checking ? 'Checking…' : age === undefined ? 'Not checked yet' : age < AGE_STEP_MS ? 'Checked just now' : `Checked ${formatTicking(age)} ago`}</span>
      <Button size="small" tone="ghost" busy={checking} icon={<RefreshCw size={12} aria-hidden />} onClick={check}>Check now</Button>
    </div>
  );
}
