import { useId } from 'react';
import type { ReactNode } from 'react';

/** A choice of one among a few, in a row. */
export function Radios({ legend, children }: { readonly legend: string; readonly children: (name: string) => ReactNode }) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-0.5 text-xs font-medium">{legend}</legend>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">{children(name)}</div>
    </fieldset>
  );
}

export function Radio({ name, checked, onChoose, children }: { readonly name: string; readonly checked: boolean; readonly onChoose: () => void; readonly children: ReactNode }) {
  return (
    <label className="inline-flex min-h-6 items-center gap-1.5 text-xs">
      <input type="radio" name={name} checked={checked} onChange={onChoose} className="size-3.5 accent-accent" />
      {children}
    </label>
  );
}
