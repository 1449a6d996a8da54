import { Activity, ExternalLink } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ProcessInfo, Terminal } from '../../../preload/contract/terminal.ts';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { failureWords } from '../../ui/failure.ts';
import { formatBytes, formatTicking } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useShown } from '../../ui/use-shown.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { selectTerminal, terminals, useTerminals } from './live.ts';
import { ownerWord } from './model.ts';
import { processTree } from './process-tree.ts';
import { told } from './told.ts';

/** A glance, not a monitor. */
const READ_EVERY_MS = 2_000;

/** What runs below the terminals: tree, load, memory, ports. Read only while it is looked at. */
export function Processes() {
  const element = useRef<HTMLDivElement>(null);
  const shown = useShown(element);
  const byId = useTerminals((model) => model.byId);
  const [processes, setProcesses] = useState<readonly ProcessInfo[]>();
  const [failure, setFailure] = useState<string>();
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!shown) return;
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      bridge.request('processes.list', {}).then(
        (found) => { if (current) { setProcesses(found); setNow(Date.now()); setFailure(undefined); } },
        (error: unknown) => { if (current) setFailure(failureWords(error)); },
      ).finally(() => { if (current) timer = setTimeout(read, READ_EVERY_MS); });
    };
    read();
    return () => { current = false; clearTimeout(timer); };
  }, [shown]);
  const owners = [...new Set((processes ?? []).map((process) => process.terminalId))];
  return (
    <div ref={element} className="min-h-0 flex-1 overflow-y-auto">
      {failure === undefined ? null : <InlinePanel tone="danger" role="alert" className="m-2.5" title="The processes could not be read">{failure}</InlinePanel>}
      {processes !== undefined && processes.length === 0 ? <EmptyState icon={Activity} title="Nothing runs">Programs that the agent or you started are listed here, with their load and ports.</EmptyState> : null}
      {owners.map((owner) => (
        <Group key={owner} terminal={byId.get(owner)} title={byId.get(owner)?.title ?? owner} processes={(processes ?? []).filter((process) => process.terminalId === owner)} now={now} />
      ))}
    </div>
  );
}

function Group({ terminal, title, processes, now }: { readonly terminal: Terminal | undefined; readonly title: string; readonly processes: readonly ProcessInfo[]; readonly now: number }) {
  return (
    <div role="group" aria-label={title} className="border-b border-line py-1 last:border-0">
      <div className="flex h-7 items-center gap-1 px-2.5">
        <h2 className="min-w-0 flex-1 truncate font-mono text-xs font-medium"><VisibleText text={title.slice(0, 200)} /></h2>
        {terminal === undefined ? null : (
          <>
            <span className="shrink-0 text-xs text-muted">{ownerWord(terminal)}{terminal.backend === 'local' ? '' : ` · ${terminal.backend}`}</span>
            <Button size="small" tone="ghost" onClick={() => { selectTerminal(terminal.id); }}>Show</Button>
            {terminal.state === 'running' ? (
              <Menu items={[
                { label: 'Interrupt', run: () => { told(terminals.kill(terminal.id, 'interrupt'), 'Not interrupted'); } },
                { label: 'Terminate', run: () => { told(terminals.kill(terminal.id, 'terminate'), 'Not terminated'); } },
                { label: 'Kill it and all it started', danger: true, run: () => { told(terminals.kill(terminal.id, 'kill'), 'Not killed'); } },
              ]}
              >
                <Button size="small" tone="ghost">Stop…</Button>
              </Menu>
            ) : null}
          </>
        )}
      </div>
      <table className="w-full table-fixed text-xs">
        <colgroup><col /><col className="w-12" /><col className="w-16" /><col className="w-20" /></colgroup>
        <thead className="sr-only"><tr><th>Program</th><th>Processor</th><th>Memory</th><th>Age</th></tr></thead>
        <tbody>
          {processTree(processes).map(({ process, depth }) => (
            <tr key={process.pid} className="hover:bg-hover">
              <td className="py-0.5 pr-2" style={{ paddingLeft: `${10 + Math.min(depth, 8) * 12}px` }}>
                <span className="flex min-w-0 items-center gap-1.5">
                  <code className="truncate" title={`${process.pid}: ${process.command.slice(0, 500)}`}><VisibleText text={process.command.slice(0, 300)} /></code>
                  {process.ports.map((port) => <PortLink key={port} port={port} />)}
                </span>
              </td>
              <td className="text-right text-muted tabular-nums">{process.cpuPercent < 0.05 ? '0' : process.cpuPercent.toFixed(process.cpuPercent < 10 ? 1 : 0)} %</td>
              <td className="text-right text-muted tabular-nums">{formatBytes(process.memoryBytes)}</td>
              <td className="pr-2.5 text-right text-muted tabular-nums">{process.startedAt === null ? '' : formatTicking(now - process.startedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PortLink({ port }: { readonly port: number }) {
  return (
    <button
      type="button" aria-label={`Open port ${port} in your browser`} title={`Open http://127.0.0.1:${port}`} onClick={() => { told(bridge.request('host.openLink', { url: `http://127.0.0.1:${port}/` }), 'Not opened'); }}
      className="inline-flex shrink-0 items-center gap-0.5 rounded-sm font-medium text-accent hover:underline"
    >
      :{port}<ExternalLink size={11} aria-hidden />
    </button>
  );
}
