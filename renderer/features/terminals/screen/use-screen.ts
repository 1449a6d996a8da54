import { useCallback, useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { TerminalId } from '../../../../preload/contract/ids.ts';
import { bridge } from '../../../bridge.ts';
import { failureWords } from '../../../ui/failure.ts';
import { useShown } from '../../../ui/use-shown.ts';
import { usePreferences } from '../preferences.tsx';
import { Attachment } from './attachment.ts';
import type { Screen, ScreenOptions } from './screen.ts';

/** A view that is out of sight this long gives back its screen; a glance at another tab costs no redraw. */
const KEEP_HIDDEN_MS = 500;

export type ScreenHandlers = Omit<ScreenOptions, 'element' | 'fontSize' | 'screenReader' | 'onDrawn'>;

/** What each terminal last showed: it stands in its place for the few frames until the live one is drawn. */
const lastSeen = new Map<TerminalId, string>();
const SEEN_KEPT = 60;

function remember(id: TerminalId, lines: readonly string[]): void {
  lastSeen.delete(id);
  lastSeen.set(id, lines.join('\n'));
  const [oldest] = lastSeen.keys();
  if (lastSeen.size > SEEN_KEPT && oldest !== undefined) lastSeen.delete(oldest);
}

/** Screens that can be read now. */
const inSight = new Map<TerminalId, Screen>();

/** What to show in the place of one terminal until it is drawn: what it showed last, else what stands there still. */
function standInFor(id: TerminalId, replaced: TerminalId | undefined): string | undefined {
  return lastSeen.get(id) ?? (replaced === undefined ? undefined : inSight.get(replaced)?.lines().join('\n') ?? lastSeen.get(replaced));
}

export interface ScreenState {
  readonly screen: Screen | undefined;
  /** What it showed when it was last in sight, or the one that it has replaced, until it is drawn. */
  readonly before: string | undefined;
  /** Why nothing can be drawn. */
  readonly failure: string | undefined;
  /** Tries again after a failure. */
  readonly retry: () => void;
}

/** Draws one terminal in an element while it can be seen: attaches when it comes into sight, lets go when it leaves. */
export function useScreen(id: TerminalId, element: RefObject<HTMLElement | null>, handlers: ScreenHandlers, locked: boolean, replaced?: TerminalId): ScreenState {
  const live = useShown(element, KEEP_HIDDEN_MS);
  const [screen, setScreen] = useState<Screen>();
  const [drawn, setDrawn] = useState<TerminalId>();
  const [standIn] = useState(() => standInFor(id, replaced));
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState<{ readonly attempt: number; readonly words: string }>();
  const look = usePreferences();
  const latest = useRef({ handlers, look, locked });
  useEffect(() => { latest.current = { handlers, look, locked }; });

  useEffect(() => {
    const target = element.current;
    if (!live || target === null) return;
    let gone = false;
    let close = (): void => { gone = true; };
    /** xterm is loaded when the first terminal is looked at, not with the page. */
    import('./screen.ts').then(({ Screen }) => {
      if (gone) return;
      const now = () => latest.current.handlers;
      const made = new Screen({
        element: target, ...latest.current.look, interactive: now().interactive, label: now().label,
        onData: (data) => { now().onData(data); }, onLockedKey: () => { now().onLockedKey(); }, onSize: (size) => { now().onSize(size); },
        onFollow: (link) => { now().onFollow(link); }, onPaste: (text) => { now().onPaste(text); }, onClipboardAttempt: () => { now().onClipboardAttempt(); },
        onSelection: (some) => { now().onSelection(some); }, onSearch: (results) => { now().onSearch(results); }, onFind: () => { now().onFind(); }, onDrawn: () => { setDrawn(id); }, onLeave: () => { now().onLeave(); },
      });
      made.lock(latest.current.locked);
      if (now().interactive) inSight.set(id, made);
      const attachment = new Attachment(bridge, id, made, (error) => { setFailed({ attempt, words: failureWords(error) }); });
      close = () => {
        attachment.close();
        if (inSight.get(id) === made) {
          inSight.delete(id);
          remember(id, made.lines());
        }
        made.dispose();
        setDrawn(undefined);
        setScreen(undefined);
      };
      setFailed(undefined);
      setScreen(made);
    }, (error: unknown) => { if (!gone) setFailed({ attempt, words: failureWords(error) }); });
    return () => { close(); };
  }, [live, id, element, attempt]);

  useEffect(() => { screen?.lock(locked); }, [screen, locked]);
  useEffect(() => { screen?.setLook(look); }, [screen, look]);
  const retry = useCallback(() => { setAttempt((count) => count + 1); }, []);
  return { screen, before: drawn === id ? undefined : lastSeen.get(id) ?? standIn, failure: failed?.attempt === attempt ? failed.words : undefined, retry };
}
