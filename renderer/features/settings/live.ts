import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { RequestInput } from '../../../preload/contract/index.ts';
import type { HostInfo, Settings } from '../../../preload/contract/settings.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { withChange } from './model.ts';

interface SettingsModel {
  readonly settings: Settings | undefined;
  readonly host: HostInfo | undefined;
  readonly failure: string | undefined;
}

const store = createStore<SettingsModel>()(() => ({ settings: undefined, host: undefined, failure: undefined }));

export async function reloadSettings(): Promise<void> {
  try {
    const [settings, host] = await Promise.all([bridge.request('settings.get', {}), bridge.request('host.info', {})]);
    store.setState({ settings, host, failure: undefined });
  } catch (error) {
    store.setState({ failure: failureWords(error) });
  }
}

/** Drawn as changed at once; goes back, with words, when the host refuses. Resolves to whether it was saved. */
export async function changeSettings(change: RequestInput<'settings.set'>): Promise<boolean> {
  store.setState((model) => (model.settings === undefined ? model : { settings: withChange(model.settings, change) }));
  try {
    store.setState({ settings: await bridge.request('settings.set', change) });
    return true;
  } catch (error) {
    toasts.getState().show({ text: `Not saved: ${failureWords(error)}`, tone: 'danger' });
    await reloadSettings();
    return false;
  }
}

/** Settings and host facts, kept in step with config.yaml while they are looked at. */
export function useSettings(): SettingsModel {
  useEffect(() => {
    void reloadSettings();
    const off = [
      bridge.subscribe('settings', (event) => { store.setState({ settings: event.settings }); }),
      bridge.onStatus((status) => { if (status === 'open') void reloadSettings(); }),
    ];
    return () => { for (const end of off) end(); };
  }, []);
  return useStore(store);
}
