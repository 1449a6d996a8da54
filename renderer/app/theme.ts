/** Light, dark, or as the desktop is: an attribute on <html> that `theme.css` reads. */
import type { Settings, Talaria } from '../../preload/contract/index.ts';

/** The last choice, so that a dark window does not start with a white flash. */
const KEY = 'talaria.theme';

export function followTheme(bridge: Talaria): void {
  apply(localStorage.getItem(KEY));
  const follow = (settings: Settings): void => {
    localStorage.setItem(KEY, settings.theme);
    apply(settings.theme);
  };
  bridge.subscribe('settings', (event) => { follow(event.settings); });
  bridge.onStatus((status) => {
    if (status === 'open') bridge.request('settings.get', {}).then(follow, (error: unknown) => { console.warn('the theme could not be read; the last one stays', error); });
  });
}

function apply(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  else delete document.documentElement.dataset['theme'];
}
