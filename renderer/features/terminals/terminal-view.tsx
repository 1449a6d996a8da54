import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { useFrame } from '../../ui/frame.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { LinkPanel } from './link-panel.tsx';
import { saveHtml } from './export.ts';
import { takesKeys, wheelOf } from './model.ts';
import type { Direction, Wheel } from './model.ts';
import { focusPane, paneAction } from './pane-keys.ts';
import { usePreferences } from './preferences.tsx';
import { PastePanel } from './paste-panel.tsx';
import { checkPaste, needsLook } from './paste.ts';
import type { PasteCheck } from './paste.ts';
import type { LinkTarget } from './screen/links.ts';
import { useScreen } from './screen/use-screen.ts';
import { SearchBar } from './search-bar.tsx';
import type { SearchResults } from './search-bar.tsx';
import { SecretField } from './secret-field.tsx';
import { StateBar } from './state-bar.tsx';
import { terminals } from './live.ts';
import { told } from './told.ts';
import { TitleBar } from './title-bar.tsx';

/** What stands over the screen's lower edge, one at a time. */
type Overlay =
  | { readonly kind: 'paste'; readonly check: PasteCheck }
  | { readonly kind: 'link'; readonly target: LinkTarget }
  /** Goes by itself when somebody else has the wheel. */
  | { readonly kind: 'note'; readonly words: string; readonly wheel: Wheel }
  | undefined;

const LOCKED_WORDS: ReadonlyMap<Wheel, string> = new Map([
  ['agent', 'The agent drives this terminal, so your keys go nowhere. Take over to type.'],
  ['no-input', 'This program takes no input, so your keys go nowhere.'],
  ['ended', 'This terminal has ended, so your keys go nowhere.'],
]);

export interface TerminalViewProps {
  readonly terminal: Terminal;
  /** True once for a terminal that was just opened by hand: its screen gets the focus as soon as it is there. */
  readonly takesFocus: boolean;
  readonly onFocusTaken: () => void;
  readonly onSplit: (direction: Direction) => void;
  /** The terminal that was in this place before. */
  readonly replaced: Terminal['id'] | undefined;
  /** Absent for one that stands alone. */
  readonly onClose?: () => void;
}

