import { useState } from 'react';
import type { ReactNode } from 'react';
import type { ToolCall } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatNumber } from '../../ui/format.ts';
import { showFailure } from '../../ui/show-failure.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { useChatFeature } from './context.tsx';
import { useChatSlots } from './slots.tsx';
import { readResult } from './tool-result.ts';
import { describeCall, parseArguments } from './tool-words.ts';

/** The open part of a tool's card: what was asked, what was changed about it, what came back. */
export function ToolDetails({ call }: { readonly call: ToolCall }) {
  const { CallCheckpoints, TerminalPreview, openTerminal } = useChatSlots();
  const { terminalId } = call;
  return (
    <div className="flex flex-col gap-2 border-t border-line bg-panel/50 px-3 py-2">
      <Part title="Asked"><Arguments call={call} /></Part>
      {call.repairs.length === 0 ? null : (
        <Part title="Repaired before it ran">
          <ul className="list-disc pl-4 text-xs text-muted">{call.repairs.map((repair) => <li key={repair}>{repair}</li>)}</ul>
        </Part>
      )}
      {call.state === 'running' && terminalId !== null ? <TerminalPreview terminalId={terminalId} /> : null}
      {call.result === null ? null : <Part title="Answer to the model"><Result call={call} result={call.result} /></Part>}
      <CallCheckpoints call={call} />
      {terminalId === null ? null : <div><Button size="small" onClick={() => { openTerminal(terminalId); }}>Open its terminal</Button></div>}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="text-2xs font-medium text-faint">{title}</p>
      {children}
    </div>
  );
}

function Arguments({ call }: { readonly call: ToolCall }) {
  const values = parseArguments(call.arguments);
  const { command } = values;
  if (call.name === 'terminal' && typeof command === 'string') {
    const rest = Object.entries(values).filter(([key]) => key !== 'command');
    return (
      <>
        <CodeBlock code={command} language="bash" label="Command" wrap maxHeight="max-h-60" />
        {rest.length === 0 ? null : <Values entries={rest} />}
      </>
    );
  }
  const entries = Object.entries(values);
  if (entries.length > 0) return <Values entries={entries} />;
  const text = call.arguments.trim();
  if (text === '' || text === '{}') return <p className="text-xs text-muted">{describeCall(call).verb}, without arguments.</p>;
  return <pre className="text-xs wrap-anywhere whitespace-pre-wrap"><VisibleText text={text} /></pre>;
}

/** Longer or several lines: a block of its own that scrolls. */
const INLINE_CHARS = 240;

/** One row per field. Texts stand as they are, everything else as JSON. */
function Values({ entries }: { readonly entries: readonly (readonly [string, unknown])[] }) {
  return (
    <dl className="flex flex-col gap-1 font-mono text-xs">
      {entries.map(([name, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
        const block = text.length > INLINE_CHARS || text.includes('\n');
        return (
          <div key={name} className={classNames('gap-x-3', block ? 'flex flex-col gap-y-1' : 'flex')}>
            <dt className="shrink-0 text-muted"><VisibleText text={name} /></dt>
            <dd className="min-w-0 wrap-anywhere">{block ? <CodeBlock code={text} label={name} wrap maxHeight="max-h-60" /> : <VisibleText text={text} />}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function Result({ call, result }: { readonly call: ToolCall; readonly result: string }) {
  const feature = useChatFeature();
  const [full, setFull] = useState<string>();
  const [loading, setLoading] = useState(false);
  const { text, language, error, rest } = readResult(full ?? result);
  const cut = full === undefined && call.resultChars > result.length;
  const showAll = (): void => {
    setLoading(true);
    feature.fullResult(call.id).then(setFull, showFailure).finally(() => { setLoading(false); });
  };
  return (
    <>
      {error === undefined ? null : <p className="text-xs text-danger wrap-anywhere">{error}</p>}
      {text === undefined && error === undefined && rest.length === 0 ? <p className="text-xs text-muted">Nothing was printed.</p> : null}
      {text === undefined ? null : <CodeBlock code={text} language={language} label="Answer" wrap maxHeight="max-h-80" />}
      {rest.length === 0 ? null : <Values entries={rest} />}
      {cut ? <div><Button size="small" busy={loading} onClick={showAll}>Show all {formatNumber(call.resultChars)} characters</Button></div> : null}
    </>
  );
}
