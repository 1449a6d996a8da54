import { useState } from 'react';
import { Input } from '../../ui/input.tsx';

export interface NumberFieldProps {
  readonly id: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  readonly disabled: boolean;
  /** Called with a whole number within the bounds, when the person leaves the field or presses Enter. */
  readonly onSave: (value: number) => void;
}

export function NumberField({ id, value, min, max, unit, disabled, onSave }: NumberFieldProps) {
  const [text, setText] = useState(String(value));
  const [drawn, setDrawn] = useState(value);
  if (drawn !== value) {
    setDrawn(value);
    setText(String(value));
  }
  const parsed = /^\d+$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  const wrong = !(parsed >= min && parsed <= max);
  const save = (): void => { if (!wrong && parsed !== value) onSave(parsed); };
  return (
    <div className="flex flex-col items-end gap-0.5">
      <span className="flex items-center gap-1.5">
        <Input
          id={id} inputMode="numeric" value={text} disabled={disabled} aria-invalid={wrong || undefined} aria-describedby={wrong ? `${id}-wrong` : undefined} className="w-24 text-right tabular-nums"
          onChange={(event) => { setText(event.target.value); }} onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save();
            if (event.key === 'Escape') setText(String(value));
          }}
        />
        <span className="text-xs text-muted">{unit}</span>
      </span>
      {wrong ? <span id={`${id}-wrong`} className="text-xs text-danger">A whole number from {min.toLocaleString('en')} to {max.toLocaleString('en')}</span> : null}
    </div>
  );
}
