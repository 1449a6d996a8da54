import { useEffect, useState } from 'react';
import type { RefObject } from 'react';

/** True while some of the element can be seen: not in a hidden panel, not scrolled away, not in a window in the background. */
export function useShown(element: RefObject<Element | null>): boolean {
  const [inView, setInView] = useState(false);
  const [pageShown, setPageShown] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const observer = new IntersectionObserver((entries) => { setInView(entries.at(-1)?.isIntersecting ?? false); });
    observer.observe(target);
    const look = (): void => { setPageShown(document.visibilityState === 'visible'); };
    document.addEventListener('visibilitychange', look);
    return () => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', look);
    };
  }, [element]);
  return inView && pageShown;
}
