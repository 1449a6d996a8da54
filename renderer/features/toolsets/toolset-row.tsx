import { ChevronRight, CircleCheck, CircleMinus, Play, RotateCcw, ShieldQuestion, TriangleAlert } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { ToolInfo, ToolsetInfo } from '../../../preload/contract/settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { failureWords } from '../../ui/failure.ts';
import { formatNumber, plural } from '../../ui/format.ts';
import { useFrame } from '../../ui/frame.tsx';
import { Switch } from '../../ui/switch.tsx';
import { ToolIcon } from '../../ui/tool-icon.tsx';
import { toasts } from '../../ui/toasts.tsx';
import { toolsets, useToolsets } from './live.ts';
import { stateWords } from './model.ts';
import type { Scope } from './model.ts';
import { TryForm } from './try-form.tsx';
import { useIsTrying, useTrial } from './try-store.ts';

const STATE_LOOKS = {
  ok: { icon: CircleCheck, text: 'text-ok' },
  warn: { icon: TriangleAlert, text: 'text-warn' },
  off: { icon: CircleMinus, text: 'text-muted' },
} as const;

export function ToolsetRow({ toolset, scope }: { readonly toolset: ToolsetInfo; readonly scope: Scope }) {
  const { sessionId } = useFrame();
  const trying = useIsTrying(sessionId, toolset.tools.map(({ name }) => name));
  const [wished, setOpen] = useState<boolean>();
  const open = wished ?? trying;
  const toolsId = useId();
  const stateId = useId();
  const set = (enabled: boolean | null): void => {
    toolsets.set(toolset.name, scope, enabled).catch((error: unknown) => {
      toasts.getState().show({ text: `${toolset.name} was not switched: ${failureWords(error)}`, tone: 'danger' });
    });
  };
  const state = stateWords(toolset);
  const look = STATE_LOOKS[state.tone];
  const checked = scope === 'chat' ? toolset.enabled : toolset.enabledByDefault;
  return (
    <li data-toolset={toolset.name} className="border-b border-line last:border-0">
      <div className="flex gap-2.5 px-2.5 py-2">
        <span className="pt-0.5"><Switch checked={checked} label={`${toolset.name}, ${scope === 'chat' ? 'in this chat' : 'for all chats'}`} describedBy={stateId} onChange={set} /></span>
        <div className="flex min-w-0 flex-1 flex-col gap-0.5">
          <div className="flex min-w-0 items-center gap-1.5">
            <button
              type="button" aria-expanded={open} aria-controls={toolsId} onClick={() => { setOpen(!open); }}
              className="flex min-w-0 flex-1 items-center gap-1 rounded-sm text-left"
            >
              <ToolIcon name={toolset.tools[0]?.name ?? ''} emoji={toolset.tools[0]?.emoji ?? ''} />
              <span className="truncate font-medium">{toolset.name}</span>
              <ChevronRight size={13} aria-hidden className={classNames('shrink-0 text-faint transition-transform', open && 'rotate-90')} />
            </button>
            {scope === 'chat' ? <ScopeChip toolset={toolset} onReset={() => { set(null); }} /> : null}
            <span className="shrink-0 text-xs text-muted tabular-nums" title={`${formatNumber(toolset.tokens)} tokens in each request`}>{formatNumber(toolset.tokens)} tok</span>
          </div>
          <p className="truncate text-xs text-muted" title={toolset.description}>{toolset.description}</p>
          <p id={stateId} className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
            <span className={classNames('inline-flex items-center gap-1', look.text)}><look.icon size={12} aria-hidden />{state.words}</span>
            <span aria-hidden>·</span>
            <span>{plural(toolset.tools.length, 'tool')}</span>
            <span aria-hidden>·</span>
            <span>{toolset.uses30d === 0 ? 'unused in 30 days' : `used ${formatNumber(toolset.uses30d)}× in 30 days`}</span>
          </p>
          {state.why === undefined ? null : (
            <p className="text-xs wrap-anywhere"><span className="text-ink">{state.why}</span>{state.fix === undefined ? null : <span className="text-muted"> {state.fix}</span>}</p>
          )}
          <ServerLink toolset={toolset} />
          {toolset.reason?.step === 'plugin-not-trusted' ? <TrustChoice toolset={toolset} /> : null}
        </div>
      </div>
      {open ? <Tools id={toolsId} tools={toolset.tools} /> : null}
    </li>
  );
}

