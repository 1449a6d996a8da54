/** The app's window: no Node in it, a sandbox around it, and no endless crash loop. */
import { app, BrowserWindow, type BrowserWindowConstructorOptions } from 'electron';
import type { Clock, Log } from '../../ports.ts';
import type { IpcServer } from './ipc.ts';
import { START_PAGE } from './origin.ts';

/** More crashes than this within the span end in a message instead of another reload (anchors D1). */
const MAX_RELOADS = 3;
const RELOAD_SPAN_MS = 60_000;

export interface WindowOptions {
  readonly preloadFile: string;
  readonly iconFile: string;
  readonly ipc: IpcServer;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when the page crashed too often to be loaded again. */
  readonly onGiveUp: () => void;
}

export function createWindow(options: WindowOptions): BrowserWindow {
  const settings: BrowserWindowConstructorOptions = {
    width: 1280, height: 800, minWidth: 480, minHeight: 400, show: false, title: 'Talaria', icon: options.iconFile, autoHideMenuBar: true,
    webPreferences: {
      preload: options.preloadFile,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      experimentalFeatures: false,
      devTools: !app.isPackaged,
    },
  };
  const window = new BrowserWindow(settings);
  options.ipc.admit(window.webContents);
  window.once('ready-to-show', () => { window.show(); });
  reloadAfterCrash(window, options);
  window.loadURL(START_PAGE).catch((error: unknown) => { options.log.error('the window could not be loaded', { error }); });
  return window;
}

function reloadAfterCrash(window: BrowserWindow, { clock, log, onGiveUp }: WindowOptions): void {
  let crashes: number[] = [];
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    log.error('the page crashed', { reason, exitCode });
    const now = clock.now();
    crashes = [...crashes.filter((at) => now - at < RELOAD_SPAN_MS), now];
    if (crashes.length > MAX_RELOADS) onGiveUp();
    else window.webContents.reload();
  });
}
