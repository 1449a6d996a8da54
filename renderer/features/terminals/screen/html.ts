/** A drawn screen as HTML, by an xterm that nobody sees. */
import { SerializeAddon } from '@xterm/addon-serialize';
import { Terminal as Xterm } from '@xterm/xterm';
import { disarm } from './hostile.ts';
import { terminalTheme } from './theme.ts';

/** One element with the colours of the theme around `near`. `drawn` is what a host gives as a screen. */
export async function htmlOf(drawn: string, size: { readonly cols: number; readonly rows: number }, near: HTMLElement): Promise<string> {
  /** xterm takes its colours only once it is open. */
  const place = document.createElement('div');
  place.style.cssText = 'position: absolute; visibility: hidden; width: 0; height: 0; overflow: hidden;';
  place.ariaHidden = 'true';
  near.append(place);
  const xterm = new Xterm({ allowProposedApi: true, ...size, scrollback: 100_000, theme: terminalTheme(near, true), disableStdin: true });
  try {
    disarm(xterm, { onClipboard: () => undefined });
    const addon = new SerializeAddon();
    xterm.loadAddon(addon);
    xterm.open(place);
    await new Promise<void>((resolve) => { xterm.write(drawn, resolve); });
    const page = addon.serializeAsHTML({ includeGlobalBackground: true });
    return /<body>([\s\S]*)<\/body>/.exec(page)?.[1] ?? page;
  } finally {
    xterm.dispose();
    place.remove();
  }
}
