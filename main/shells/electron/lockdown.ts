/** What no page may do, whoever wrote it: leave our address, open windows, embed pages, get a permission or a device. */
import { app, session, shell, type WebContents } from 'electron';
import type { Log } from '../../ports.ts';
import { isOwnPage } from './origin.ts';

/** Addresses that may be handed to the person's own programs. */
const OUTSIDE = /^(?:https?|mailto):$/;

/** Opens a link outside of the app. Anything but http, https and mailto is refused: other schemes start programs. */
export async function openOutside(url: string): Promise<boolean> {
  if (!URL.canParse(url) || !OUTSIDE.test(new URL(url).protocol)) return false;
  await shell.openExternal(url);
  return true;
}

/** Shows a folder in the file manager; false when that fails. The path is the host's own, never a page's. */
export async function openFolder(path: string): Promise<boolean> {
  return await shell.openPath(path) === '';
}

/** Applies to every page that will ever be made. Call once, when the app is ready and before the first window. */
export function lockDown(log: Log): void {
  app.on('web-contents-created', (_event, contents) => { lockPage(contents, log); });
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, permission, answer, details) => {
    /** Copying out of our own page needs this one; it cannot read anything. */
    answer(permission === 'clipboard-sanitized-write' && isOwnPage(details.requestingUrl));
  });
  defaultSession.setPermissionCheckHandler((_contents, permission, origin) => permission === 'clipboard-sanitized-write' && isOwnPage(origin));
  defaultSession.setDevicePermissionHandler(() => false);
  defaultSession.setDisplayMediaRequestHandler(null);
}

function lockPage(contents: WebContents, log: Log): void {
  const deny = (event: { preventDefault(): void }, url: string): void => {
    if (isOwnPage(url)) return;
    event.preventDefault();
    log.warn('a page tried to leave the app', { url });
  };
  contents.on('will-navigate', (event) => { deny(event, event.url); });
  contents.on('will-frame-navigate', (event) => { deny(event, event.url); });
  contents.on('will-redirect', (event) => { deny(event, event.url); });
  contents.on('will-attach-webview', (event) => { event.preventDefault(); });
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url).catch((error: unknown) => { log.warn('a link could not be opened', { url, error }); });
    return { action: 'deny' };
  });
}
