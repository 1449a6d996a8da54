import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import { addDrawnCard, commandInSight, scrollToCommand } from './drawn.ts';
import { CardGuard } from './guard.ts';

export interface CardGuardState {
  /** True once the card has stood still long enough; only for how the buttons look. */
  readonly ready: boolean;
  /** Asked at the moment of an input, which is what counts. `at` is the event's time stamp. */
  accepts(at: number): boolean;
  /** True when some of the command can be seen: what cannot be seen is not approved. */
  showsCommand(): boolean;
  /** Scrolls to the command; what was pressed meanwhile has to be pressed again. */
  showCommand(): void;
}

/** Watches a card's place: anything that moves it starts the wait again. `onAnswered` is called when a key answered on this card. */
export function useCardGuard(id: ApprovalId, element: RefObject<HTMLElement | null>, onAnswered: () => void): CardGuardState {
  const current = useRef<CardGuard>(undefined);
  const [ready, setReady] = useState(false);
  const answered = useRef(onAnswered);
  useEffect(() => { answered.current = onAnswered; }, [onAnswered]);

  useLayoutEffect(() => {
    const card = element.current;
    if (card === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      setReady(false);
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (guard.remainingMs() === 0) setReady(true);
        else wait();
      }, Math.ceil(guard.remainingMs()));
    };
    const guard = new CardGuard(() => performance.now(), wait);
    current.current = guard;
    const look = (): void => { guard.notePlace(card.getBoundingClientRect()); };
    const restart = (): void => { guard.disturb(); };
    look();
    restart();
    const removeCard = addDrawnCard(id, { element: card, guard, markAnswered: () => { answered.current(); } });
    /** A neighbour that grows, a list that scrolls, a window that is resized: each may push the card. */
    const sizes = new ResizeObserver(look);
    sizes.observe(card);
    if (card.parentElement !== null) sizes.observe(card.parentElement);
    const sight = new IntersectionObserver(look, { threshold: [0, 0.25, 0.5, 0.75, 1] });
    sight.observe(card);
    document.addEventListener('scroll', look, { capture: true, passive: true });
    window.addEventListener('resize', look);
    window.addEventListener('focus', restart);
    return () => {
      clearTimeout(timer);
      current.current = undefined;
      removeCard();
      sizes.disconnect();
      sight.disconnect();
      document.removeEventListener('scroll', look, { capture: true });
      window.removeEventListener('resize', look);
      window.removeEventListener('focus', restart);
    };
  }, [element, id]);

  return {
    ready,
    accepts: (at) => element.current !== null && current.current?.accepts(element.current.getBoundingClientRect(), document.hasFocus(), at) === true,
    showsCommand: () => element.current !== null && commandInSight({ element: element.current }),
    showCommand: () => { if (element.current !== null) scrollToCommand(element.current); },
  };
}
