import { useEffect, useId, useState } from 'react';
import type { BackendInfo } from '../../../preload/contract/settings.ts';
import { bridge } from '../../bridge.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { failureWords } from '../../ui/failure.ts';
import { Input } from '../../ui/input.tsx';
import { toasts } from '../../ui/toasts.tsx';
import { changeSettings } from './live.ts';
import { Row } from './row.tsx';

type Key = BackendInfo['keys'][number];

function sourceWords({ source }: Key): string {
  return source === 'environment' ? 'Set in the environment or in .env.' : source === 'keychain' ? 'Kept in the keychain. Save an empty one to remove it.' : 'Not set.';
}

/** One key of a hosted service: it can be set and removed, never read. */
function KeyField({ entry, onSaved }: { readonly entry: Key; readonly onSaved: (backends: readonly BackendInfo[]) => void }) {
  const id = useId();
  const [value, setValue] = useState('');
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      onSaved(await bridge.request('host.setBackendKey', { variable: entry.variable, value }));
      setValue('');
    } catch (error) {
      toasts.getState().show({ text: `Not saved: ${failureWords(error)}`, tone: 'danger' });
    } finally {
      setSaving(false);
    }
  };
  return (
    <form className="flex flex-col gap-0.5" onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <label htmlFor={id} className="font-mono text-xs text-ink">{entry.variable}</label>
      <div className="flex flex-wrap items-center gap-2">
        <Input id={id} type="password" autoComplete="off" spellCheck={false} className="w-72" value={value} aria-describedby={`${id}-source`} onChange={(event) => setValue(event.target.value)} />
        <Button type="submit" size="small" busy={saving} disabled={value === '' && entry.source !== 'keychain'}>Save</Button>
      </div>
      <p id={`${id}-source`} className="text-xs text-muted">{sourceWords(entry)}</p>
    </form>
  );
}

/** What it costs, and when it is let go. */
function termsOf({ cost, idleSeconds }: BackendInfo): string {
  const minutes = (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);
  const idle = idleSeconds === null ? '' : `let go after ${minutes(idleSeconds)} without work`;
  if (cost === null) return idle === '' ? '' : `${idle[0]?.toUpperCase() ?? ''}${idle.slice(1)}.`;
  return `About $${cost.usdPerHour.toFixed(3)} an hour while it is there; ${idle}, and ended by its vendor after ${minutes(cost.lifetimeSeconds)} at the latest.`;
}

/** A place that is open now: where, from which image, what it sees of this machine. */
function Place({ place: { host, user, image, isolated, endsAt, mounts } }: { readonly place: BackendInfo['places'][number] }) {
  const ends = endsAt === null ? undefined : new Date(endsAt).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  const parts = [user === '' ? host : `${user} on ${host}`, ...(image === null ? [] : [`image ${image}`]), isolated ? 'isolated' : 'not isolated', ...(ends === undefined ? [] : [`ends at ${ends} at the latest`])];
  return (
    <li>
      {parts.join(' · ')}
      {mounts.length === 0 ? null : (
        <ul className="pl-3 font-mono">{mounts.map((mount) => <li key={mount.inside} className="break-all">{`${mount.host} → ${mount.inside}${mount.readOnly ? ' (read only)' : ''}`}</li>)}</ul>
      )}
    </li>
  );
}

function Backend({ backend, onSaved }: { readonly backend: BackendInfo; readonly onSaved: (backends: readonly BackendInfo[]) => void }) {
  const { name, chosen, reason, isolated, keys, places, cost } = backend;
  const terms = termsOf(backend);
  const place = isolated ? 'Isolated: nothing of this machine can be reached from there.' : 'Not isolated: commands reach the files of the machine they run on.';
  return (
    <Row
      label={name}
      hint={(
        <>
          <p>{reason === null ? place : reason.message}</p>
          {reason?.fix === undefined ? null : <p>{reason.fix}</p>}
          {terms === '' || (reason !== null && cost === null) ? null : <p>{terms}</p>}
          {places.length === 0 || name === 'local' ? null : <ul aria-label={`Open in ${name}`}>{places.map((place) => <Place key={place.host} place={place} />)}</ul>}
          {keys.length === 0 ? null : (
            <Disclosure title="Set keys" label={`Set keys of ${name}`} className="mt-0.5">
              <div className="mt-1.5 flex flex-col gap-2.5">{keys.map((entry) => <KeyField key={entry.variable} entry={entry} onSaved={onSaved} />)}</div>
            </Disclosure>
          )}
        </>
      )}
    >
      <div className="flex gap-1.5">
        {chosen ? <Badge tone="accent">new chats</Badge> : reason === null ? <Button size="small" onClick={() => { void changeSettings({ terminalBackend: name }); }}>Use for new chats</Button> : null}
        <Badge tone={reason === null ? 'ok' : 'neutral'}>{reason === null ? 'ready' : 'not set up'}</Badge>
      </div>
    </Row>
  );
}

/** Every place where commands may run, whether it could be used now, and why not. */
export function Backends() {
  const [backends, setBackends] = useState<readonly BackendInfo[]>([]);
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let shown = true;
    const load = async () => {
      try {
        const found = await bridge.request('host.backends', {});
        if (shown) setBackends(found);
      } catch (error) {
        if (shown) setFailure(failureWords(error));
      }
    };
    void load();
    const off = bridge.subscribe('settings', () => { void load(); });
    return () => {
      shown = false;
      off();
    };
  }, []);
  return (
    <section aria-label="Backends">
      <h3 className="font-semibold">Backends</h3>
      {failure === undefined ? null : <p className="text-xs text-danger">{failure}</p>}
      {backends.map((backend) => <Backend key={backend.name} backend={backend} onSaved={setBackends} />)}
    </section>
  );
}
