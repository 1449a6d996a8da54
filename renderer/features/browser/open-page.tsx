import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, SyntheticEvent } from 'react';
import type { BrowserInput, BrowserLook, SessionId } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { failureWords } from '../../ui/failure.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Input } from '../../ui/input.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { addressOf, inputOfKey, placeOf } from './model.ts';

/** The page large. After *Take over* clicks, keys and scrolling go to it, and the agent waits. */
export function OpenPage({ sessionId, look, again }: { readonly sessionId: SessionId; readonly look: BrowserLook; readonly again: () => Promise<void> }) {
  const [failure, setFailure] = useState<string>();
  const [address, setAddress] = useState<string>();
  const sending = useRef(Promise.resolve());
  const { held } = look;
  /** In the order in which it was done. */
  const send = (input: BrowserInput): void => {
    sending.current = sending.current.then(async () => {
      try {
        await bridge.request('browser.input', { sessionId, input });
        setFailure(undefined);
      } catch (error) {
        setFailure(failureWords(error));
      }
      await again();
    });
  };
  const hold = (wanted: boolean): void => { bridge.request('browser.hold', { sessionId, held: wanted }).then(again, showFailure); };
  /** Whoever closes the view does not drive any more. */
  useEffect(() => () => { bridge.request('browser.hold', { sessionId, held: false }).catch(showFailure); }, [sessionId]);
  const go = (event: SyntheticEvent): void => {
    event.preventDefault();
    const url = addressOf(address ?? look.url);
    if (url === undefined) setFailure('This is no address of a page.');
    else {
      setAddress(undefined);
      send({ kind: 'navigate', url });
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <form onSubmit={go} className="flex items-center gap-1.5">
        <IconButton size="small" icon={ArrowLeft} label="Back" disabled={!held} onClick={() => { send({ kind: 'back' }); }} />
        <Input aria-label="Address" value={address ?? look.url} disabled={!held} onChange={(event) => { setAddress(event.target.value); }} className="min-w-0 flex-1 font-mono text-xs" />
        {held ? <Button size="small" onClick={() => { hold(false); }}>Give back</Button> : <Button size="small" tone="primary" onClick={() => { hold(true); }}>Take over</Button>}
      </form>
      {failure === undefined ? null : <InlinePanel role="alert" tone="danger" title={failure} />}
      {look.dialog === null ? null : (
        <InlinePanel
          role="alert" tone="warn" title={`The page asks (${look.dialog.type})`}
          actions={held ? <><Button size="small" tone="primary" onClick={() => { send({ kind: 'dialog', accept: true }); }}>OK</Button><Button size="small" onClick={() => { send({ kind: 'dialog', accept: false }); }}>Cancel</Button></> : undefined}
        >
          <VisibleText text={look.dialog.message} />
        </InlinePanel>
      )}
      {look.jpeg === null ? null : <Picture look={look} jpeg={look.jpeg} onInput={send} />}
      <p className="text-xs text-muted">{held ? 'You drive: click, type and scroll on the page; Tab leaves it. The agent waits until you give it back.' : 'The agent drives. Take over to sign in, or to do a step yourself.'}</p>
    </div>
  );
}

function Picture({ look, jpeg, onInput }: { readonly look: BrowserLook; readonly jpeg: string; readonly onInput: (input: BrowserInput) => void }) {
  const place = (event: { readonly clientX: number; readonly clientY: number; readonly currentTarget: Element }) => placeOf({ x: event.clientX, y: event.clientY }, event.currentTarget.getBoundingClientRect(), look);
  const press = (event: KeyboardEvent): void => {
    const input = inputOfKey({ ...event, isComposing: event.nativeEvent.isComposing, key: event.key });
    if (input === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onInput(input);
  };
  const image = <img src={`data:image/jpeg;base64,${jpeg}`} alt={`The page ${look.title}`} draggable={false} className="max-h-[45vh] max-w-full" />;
  const box = 'mx-auto w-fit overflow-hidden rounded-sm border';
  if (!look.held) return <div className={classNames(box, 'border-line')}>{image}</div>;
  return (
    <div
      role="application" aria-label="The page: clicks and keys go to it, Tab leaves it" tabIndex={0} className={classNames(box, 'border-accent')}
      onClick={(event) => { event.currentTarget.focus(); onInput({ kind: 'click', ...place(event), count: Math.min(3, Math.max(1, event.detail)) }); }}
      onWheel={(event) => { onInput({ kind: 'scroll', ...place(event), by: Math.round(event.deltaY) }); }} onKeyDown={press}
    >
      {image}
    </div>
  );
}
