import { useState } from 'react';
import type { ReactNode } from 'react';
import type { ToolCall } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatNumber } from '../../ui/format.ts';
import { showFailure, useChatFeature } from './context.tsx';
import { useChatSlots } from './slots.tsx';
import { readResult } from './tool-result.ts';
import { describeCall, parseArguments } from './tool-words.ts';

/** The open part of a tool's card: what was asked, what was changed about it, what came back. */
export function ToolDetails({ call }: { readonly call: ToolCall }) {
  const { TerminalPreview, openTerminal } = useChatSlots();
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
        {rest.length === 0 ? null : <CodeBlock code={JSON.stringify(Object.fromEntries(rest), null, 2)} language="json" label="Further arguments" wrap maxHeight="max-h-40" />}
      </>
    );
  }
  const keys = Object.keys(values);
  if (keys.length === 0) return <p className="text-xs text-muted">{call.arguments.trim() === '' || call.arguments.trim() === '{}' ? `${describeCall(call).verb}, without arguments.` : <code>{call.arguments}</code>}</p>;
  return <CodeBlock code={JSON.stringify(values, null, 2)} language="json" label="Arguments" wrap maxHeight="max-h-60" />;
}

function Result({ call, result }: { readonly call: ToolCall; readonly result: string }) {
  const feature = useChatFeature();
  const [full, setFull] = useState<string>();
  const [loading, setLoading] = useState(false);
  const { text, language, error } = readResult(full ?? result);
  const cut = full === undefined && call.resultChars > result.length;
  const showAll = (): void => {
    setLoading(true);
    feature.fullResult(call.id).then(setFull, showFailure).finally(() => { setLoading(false); });
  };
  return (
    <>
      {error === undefined ? null : <p className="text-xs text-danger wrap-anywhere">{error}</p>}
      {text === '' ? (error === undefined ? <p className="text-xs text-muted">It answered with nothing.</p> : null) : <CodeBlock code={text} language={language} label="Answer" wrap maxHeight="max-h-80" />}
      {cut ? <div><Button size="small" busy={loading} onClick={showAll}>Show all {formatNumber(call.resultChars)} characters</Button></div> : null}
    </>
  );
}
