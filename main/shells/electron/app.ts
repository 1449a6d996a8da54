/** The desktop app: one instance, one host, its windows. */
import { join } from 'node:path';
import { app, dialog, type BrowserWindow } from 'electron';
import { Bundle } from '../../bridge/bundle.ts';
import type { BridgeHost } from '../../bridge/host.ts';
import type { Approvals, Clock, Shell } from '../../ports.ts';
import { registerScheme, serveBundle } from './bundle-protocol.ts';
import { makeTray, notifier, setMenu } from './desktop.ts';
import { serveIpc } from './ipc.ts';
import { lockDown, openFolder, openOutside } from './lockdown.ts';
import { askBeforeQuit } from './quit.ts';
import { createWindow } from './window.ts';

export interface DesktopHost extends BridgeHost {
  readonly approvals: Pick<Approvals, 'addSurface'>;
  close(): Promise<void>;
}

export interface DesktopOptions {
  /** Folder that holds `renderer/` and `preload/`. */
  readonly builtFolder: string;
  readonly iconFile: string;
  readonly clock: Clock;
  /** Called once Electron is ready: before that there is no keychain. */
  createHost(shell: Pick<Shell, 'name' | 'openExternal' | 'openFolder' | 'notify'>): Promise<DesktopHost>;
}

/** Call before the app is ready. Resolves when the first window is made, or at once with undefined in a second instance. */
export async function startDesktop(options: DesktopOptions): Promise<{ windows(): number } | undefined> {
  app.enableSandbox();
  registerScheme();
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return undefined;
  }
  await app.whenReady();

  let window: BrowserWindow | undefined;
  const show = (): void => {
    window ??= open();
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };
  const host = await options.createHost({
    name: 'electron', notify: notifier(show), openFolder,
    openExternal: async (url) => { if (!await openOutside(url)) host.log.warn('a link was not opened: only http, https and mailto leave the app', { url }); },
  });
  lockDown(host.log);
  setMenu();
  serveBundle(await Bundle.open(join(options.builtFolder, 'renderer')), host.log);
  const ipc = serveIpc(host);
  /** A person can be called to the window at any time, also while none is open. */
  host.approvals.addSurface('desktop');

  function open(): BrowserWindow {
    const opened = createWindow({
      ipc, preloadFile: join(options.builtFolder, 'preload', 'electron.cjs'), iconFile: options.iconFile, clock: options.clock, log: host.log,
      onGiveUp: () => {
        dialog.showErrorBox('Talaria', 'The window crashed several times in a row and is closed. Your chats are kept. The log under desktop/logs in the home folder says more.');
        opened.destroy();
      },
    });
    opened.on('closed', () => { window = undefined; });
    return opened;
  }

  app.on('second-instance', show);
  app.on('activate', show);
  app.on('window-all-closed', () => { if (process.platform !== 'darwin') app.quit(); });
  window = open();
  askBeforeQuit(host, show);
  const tray = makeTray(options.iconFile, show);
  quitAfter(async () => {
    tray.destroy();
    ipc.close();
    await host.close();
  }, (error) => { host.log.error('the host did not close properly', { error }); });
  return { windows: () => (window === undefined ? 0 : 1) };
}

/** Holds the end of the app back until `close` is done, once. */
function quitAfter(close: () => Promise<void>, onFailure: (error: unknown) => void): void {
  let state: 'open' | 'closing' | 'closed' = 'open';
  app.on('will-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state === 'closing') return;
    state = 'closing';
    close().catch(onFailure).finally(() => {
      state = 'closed';
      app.quit();
    });
  });
}
