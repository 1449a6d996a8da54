import { Switch as Radix } from 'radix-ui';
import { classNames } from './class-names.ts';

export interface SwitchProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  /** Read aloud; give `id` instead when a visible <label> points at it. */
  readonly label?: string;
  readonly id?: string;
  readonly describedBy?: string | undefined;
  readonly disabled?: boolean;
}

export function Switch({ checked, onChange, label, id, describedBy, disabled }: SwitchProps) {
  return (
    <Radix.Root
      id={id} checked={checked} onCheckedChange={onChange} disabled={disabled} aria-label={label} aria-describedby={describedBy}
      className={classNames('relative h-4 w-7 shrink-0 rounded-full border disabled:opacity-55', checked ? 'border-accent bg-accent' : 'border-line-strong bg-sunken')}
    >
      <Radix.Thumb className={classNames('block size-2.5 rounded-full transition-transform duration-100', checked ? 'translate-x-3.5 bg-on-accent' : 'translate-x-0.5 bg-line-strong')} />
    </Radix.Root>
  );
}
