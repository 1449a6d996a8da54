/**
 * Tooltips by delegation: an element only carries its text, one layer per window shows it. A transcript has hundreds of buttons, and a
 * component with listeners of its own around each took a third of the time that drawing it costs.
 */
import { cloneElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { HTMLAttributes, ReactElement } from 'react';
import { Kbd } from './kbd.tsx';

type Side = 'top' | 'right' | 'bottom' | 'left';

export interface TooltipProps {
  readonly text: string;
  /** Keys as for `Kbd`, for example `Mod+K`. */
  readonly keys?: string | undefined;
  readonly side?: Side | undefined;
  /** True when the text is the element's name already: then it is not read twice. */
  readonly isName?: boolean;
  /** One element that can be pointed at or focused. */
  readonly children: ReactElement<HTMLAttributes<HTMLElement>>;
}

export function Tooltip({ text, keys, side, isName = false, children }: TooltipProps) {
  const marks = { 'data-tip': text, 'data-tip-keys': keys, 'data-tip-side': side, ...(isName ? {} : { 'aria-description': text }) };
  return cloneElement(children, marks);
}

interface Shown {
  readonly text: string;
  readonly keys: string | undefined;
  readonly side: Side;
  readonly over: DOMRect;
}

/** Milliseconds of rest before one opens. */
const OPEN_AFTER_MS = 450;
/** Moving on to a neighbour within this time opens its tooltip at once. */
const WARM_MS = 300;
const GAP_PX = 6;
const EDGE_PX = 8;

/** Mount once per window. */
export function TooltipLayer() {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    const layer = new AbortController();
    const { signal } = layer;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let target: HTMLElement | undefined;
    let closedAt = Number.NEGATIVE_INFINITY;
    const close = (): void => {
      clearTimeout(timer);
      if (target !== undefined) closedAt = performance.now();
      target = undefined;
      setShown(undefined);
    };
    const open = (element: HTMLElement): void => {
      const { tip, tipKeys, tipSide } = element.dataset;
      if (tip === undefined || !element.isConnected) return;
      setShown({ text: tip, keys: tipKeys, side: sideOf(tipSide), over: element.getBoundingClientRect() });
    };
    const consider = (event: Event): void => {
      const element = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') ?? undefined : undefined;
      if (element === target) return;
      const warm = target !== undefined || performance.now() - closedAt < WARM_MS;
      close();
      if (element === undefined) return;
      target = element;
      if (event.type === 'focusin') {
        if (element.matches(':focus-visible')) open(element);
      } else if (warm) open(element);
      else timer = setTimeout(() => { open(element); }, OPEN_AFTER_MS);
    };
    document.addEventListener('pointerover', consider, { signal });
    document.addEventListener('focusin', consider, { signal });
    document.addEventListener('focusout', close, { signal });
    document.addEventListener('pointerdown', close, { signal, capture: true });
    document.addEventListener('keydown', close, { signal, capture: true });
    document.addEventListener('scroll', close, { signal, capture: true, passive: true });
    addEventListener('blur', close, { signal });
    return () => {
      clearTimeout(timer);
      layer.abort();
    };
  }, []);
  return shown === undefined ? null : <Bubble key={`${shown.text} ${shown.over.x} ${shown.over.y}`} shown={shown} />;
}

function Bubble({ shown }: { readonly shown: Shown }) {
  const bubble = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = bubble.current;
    if (element === null) return;
    const { left, top } = place(shown, element.getBoundingClientRect());
    element.style.left = `${left}px`;
    element.style.top = `${top}px`;
  }, [shown]);
  return (
    <div ref={bubble} role="tooltip" className="pointer-events-none fixed top-0 left-0 z-60 flex max-w-80 items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-ink shadow-raised wrap-anywhere">
      {shown.text}
      {shown.keys === undefined ? null : <Kbd keys={shown.keys} />}
    </div>
  );
}

function sideOf(text: string | undefined): Side {
  return text === 'top' || text === 'left' || text === 'right' ? text : 'bottom';
}

/** On the wished side, or on the opposite one where that has no room; never over the window's edge. */
function place({ over, side }: Shown, size: DOMRect): { readonly left: number; readonly top: number } {
  const spots: Record<Side, { left: number; top: number }> = {
    bottom: { left: over.x + (over.width - size.width) / 2, top: over.bottom + GAP_PX },
    top: { left: over.x + (over.width - size.width) / 2, top: over.top - size.height - GAP_PX },
    right: { left: over.right + GAP_PX, top: over.y + (over.height - size.height) / 2 },
    left: { left: over.left - size.width - GAP_PX, top: over.y + (over.height - size.height) / 2 },
  };
  const fits = (spot: { left: number; top: number }): boolean => spot.left >= 0 && spot.top >= 0 && spot.left + size.width <= innerWidth && spot.top + size.height <= innerHeight;
  const opposite: Record<Side, Side> = { bottom: 'top', top: 'bottom', left: 'right', right: 'left' };
  const vertical = side === 'bottom' || side === 'top';
  const clamped = { left: Math.min(Math.max(spots[side].left, EDGE_PX), innerWidth - size.width - EDGE_PX), top: spots[side].top };
  if (fits(vertical ? clamped : spots[side])) return vertical ? clamped : spots[side];
  return vertical ? { left: clamped.left, top: spots[opposite[side]].top } : spots[opposite[side]];
}
