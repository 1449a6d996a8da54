import { useEffect, useId } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { RequestInput, Settings } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { Input } from '../../ui/input.tsx';
import { Switch } from '../../ui/switch.tsx';
import { told } from './told.ts';

/** How terminals are drawn. Kept in config.yaml (`desktop.terminal`), so that it is the same in each window and after a restart. */
export type Preferences = Settings['terminalView'];

const SMALLEST_FONT = 9;
const LARGEST_FONT = 28;
const DEFAULTS: Preferences = { screenReader: false, fontSize: 13, followNewest: true };

export function clampFont(size: number): number {
  return Number.isFinite(size) ? Math.min(LARGEST_FONT, Math.max(SMALLEST_FONT, Math.round(size))) : DEFAULTS.fontSize;
}

const store = createStore<Preferences>()(() => DEFAULTS);

let following = false;

/** Keeps the preferences as config.yaml has them, from the first one who asks on. */
export function followPreferences(): void {
  if (following) return;
  following = true;
  const take = (settings: Settings): void => { store.setState(settings.terminalView, true); };
  bridge.subscribe('settings', (event) => { take(event.settings); });
  bridge.onStatus((status) => {
    if (status === 'open') bridge.request('settings.get', {}).then(take, (error: unknown) => { console.warn('the look of terminals could not be read; the last one stays', error); });
  });
}

export function usePreferences(): Preferences {
  useEffect(followPreferences, []);
  return useStore(store);
}

export function preferences(): Preferences {
  return store.getState();
}

/** Drawn at once; taken back, with words, when the host refuses. */
function change(wanted: Preferences, input: RequestInput<'settings.set'>): void {
  const before = store.getState();
  store.setState(wanted, true);
  told(bridge.request('settings.set', input).catch((error: unknown) => {
    store.setState(before, true);
    throw error;
  }), 'Not saved');
}

/** The part of the settings that is about how terminals look and behave here. */
export function TerminalPreferences() {
  const now = usePreferences();
  const id = useId();
  return (
    <div className="rounded-lg border border-line px-3">
      <Choice
        id={`${id}-follow`} label="Show each new command" hint="The Terminals panel goes to a command when it starts, unless you are typing in a terminal. The keyboard stays where it is."
        checked={now.followNewest} onChange={(followNewest) => { change({ ...now, followNewest }, { terminalFollowNewest: followNewest }); }}
      />
      <Choice
        id={`${id}-reader`} label="Screen reader mode" hint="Puts what a terminal shows into the page as text, line by line, and reads new output aloud. Slower."
        checked={now.screenReader} onChange={(screenReader) => { change({ ...now, screenReader }, { terminalScreenReader: screenReader }); }}
      />
      <div className="flex items-center justify-between gap-4 py-2.5">
        <label htmlFor={`${id}-font`} className="font-medium">Text size</label>
        <span className="flex items-center gap-1.5">
          <Input
            id={`${id}-font`} type="number" min={SMALLEST_FONT} max={LARGEST_FONT} value={now.fontSize} className="w-16 text-right"
            onChange={(event) => { const fontSize = clampFont(event.target.valueAsNumber); change({ ...now, fontSize }, { terminalFontSize: fontSize }); }}
          />
          <span className="text-xs text-muted">px</span>
        </span>
      </div>
    </div>
  );
}

function Choice({ id, label, hint, checked, onChange }: { readonly id: string; readonly label: string; readonly hint: string; readonly checked: boolean; readonly onChange: (checked: boolean) => void }) {
  return (
    <div className="flex items-center justify-between gap-4 border-b border-line py-2.5">
      <div>
        <label htmlFor={id} className="font-medium">{label}</label>
        <p id={`${id}-hint`} className="text-xs text-muted">{hint}</p>
      </div>
      <Switch id={id} checked={checked} describedBy={`${id}-hint`} onChange={onChange} />
    </div>
  );
}
