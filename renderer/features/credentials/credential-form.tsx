import { KeyRound, ShieldQuestion } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { CredentialRequest } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { useNow } from '../../ui/clock.ts';
import { Input } from '../../ui/input.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { answerCredential } from './live.ts';
import { fieldWords, secondsLeft } from './model.ts';

/** One thing that is asked: bound to a chat and a host, masked unless the other side said that it may be seen, gone after 45 s. */
export function CredentialForm({ request, chatTitle, onShowChat }: {
  readonly request: CredentialRequest;
  /** Title of the chat whose work asks, when it is not the open one. */
  readonly chatTitle: string | undefined;
  readonly onShowChat: (() => void) | undefined;
}) {
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const titleId = useId();
  const now = useNow(true);
  const left = secondsLeft(request, now);
  const { label, send } = fieldWords(request);
  const Icon = request.kind === 'confirm' ? ShieldQuestion : KeyRound;
  // Whoever types elsewhere goes on typing there: half a password must not land in a chat, nor half a message here.
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body) field.current?.focus();
  }, []);
  const answer = (typed: string | null): void => {
    setValue('');
    setBusy(true);
    void answerCredential(request, typed).finally(() => { setBusy(false); });
  };
  return (
    <form
      aria-labelledby={titleId} className="flex flex-col gap-1.5 border-b border-warn-line/50 bg-warn-soft px-3 py-2"
      onSubmit={(event) => { event.preventDefault(); if (request.kind !== 'confirm' && value === '') return; answer(request.kind === 'confirm' ? 'yes' : value); }}
      onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); answer(null); } }}
    >
      <div className="flex items-start gap-2">
        <Icon size={15} aria-hidden className="mt-0.5 shrink-0 text-warn" />
        <p id={titleId} role="alert" className="min-w-0 flex-1 text-[13px] font-medium wrap-anywhere"><VisibleText text={request.title} /></p>
        <span className="shrink-0 text-xs text-muted tabular-nums" aria-hidden>{left} s</span>
      </div>
      {request.problem === null ? null : <p className="text-xs text-danger wrap-anywhere"><VisibleText text={request.problem} /></p>}
      {request.detail === '' ? null : <p className="text-xs whitespace-pre-wrap text-muted wrap-anywhere"><VisibleText text={request.detail} /></p>}
      {request.fingerprint === null ? null : <code className="rounded-sm bg-panel px-1.5 py-1 text-xs wrap-anywhere select-text">{request.fingerprint}</code>}
      <div className="flex flex-wrap items-center gap-1.5">
        {request.kind === 'confirm' ? null : (
          <Input
            ref={field} aria-label={`${label} for ${request.host}`} placeholder={`${label} for ${request.host}`} type={request.kind === 'secret' ? 'password' : 'text'}
            autoComplete="off" spellCheck={false} value={value} className="min-w-40 flex-1" onChange={(event) => { setValue(event.target.value); }}
          />
        )}
        <Button type="submit" tone="primary" busy={busy} disabled={request.kind !== 'confirm' && value === ''}>{send}</Button>
        <Button onClick={() => { answer(null); }}>Cancel</Button>
        {onShowChat === undefined ? null : <Button tone="ghost" size="small" onClick={onShowChat}>{chatTitle ?? 'Show the chat'}</Button>}
      </div>
      {request.kind === 'secret' ? <p className="text-xs text-muted">{request.purpose === 'ssh-passphrase' ? 'It opens the key on this machine and goes' : `It goes to ${request.host} and`} nowhere else: not to the model, the chat, the log or the disk.</p> : null}
    </form>
  );
}