/** Two steps, so that nothing runs by a slip; the words above it say what it is and where it stands. */
function TrustChoice({ toolset }: { readonly toolset: ToolsetInfo }) {
  const [asked, setAsked] = useState(false);
  const busy = useToolsets((model) => model.pending.has(toolset.name));
  const trust = (): void => {
    toolsets.trust(toolset.name).catch((error: unknown) => {
      toasts.getState().show({ text: `${toolset.name} is not trusted: ${failureWords(error)}`, tone: 'danger' });
    });
  };
  if (!asked) return <div><Button size="small" icon={<ShieldQuestion size={12} aria-hidden />} onClick={() => { setAsked(true); }}>Trust…</Button></div>;
  return (
    <div role="group" aria-label={`Trust ${toolset.name}?`} className="flex flex-col gap-1.5 rounded-md border border-warn-line bg-warn-soft p-2 text-xs">
      <p>It will run with your rights, as it is now. Have you read it?</p>
      <div className="flex gap-1.5">
        <Button size="small" tone="primary" busy={busy} onClick={trust}>Trust and run</Button>
        <Button size="small" tone="ghost" autoFocus onClick={() => { setAsked(false); }}>Not now</Button>
      </div>
    </div>
  );
}

/** Tools of an MCP server: sign-in, changes and single switches are on the server's own page. */
function ServerLink({ toolset }: { readonly toolset: ToolsetInfo }) {
  const frame = useFrame();
  if (toolset.tools.every((tool) => tool.toolset?.startsWith('mcp-') !== true)) return null;
  const words = toolset.reason?.step === 'needs-sign-in' ? 'Sign in…' : toolset.tools.some(({ available }) => !available) && toolset.available ? 'See what changed…' : 'Server…';
  return <span><Button size="small" tone={words === 'Server…' ? 'ghost' : 'secondary'} onClick={() => { frame.openSettings('mcp'); }}>{words}</Button></span>;
}

/** Inherited, on here or off here; the latter two can be taken back. */
function ScopeChip({ toolset, onReset }: { readonly toolset: ToolsetInfo; readonly onReset: () => void }) {
  if (toolset.inChat === null) return <Badge>inherited</Badge>;
  const words = toolset.inChat ? 'on here' : 'off here';
  return (
    <button
      type="button" onClick={onReset} aria-label={`${toolset.name} is ${words}: use the default again`} title={`Use the default again (${toolset.enabledByDefault ? 'on' : 'off'})`}
      className="inline-flex h-[18px] shrink-0 items-center gap-1 rounded-full bg-accent-soft px-1.5 text-2xs font-medium text-accent hover:underline"
    >
      {words}<RotateCcw size={10} aria-hidden />
    </button>
  );
}

/** Where a tool comes from that is not the app's own, and whose place it took. */
function originWords({ owner, replaces }: ToolInfo): string {
  return replaces === undefined ? `from ${owner ?? ''}` : `${owner ?? ''} replaces ${replaces === 'built-in' ? 'the built-in' : replaces}`;
}

function Tools({ id, tools }: { readonly id: string; readonly tools: readonly ToolInfo[] }) {
  return (
    <ul id={id} className="flex flex-col gap-1.5 bg-panel py-2 pr-2.5 pl-[50px]">
      {tools.length === 0 ? <li className="text-xs text-muted">No tool is registered in it.</li> : null}
      {tools.map((tool) => <Tool key={tool.name} tool={tool} />)}
    </ul>
  );
}

function Tool({ tool }: { readonly tool: ToolInfo }) {
  const { sessionId } = useFrame();
  return (
    <li data-tool={tool.name} className="flex flex-col gap-0.5">
      <span className="flex min-w-0 items-baseline gap-1.5">
        <code className={classNames('min-w-0 flex-1 truncate text-xs', !tool.available && 'text-muted line-through')}>{tool.name}</code>
        {tool.owner === undefined ? null : <Badge>{originWords(tool)}</Badge>}
        {tool.available ? null : <span className="shrink-0 text-xs text-warn">not available</span>}
        <span className="shrink-0 text-xs text-muted tabular-nums">{formatNumber(tool.tokens)} tok</span>
      </span>
      <span className="line-clamp-2 text-xs text-muted" title={tool.description}>{tool.description}</span>
      {sessionId === undefined
        ? <span><Button size="small" tone="ghost" icon={<Play size={11} aria-hidden />} aria-label={`Try it: ${tool.name}`} className="-ml-2" disabled title="Open a chat first: it runs in the place of a chat">Try it</Button></span>
        : <Try key={sessionId} tool={tool} sessionId={sessionId} />}
    </li>
  );
}

function Try({ tool, sessionId }: { readonly tool: ToolInfo; readonly sessionId: SessionId }) {
  const { open, show } = useTrial(sessionId, tool.name);
  const [pressed, setPressed] = useState(false);
  const tryButton = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    show(false);
    tryButton.current?.focus();
  };
  return (
    <>
      <span>
        <Button ref={tryButton} size="small" tone="ghost" icon={<Play size={11} aria-hidden />} aria-expanded={open} aria-label={`Try it: ${tool.name}`} className="-ml-2" onClick={() => { setPressed(true); show(!open); }}>Try it</Button>
      </span>
      {open ? <TryForm tool={tool} sessionId={sessionId} focus={pressed} onClose={close} /> : null}
    </>
  );
}
