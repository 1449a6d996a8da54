import { useCallback, useEffect, useRef, useState } from 'react';
import type { BrowserLook, SessionId } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';

/** Often enough to follow what happens; a picture is some tens of kB. */
const EVERY_MS = 1_000;

/** The page as it was last seen, looked at again and again while `follow`. A look that fails keeps the one before. */
export function useLook(sessionId: SessionId, follow: boolean): { readonly look: BrowserLook | undefined; readonly again: () => Promise<void> } {
  const [look, setLook] = useState<BrowserLook>();
  const current = useRef(true);
  const again = useCallback(async (): Promise<void> => {
    try {
      const seen = await bridge.request('browser.look', { sessionId });
      if (current.current) setLook(seen ?? undefined);
    } catch (error) {
      // A page that loads cannot be drawn for a moment; the next look shows it.
      console.info('the page could not be looked at', error);
    }
  }, [sessionId]);
  useEffect(() => {
    current.current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = async (): Promise<void> => {
      if (document.visibilityState === 'visible') await again();
      if (current.current && follow) timer = setTimeout(() => { void round(); }, EVERY_MS);
    };
    void round();
    return () => {
      current.current = false;
      clearTimeout(timer);
    };
  }, [again, follow]);
  return { look, again };
}
