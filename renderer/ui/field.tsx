import { useId } from 'react';
import type { ReactNode } from 'react';

export interface FieldControl {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

export interface FieldProps {
  readonly label: ReactNode;
  /** Stands under the control until there is an error. */
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly children: (control: FieldControl) => ReactNode;
}

/** Label, control and the sentence below it, tied together for a screen reader. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  const noteId = note === undefined ? undefined : `${id}-note`;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium text-ink">{label}</label>
      {children({ id, 'aria-describedby': noteId, 'aria-invalid': error === undefined ? undefined : true })}
      {note === undefined ? null : <p id={noteId} className={error === undefined ? 'text-xs text-muted' : 'text-xs text-danger'}>{note}</p>}
    </div>
  );
}
