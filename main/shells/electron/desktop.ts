/** What the desktop offers besides windows: menu, tray and notifications, each at its least. */
import { app, Menu, nativeImage, Notification, Tray, type MenuItemConstructorOptions } from 'electron';
import type { Shell } from '../../ports.ts';

export function setMenu(): void {
  const view: MenuItemConstructorOptions[] = [{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }, { type: 'separator' }, { role: 'togglefullscreen' }];
  if (!app.isPackaged) view.push({ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' });
  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' } as const] : [{ label: 'File', submenu: [{ role: 'quit' }] } satisfies MenuItemConstructorOptions]),
    { role: 'editMenu' }, { label: 'View', submenu: view }, { role: 'windowMenu' },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

/** Keep the result: a tray that is collected disappears. */
export function makeTray(iconFile: string, show: () => void): Tray {
  const tray = new Tray(nativeImage.createFromPath(iconFile).resize({ width: 16, height: 16 }));
  tray.setToolTip('Talaria');
  tray.setContextMenu(Menu.buildFromTemplate([{ label: 'Show Talaria', click: show }, { type: 'separator' }, { role: 'quit' }]));
  tray.on('click', show);
  return tray;
}

/** A click brings the window to the front. Text only: what stands in it comes from a model or a command. */
export function notifier(show: () => void): Shell['notify'] {
  return ({ title, body }) => {
    if (!Notification.isSupported()) return;
    const notification = new Notification({ title, body });
    notification.on('click', show);
    notification.show();
  };
}
