import { useEffect, useState } from 'react';
import type { RefObject } from 'react';

/**
 * True while some of the element can be seen: not in a hidden panel, not scrolled away, not in a window in the background. Stays true
 * for `keepMs` after it went out of sight, so that a glance elsewhere costs nothing.
 */
export function useShown(element: RefObject<Element | null>, keepMs = 0): boolean {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen = false;
    const look = (): void => {
      clearTimeout(timer);
      const now = seen && document.visibilityState === 'visible';
      if (now || keepMs === 0) setShown(now);
      else timer = setTimeout(() => { setShown(false); }, keepMs);
    };
    const observer = new IntersectionObserver((entries) => {
      seen = entries.at(-1)?.isIntersecting ?? seen;
      look();
    });
    observer.observe(target);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('visibilitychange', look);
    };
  }, [element, keepMs]);
  return shown;
}
