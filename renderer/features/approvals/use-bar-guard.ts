import { useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { CardGuard } from './guard.ts';

/**
 * The guard of the cards for a bar that answers several: what is pressed within 400 ms after the bar appeared, moved or changed its buttons (`shape`),
 * or with the click that brought the window to the front, counts for nothing. `at` is the event's time stamp.
 */
export function useBarGuard(element: RefObject<HTMLElement | null>, shape: string): (at: number) => boolean {
  const [guard] = useState(() => new CardGuard(() => performance.now()));
  const last = useRef(shape);
  useEffect(() => {
    if (last.current !== shape) guard.disturb();
    last.current = shape;
  }, [guard, shape]);
  useEffect(() => {
    const restart = (): void => { guard.disturb(); };
    window.addEventListener('focus', restart);
    return () => { window.removeEventListener('focus', restart); };
  }, [guard]);
  return (at) => element.current !== null && guard.accepts(element.current.getBoundingClientRect(), document.hasFocus(), at);
}
