import { useEffect, useState } from 'react';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { DeliveryTarget } from '../../../preload/contract/schedules.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { Field } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';

/** Value of the choice that opens a field for anything else, such as several places with commas. */
const OTHER = '\u0000other';

export interface DeliverFieldProps {
  /** Empty = kept here. */
  readonly value: string;
  /** The chat that `origin` means; undefined where there is none. */
  readonly origin: SessionId | undefined;
  readonly onChange: (value: string) => void;
}

/** Where results go: only kept here, into a chat, or out through a messenger. They are kept in the history in any case. */
export function DeliverField({ value, origin, onChange }: DeliverFieldProps) {
  const [targets, setTargets] = useState<readonly DeliveryTarget[]>([]);
  const [failure, setFailure] = useState<string>();
  const [writing, setWriting] = useState(false);
  const [title, setTitle] = useState<string>();
  useEffect(() => {
    const failed = (error: unknown): void => { setFailure(failureWords(error)); };
    bridge.request('schedules.targets', {}).then(setTargets, failed);
    bridge.request('sessions.list', {}).then((sessions) => { setTitle(sessions.find(({ id }) => id === origin)?.title); }, failed);
  }, [origin]);
  const chosen = value === '' ? 'local' : value;
  const isListed = chosen === 'local' || (chosen === 'origin' && origin !== undefined) || targets.some(({ target }) => target === chosen);
  const free = writing || !isListed;
  const hint = targets.length > 0 ? undefined : 'Messengers that are set up in the settings stand here, too.';
  return (
    <div className="flex flex-col gap-2">
      <Field label="Results go to" hint={hint} error={failure}>
        {(control) => (
          <Select
            {...control} className="w-full" value={free ? OTHER : chosen}
            onChange={({ target }) => { setWriting(target.value === OTHER); if (target.value !== OTHER) onChange(target.value); }}
          >
            <option value="local">nowhere: they are only kept here</option>
            {origin === undefined ? null : <option value="origin">{title === undefined ? 'the chat it was made in' : `the chat “${title}”`}</option>}
            {targets.map(({ target, title }) => <option key={target} value={target}>{target === 'all' ? title : `${target}: ${title}`}</option>)}
            <option value={OTHER}>somewhere else…</option>
          </Select>
        )}
      </Field>
      {free ? (
        <Field label="Place" hint="local, origin, all, or a messenger such as telegram or telegram:<chat>; several with commas">
          {(control) => <Input {...control} value={value} maxLength={500} onChange={(event) => { setWriting(true); onChange(event.target.value); }} className="w-full font-mono text-xs" />}
        </Field>
      ) : null}
    </div>
  );
}
