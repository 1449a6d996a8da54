import { useEffect, useState } from 'react';

/**
 * Epoch milliseconds, refreshed every `everyMs` while `active`. When nothing is counting, no timer runs: an idle window costs nothing.
 */
export function useNow(active: boolean, everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return;
    const soon = requestAnimationFrame(() => { setNow(Date.now()); });
    const timer = setInterval(() => { setNow(Date.now()); }, everyMs);
    return () => {
      cancelAnimationFrame(soon);
      clearInterval(timer);
    };
  }, [active, everyMs]);
  return now;
}