/** One terminal, live: title, screen, who drives, how it ended. */
export function TerminalView({ terminal, takesFocus, onFocusTaken, onSplit, replaced, onClose }: TerminalViewProps) {
  const frame = useFrame();
  const element = useRef<HTMLDivElement>(null);
  const leave = useRef<HTMLDivElement>(null);
  const [overlay, setOverlay] = useState<Overlay>();
  const [searching, setSearching] = useState(false);
  const [results, setResults] = useState<SearchResults>({ index: -1, count: 0 });
  const [hasSelection, setHasSelection] = useState(false);
  const hinted = useRef(false);
  const clipboardTold = useRef(false);
  const { id } = terminal;
  const look = usePreferences();
  const wheel = wheelOf(terminal);
  const locked = !takesKeys(terminal);

  const send = (data: string): void => { told(bridge.request('terminals.write', { id, data }), 'Not typed'); };
  const { screen, before, failure, retry } = useScreen(id, element, {
    interactive: true,
    label: `${terminal.title}, ${locked ? 'read-only' : 'terminal'}`,
    onData: send,
    onLockedKey: () => {
      const words = LOCKED_WORDS.get(wheel);
      if (hinted.current || words === undefined) return;
      hinted.current = true;
      setOverlay({ kind: 'note', words, wheel });
    },
    onSize: (size) => {
      if (terminal.state === 'running' && terminal.mode === 'pty') told(bridge.request('terminals.resize', { id, ...size }), 'Not resized');
    },
    onFollow: (target) => { setOverlay({ kind: 'link', target }); },
    onPaste: (text) => {
      if (locked) return;
      const check = checkPaste(text);
      if (needsLook(check)) setOverlay({ kind: 'paste', check });
      else if (check.text !== '') screen?.paste(check.text);
    },
    onClipboardAttempt: () => {
      if (clipboardTold.current) return;
      clipboardTold.current = true;
      setOverlay({ kind: 'note', words: 'A program here tried to use your clipboard. It was not let in.', wheel });
    },
    onSelection: setHasSelection,
    onSearch: setResults,
    onFind: () => { setSearching(true); },
    onLeave: () => { leave.current?.focus(); },
  }, locked, replaced);

  useEffect(() => {
    if (!takesFocus || screen === undefined) return;
    screen.focus();
    onFocusTaken();
  }, [takesFocus, screen, onFocusTaken]);

  const quote = frame.quoteInChat;
  const sendSelection = (): void => {
    const text = screen?.selection() ?? '';
    if (text !== '') quote?.(`\`\`\`\n${text.replace(/\s+$/, '')}\n\`\`\`\n`);
  };

  const onKey = (event: KeyboardEvent<HTMLElement>): void => {
    const action = paneAction(event);
    if (action === undefined) return;
    /** The program would take it for another key. */
    event.preventDefault();
    event.stopPropagation();
    const here = event.currentTarget;
    switch (action) {
      case 'beside': case 'below': onSplit(action); break;
      case 'next': focusPane(here, 1); break;
      case 'previous': focusPane(here, -1); break;
      case 'buttons': here.querySelector<HTMLElement>('[data-more]')?.focus(); break;
      case 'select': screen?.selectView(); break;
      case 'close':
        if (onClose === undefined) break;
        focusPane(here, -1);
        onClose();
    }
  };

  return (
    <div role="group" aria-label={`Terminal ${terminal.title}`} data-terminal={id} className="flex min-h-0 flex-1 flex-col" onKeyDownCapture={onKey}>
      <TitleBar
        terminal={terminal} searching={searching} hasSelection={hasSelection}
        onSearch={() => { setSearching(!searching); if (searching) screen?.endFind(); }}
        onCopy={() => { if (screen !== undefined) told(screen.copy(), 'Not copied'); }}
        onSelect={() => { screen?.selectView(); }}
        onQuote={quote === undefined ? undefined : sendSelection} onSplit={onSplit} onClose={onClose}
        onSaveHtml={() => { if (element.current !== null) told(saveHtml(terminal, element.current), 'Not saved'); }}
      />
      {searching ? <SearchBar screen={screen} results={results} onClose={() => { setSearching(false); screen?.endFind(); }} /> : null}
      <div className="relative min-h-24 flex-1 bg-sunken">
        <div ref={element} className="absolute inset-0 overflow-hidden pt-1 pl-2" />
        {before === undefined || failure !== undefined ? null : <pre aria-hidden className="pointer-events-none absolute inset-0 overflow-hidden bg-sunken pt-1 pl-2 font-mono" style={{ fontSize: look.fontSize, lineHeight: 1.2 }}>{before}</pre>}
        {failure === undefined ? null : (
          <div className="absolute inset-x-2 top-2">
            <InlinePanel tone="danger" role="alert" title="This terminal cannot be shown" actions={<Button size="small" onClick={retry}>Try again</Button>}>{failure}</InlinePanel>
          </div>
        )}
        {overlay === undefined || (overlay.kind === 'note' && overlay.wheel !== wheel) ? null : (
          <div className="absolute inset-x-2 bottom-2 z-10">
            {overlay.kind === 'note' ? (
              <InlinePanel
                title={overlay.words} role="status" className="shadow-raised"
                actions={(
                  <>
                    {wheel === 'agent' ? <Button size="small" tone="primary" onClick={() => { told(terminals.drive(id, 'user'), 'Not taken over'); setOverlay(undefined); screen?.focus(); }}>Take over</Button> : null}
                    <Button size="small" onClick={() => { setOverlay(undefined); screen?.focus(); }}>Got it</Button>
                  </>
                )}
              />
            ) : null}
            {overlay.kind === 'paste' ? (
              <PastePanel
                check={overlay.check} onCancel={() => { setOverlay(undefined); screen?.focus(); }}
                onPaste={(text) => { setOverlay(undefined); screen?.paste(text); }}
              />
            ) : null}
            {overlay.kind === 'link' ? <LinkPanel target={overlay.target} onQuote={quote} onClose={() => { setOverlay(undefined); screen?.focus(); }} /> : null}
          </div>
        )}
      </div>
      {wheel === 'waiting' ? <SecretField key={id} terminal={terminal} /> : null}
      <div ref={leave} tabIndex={-1} className="shrink-0 outline-none">
        <StateBar terminal={terminal} onDriven={() => { screen?.focus(); }} />
      </div>
    </div>
  );
}
