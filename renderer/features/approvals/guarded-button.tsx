import { useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import type { ButtonProps } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { OUT_OF_SIGHT, TOO_SOON } from './guard.ts';
import type { CardGuardState } from './use-card-guard.ts';

export interface GuardedButtonProps extends Omit<ButtonProps, 'onClick' | 'onPointerDown' | 'onKeyDown'> {
  readonly guard: CardGuardState;
  /** True for every button that says yes: Enter and Space alone do not press it. */
  readonly approves?: boolean;
  /** The press counted. */
  readonly onPress: () => void;
  /** The press did not count, and why; undefined when one did. */
  readonly onRefused: (why: string | undefined) => void;
}

export const KEYS_HINT = 'Enter and Space alone never approve. Press Y, then Enter.';

/** A button of a card. A press counts only when the card stood still in a focused window at the moment the press began. */
export function GuardedButton({ guard, approves = false, onPress, onRefused, className, ...rest }: GuardedButtonProps) {
  const pressAccepted = useRef<boolean>(undefined);
  return (
    <Button
      aria-disabled={!guard.ready || undefined}
      className={classNames(!guard.ready && 'opacity-55', className)}
      onPointerDown={(event) => { pressAccepted.current = guard.accepts(event.timeStamp); }}
      /* A press that ends elsewhere says nothing about a click that comes later. */
      onPointerLeave={() => { pressAccepted.current = undefined; }}
      onPointerCancel={() => { pressAccepted.current = undefined; }}
      onKeyDown={(event) => {
        pressAccepted.current = undefined;
        if (!approves || (event.key !== 'Enter' && event.key !== ' ')) return;
        event.preventDefault();
        onRefused(KEYS_HINT);
      }}
      onClick={(event) => {
        /** A click without a press of the pointer comes from the keyboard or from an assistive program. */
        const accepted = pressAccepted.current ?? guard.accepts(event.timeStamp);
        pressAccepted.current = undefined;
        if (!accepted) onRefused(TOO_SOON);
        else if (approves && !guard.showsCommand()) {
          guard.showCommand();
          onRefused(OUT_OF_SIGHT);
        } else {
          onRefused(undefined);
          onPress();
        }
      }}
      {...rest}
    />
  );
}
