import { useId, useState } from 'react';
import type { MessengerKey, MessengerState } from '../../../preload/contract/gateway.ts';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { failureWords } from '../../ui/failure.ts';
import { Input } from '../../ui/input.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { HOW_TO, KEY_WORDS } from './how-to.ts';

const SOURCES = { environment: 'Set in the environment or .env, which wins.', stored: 'Kept. It is not shown again.' } as const;

type Saved = (states: readonly MessengerState[]) => void;

/** One variable: it can be entered and removed, never read. */
function KeyField({ entry, title, onSaved }: { readonly entry: MessengerKey; readonly title: string; readonly onSaved: Saved }) {
  const { variable, secret, source } = entry;
  const id = useId();
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const words = KEY_WORDS[variable] ?? variable;
  const keep = async (wanted: string) => {
    setBusy(true);
    try {
      onSaved(await bridge.request('gateway.setKey', { variable, value: wanted }));
      setValue('');
      setFailure(undefined);
    } catch (error) {
      setFailure(failureWords(error));
    } finally {
      setBusy(false);
    }
  };
  const note = failure ?? (source === null ? `Not set. The variable is ${variable}.` : SOURCES[source]);
  return (
    <form className="flex flex-col gap-0.5" onSubmit={(event) => { event.preventDefault(); void keep(value); }}>
      <label htmlFor={id} className="text-xs font-medium">{words}</label>
      <div className="flex flex-wrap items-center gap-2">
        <Input
          id={id} type={secret ? 'password' : 'text'} autoComplete="off" spellCheck={false} className="w-72" value={value} disabled={source === 'environment'} aria-describedby={`${id}-note`}
          aria-invalid={failure !== undefined} placeholder={source === null ? '' : '••••••••'} onChange={(event) => { setValue(event.target.value); setFailure(undefined); }}
        />
        <Button type="submit" size="small" busy={busy} disabled={value.trim() === '' || source === 'environment'} aria-label={`Save ${words} of ${title}`}>Save</Button>
        {source === 'stored' ? <Button size="small" disabled={busy} aria-label={`Remove ${words} of ${title}`} onClick={() => { void keep(''); }}>Remove</Button> : null}
      </div>
      <p id={`${id}-note`} role={failure === undefined ? undefined : 'alert'} className={failure === undefined ? 'text-xs text-muted' : 'text-xs text-danger'}>{note}</p>
    </form>
  );
}

/** The steps that make a messenger work, and its keys. */
export function SetUp({ state, title, onSaved }: { readonly state: MessengerState; readonly title: string; readonly onSaved: Saved }) {
  const { steps, page } = HOW_TO[state.name];
  const words = state.keys.some(({ source }) => source === null) ? 'Set up' : 'Keys';
  return (
    <Disclosure title={words} label={`${words} of ${title}`} className="mt-0.5">
      <div className="mt-2 flex flex-col gap-2.5">
        <ol className="flex max-w-130 list-decimal flex-col gap-0.5 pl-5 text-muted">{steps.map((step) => <li key={step}>{step}</li>)}</ol>
        {page === null ? null : <div><Button size="small" onClick={() => { bridge.request('host.openLink', { url: page.url }).catch(showFailure); }}>{page.label}</Button></div>}
        {state.keys.map((entry) => <KeyField key={entry.variable} entry={entry} title={title} onSaved={onSaved} />)}
      </div>
    </Disclosure>
  );
}
