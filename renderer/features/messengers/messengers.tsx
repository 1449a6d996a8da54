import { useEffect, useState } from 'react';
import type { GatewayHolder, MessengerState } from '../../../preload/contract/gateway.ts';
import { bridge } from '../../bridge.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { failureWords } from '../../ui/failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { SetUp } from './set-up.tsx';

const NAMES = { telegram: 'Telegram', discord: 'Discord', slack: 'Slack', email: 'E-mail', webhook: 'Webhook' } as const;
const WORDS = { off: 'not set up', stopped: 'not served', starting: 'connecting', connected: 'connected', retrying: 'trying again', failed: 'failed' } as const;
const TONES = { off: 'neutral', stopped: 'neutral', starting: 'accent', connected: 'ok', retrying: 'warn', failed: 'danger' } as const;

type Act = (work: () => Promise<readonly MessengerState[]>) => Promise<void>;

/** Which process serves the messengers: only one of a home does. */
function holderWords(holder: GatewayHolder | null): string {
  if (holder === null) return 'Nobody serves them now.';
  if (holder.here) return 'This app serves them.';
  const who = holder.shell === 'cli' ? 'talaria gateway run' : 'Another Talaria app';
  return `${who} (process ${String(holder.pid)}) serves them since ${new Date(holder.since).toLocaleTimeString()}. When it ends, this app takes over within half a minute.`;
}

/** The set-up below says better what is missing. */
const isPlainlyUnset = ({ status, detail }: MessengerState): boolean => status === 'off' && detail?.startsWith('Not set up') === true;

function Messenger({ state, act, onSaved }: { readonly state: MessengerState; readonly act: Act; readonly onSaved: (states: readonly MessengerState[]) => void }) {
  const { name, status, detail, homeChannel, allowed, refused, pairing } = state;
  const title = NAMES[name];
  return (
    <section aria-label={title} className="border-b border-line py-2.5 last:border-0">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1.5">
        <div className="max-w-110 min-w-56 flex-1">
          <h3 className="font-medium">{title}</h3>
          {detail === null || isPlainlyUnset(state) ? null : <p className="text-xs wrap-anywhere text-muted">{detail}</p>}
          {homeChannel === null ? null : <p className="text-xs text-muted">Home channel: <code>{homeChannel}</code></p>}
        </div>
        <Badge tone={TONES[status]}>{WORDS[status]}</Badge>
      </div>
      <SetUp state={state} title={title} onSaved={onSaved} />
      {name === 'webhook' || status === 'off' ? null : (
        <div className="mt-2 flex flex-col gap-2">
          {pairing === null ? (
            <div><Button size="small" aria-label={`Let somebody in on ${title}`} onClick={() => { void act(() => bridge.request('gateway.pair', { platform: name })); }}>Let somebody in</Button></div>
          ) : (
            <p className="flex flex-wrap items-center gap-2 text-xs" role="status">
              <span>Have them send this code to the bot, once, before {new Date(pairing.expiresAt).toLocaleTimeString()}:</span>
              <code className="rounded border border-line px-2 py-0.5 text-sm font-semibold tracking-widest">{pairing.code}</code>
              <CopyButton text={pairing.code} label={`Copy the code for ${title}`} />
            </p>
          )}
          {allowed.length === 0 ? <p className="text-xs text-muted">Nobody is let in yet.</p> : (
            <ul aria-label={`Let in on ${title}`} className="flex flex-col gap-1">
              {allowed.map(({ id, name: who, by }) => (
                <li key={id} className="flex flex-wrap items-center gap-2 text-xs">
                  <span>{who === '' ? id : `${who} (${id})`}</span>
                  {by === 'config' ? <span className="text-muted">named in the settings files</span> : (
                    <Button size="small" aria-label={`Revoke ${who === '' ? id : who}`} onClick={() => { void act(() => bridge.request('gateway.revoke', { platform: name, sender: id })); }}>Revoke</Button>
                  )}
                </li>
              ))}
            </ul>
          )}
          {refused.length === 0 ? null : (
            <Disclosure title={`Turned away (${refused.length})`}>
              <ul className="mt-1 flex flex-col gap-1">
                {refused.map(({ id, name: who }) => (
                  <li key={id} className="flex flex-wrap items-center gap-2">
                    <span>{who} ({id})</span>
                    <Button size="small" aria-label={`Let in ${who}`} onClick={() => { void act(() => bridge.request('gateway.allow', { platform: name, sender: id, name: who })); }}>Let in</Button>
                  </li>
                ))}
              </ul>
            </Disclosure>
          )}
        </div>
      )}
    </section>
  );
}

/** State of each messenger, and the people who may talk to the agent through it. */
export function Messengers() {
  const [states, setStates] = useState<readonly MessengerState[]>();
  const [holder, setHolder] = useState<GatewayHolder | null>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let shown = true;
    const load = async () => {
      try {
        const [found, who] = await Promise.all([bridge.request('gateway.state', {}), bridge.request('gateway.holder', {})]);
        if (shown) {
          setStates(found);
          setHolder(who);
          setFailure(undefined);
        }
      } catch (error) {
        if (shown) setFailure(failureWords(error));
      }
    };
    void load();
    const off = bridge.subscribe('gateway', () => { void load(); });
    return () => {
      shown = false;
      off();
    };
  }, []);
  const act: Act = async (work) => {
    try {
      setStates(await work());
    } catch (error) {
      toasts.getState().show({ text: failureWords(error), tone: 'danger' });
    }
  };
  return (
    <div className="flex flex-col">
      <p className="pb-2 text-xs text-muted">The agent can be talked to through messengers. Only people who are let in reach it; everybody else is turned away.</p>
      {holder === undefined || states?.every(({ status }) => status === 'off') === true ? null : <p className="pb-2 text-xs text-muted">{holderWords(holder)}</p>}
      {failure === undefined ? null : <p role="alert" className="text-xs text-danger">{failure}</p>}
      {states?.map((state) => <Messenger key={state.name} state={state} act={act} onSaved={setStates} />)}
    </div>
  );
}
