import { useId } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { Input } from '../../ui/input.tsx';
import { Switch } from '../../ui/switch.tsx';

/** How terminals are drawn on this screen; kept in the page, not in config.yaml, because another screen may need other values. */
export interface Preferences {
  /** Lines are also put into the page as text, for screen readers; slower. */
  readonly screenReader: boolean;
  /** CSS pixels. */
  readonly fontSize: number;
}

export const SMALLEST_FONT = 9;
export const LARGEST_FONT = 28;
const KEY = 'talaria.terminals';
const DEFAULTS: Preferences = { screenReader: false, fontSize: 13 };

function load(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return DEFAULTS;
    const screenReader = 'screenReader' in stored && stored.screenReader === true;
    const fontSize = 'fontSize' in stored && typeof stored.fontSize === 'number' ? clampFont(stored.fontSize) : DEFAULTS.fontSize;
    return { screenReader, fontSize };
  } catch (error) {
    console.warn('the stored look of terminals could not be read; the defaults are used', error);
    return DEFAULTS;
  }
}

export function clampFont(size: number): number {
  return Number.isFinite(size) ? Math.min(LARGEST_FONT, Math.max(SMALLEST_FONT, Math.round(size))) : DEFAULTS.fontSize;
}

const store = createStore<Preferences>()(load);
store.subscribe((preferences) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch (error) {
    console.warn('the look of terminals could not be stored; it holds until the page is closed', error);
  }
});

export function usePreferences(): Preferences {
  return useStore(store);
}

export function setPreferences(change: Partial<Preferences>): void {
  store.setState(change);
}

/** The part of the settings that is about how terminals look here. */
export function TerminalPreferences() {
  const { screenReader, fontSize } = usePreferences();
  const id = useId();
  return (
    <div className="rounded-lg border border-line px-3">
      <div className="flex items-center justify-between gap-4 border-b border-line py-2.5">
        <div>
          <label htmlFor={`${id}-reader`} className="font-medium">Screen reader mode</label>
          <p id={`${id}-reader-hint`} className="text-xs text-muted">Puts what a terminal shows into the page as text, line by line, and reads new output aloud. Slower.</p>
        </div>
        <Switch id={`${id}-reader`} checked={screenReader} describedBy={`${id}-reader-hint`} onChange={(checked) => { setPreferences({ screenReader: checked }); }} />
      </div>
      <div className="flex items-center justify-between gap-4 py-2.5">
        <label htmlFor={`${id}-font`} className="font-medium">Text size</label>
        <span className="flex items-center gap-1.5">
          <Input id={`${id}-font`} type="number" min={SMALLEST_FONT} max={LARGEST_FONT} value={fontSize} className="w-16 text-right" onChange={(event) => { setPreferences({ fontSize: clampFont(event.target.valueAsNumber) }); }} />
          <span className="text-xs text-muted">px</span>
        </span>
      </div>
    </div>
  );
}
