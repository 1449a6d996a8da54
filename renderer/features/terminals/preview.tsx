import { useRef } from 'react';
import type { TerminalId } from '../../../preload/contract/ids.ts';
import { useTerminals } from './live.ts';
import { useScreen } from './screen/use-screen.ts';

const ignore = (): void => undefined;

/** The last lines of a terminal, live, inside a chat. It takes no keys; the dock's view of the same terminal does. */
export function TerminalPreview({ terminalId }: { readonly terminalId: TerminalId }) {
  const element = useRef<HTMLDivElement>(null);
  const terminal = useTerminals((model) => model.byId.get(terminalId));
  const { failure } = useScreen(terminalId, element, {
    interactive: false, label: `${terminal?.title ?? 'Terminal'}, preview`,
    onData: ignore, onLockedKey: ignore, onSize: ignore, onFollow: ignore, onPaste: ignore, onClipboardAttempt: ignore, onSelection: ignore, onSearch: ignore, onFind: ignore, onLeave: ignore,
  }, true);
  return (
    <div className="overflow-hidden rounded-md border border-line bg-sunken">
      <div className="overflow-x-auto px-2 py-1.5">
        <div ref={element} className="min-h-[60px] w-max" />
        {failure === undefined ? null : <p className="text-xs text-danger">{failure}</p>}
      </div>
    </div>
  );
}
