import { useEffect, useState } from 'react';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { terminals } from './live.ts';
import { told } from './told.ts';

/** A half-typed secret does not stay on screen (anchors B4). */
const CLEAR_AFTER_MS = 45_000;

/** A program reads with echo off. What is typed here goes to it and nowhere else. */
export function SecretField({ terminal }: { readonly terminal: Terminal }) {
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (secret === '') return;
    const timer = setTimeout(() => { setSecret(''); }, CLEAR_AFTER_MS);
    return () => { clearTimeout(timer); };
  }, [secret]);
  const send = (): void => {
    const typed = secret;
    setSecret('');
    setBusy(true);
    told(terminals.sendSecret(terminal.id, typed).finally(() => { setBusy(false); }), 'Not sent');
  };
  return (
    <form className="shrink-0 border-t border-warn-line/50 bg-warn-soft px-2.5 py-2" onSubmit={(event) => { event.preventDefault(); send(); }}>
      <Field label={`A program on ${terminal.backend} reads a password`} hint="It goes straight to the program: not to the model, the log or the scrollback.">
        {(control) => (
          <span className="flex gap-1.5">
            <Input {...control} type="password" autoComplete="off" value={secret} className="flex-1" onChange={(event) => { setSecret(event.target.value); }} />
            <Button type="submit" tone="primary" busy={busy} disabled={secret === ''}>Send</Button>
            <Button onClick={() => { told(terminals.kill(terminal.id, 'interrupt'), 'Not interrupted'); }}>Interrupt</Button>
          </span>
        )}
      </Field>
    </form>
  );
}
