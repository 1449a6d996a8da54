import { useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { Input } from './input.tsx';

/** Edits one line in place. Enter and leaving the field keep it, Escape (undefined) does not; an empty line counts as Escape. */
export function InlineEdit({ label, value, maxLength = 4_000, onDone, className }: {
  readonly label: string; readonly value: string; readonly maxLength?: number; readonly onDone: (value: string | undefined) => void; readonly className?: string;
}) {
  const done = useRef(false);
  const finish = (text: string | undefined): void => {
    if (done.current) return;
    done.current = true;
    const trimmed = text?.trim();
    onDone(trimmed === '' ? undefined : trimmed);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter') finish(event.currentTarget.value);
    else if (event.key === 'Escape') finish(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Input
      aria-label={label} defaultValue={value} maxLength={maxLength} autoFocus
      onFocus={(event) => { event.currentTarget.select(); }}
      onBlur={(event) => { finish(event.currentTarget.value); }}
      onKeyDown={onKeyDown} className={className ?? 'h-8 w-full'}
    />
  );
}
