/**
 * Stand-in for the `electron` module in tests without its binary: records what the shell asks of Electron and lets a test play the
 * browser's part. Only what `main/shells/electron` uses is there; a name that is missing fails the import.
 */
import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';

type Handler = (...args: never[]) => unknown;

export interface Recorded {
  readonly windows: BrowserWindow[];
  readonly schemes: { scheme: string; privileges: Record<string, boolean> }[];
  readonly protocols: Map<string, (request: Request) => Promise<Response>>;
  readonly opened: string[];
  /** Names of the utility processes that were started. */
  readonly utilities: string[];
  readonly notifications: { title: string; body: string }[];
  readonly session: { request?: Handler; check?: Handler; device?: Handler; media?: unknown };
  sandboxed: boolean;
  menus: number;
  quits: number;
  secondInstance: boolean;
  keychain: { available: boolean; backend: string };
}

const fresh = (): Recorded => ({
  windows: [], schemes: [], protocols: new Map(), opened: [], utilities: [], notifications: [], session: {}, sandboxed: false, menus: 0, quits: 0, secondInstance: false,
  keychain: { available: true, backend: 'gnome_libsecret' },
});

/** What was asked since the last `reset`. */
export const recorded: Recorded = fresh();

export function reset(): void {
  Object.assign(recorded, fresh());
  app.removeAllListeners();
  ipcMain.removeAllListeners();
}

class App extends EventEmitter {
  isPackaged = false;
  enableSandbox(): void { recorded.sandboxed = true; }
  requestSingleInstanceLock(): boolean { return !recorded.secondInstance; }
  whenReady(): Promise<void> { return Promise.resolve(); }
  quit(): void {
    recorded.quits += 1;
    this.emit('will-quit', { preventDefault: () => undefined });
  }
}
export const app = new App();
export const ipcMain = new EventEmitter();

export const protocol = {
  registerSchemesAsPrivileged: (schemes: Recorded['schemes']) => { recorded.schemes.push(...schemes); },
  handle: (scheme: string, handler: (request: Request) => Promise<Response>) => { recorded.protocols.set(scheme, handler); },
};

export const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler: Handler) => { recorded.session.request = handler; },
    setPermissionCheckHandler: (handler: Handler) => { recorded.session.check = handler; },
    setDevicePermissionHandler: (handler: Handler) => { recorded.session.device = handler; },
    setDisplayMediaRequestHandler: (handler: unknown) => { recorded.session.media = handler; },
  },
};

export const shell = { openExternal: async (url: string) => { recorded.opened.push(url); }, openPath: async (path: string) => { recorded.opened.push(path); return ''; } };

/** Reversible and visibly not the plain text; `old:` values are of a key that the system has replaced. */
export const safeStorage = {
  isAsyncEncryptionAvailable: async () => recorded.keychain.available,
  getSelectedStorageBackend: () => recorded.keychain.backend,
  encryptStringAsync: async (text: string) => Buffer.from(`enc:${Buffer.from(text).toString('base64')}`),
  decryptStringAsync: async (bytes: Buffer) => {
    const match = /^(enc|old):(.*)$/s.exec(bytes.toString('utf8'));
    if (!match) throw new Error('not encrypted by this keychain');
    return { result: Buffer.from(match[2] ?? '', 'base64').toString('utf8'), shouldReEncrypt: match[1] === 'old' };
  },
};

export class MessagePort extends EventEmitter {
  readonly posted: unknown[] = [];
  closed = false;
  postMessage(message: unknown): void { this.posted.push(message); }
  close(): void { this.closed = true; }
}
export class MessageChannelMain { readonly port1 = new MessagePort(); readonly port2 = new MessagePort(); }

export interface Frame { url: string }

export class WebContents extends EventEmitter {
  readonly id: number;
  mainFrame: Frame = { url: 'about:blank' };
  readonly sent: { channel: string; data: unknown }[] = [];
  readonly ports: MessagePort[] = [];
  openHandler: ((details: { url: string }) => { action: string }) | undefined;
  reloads = 0;
  destroyed = false;

  constructor(id: number) {
    super();
    this.id = id;
  }

  send(channel: string, data: unknown): void { this.sent.push({ channel, data }); }
  postMessage(channel: string, data: unknown, ports: MessagePort[]): void {
    this.sent.push({ channel, data });
    this.ports.push(...ports);
  }
  isDestroyed(): boolean { return this.destroyed; }
  reload(): void { this.reloads += 1; }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void { this.openHandler = handler; }
}

export class BrowserWindow extends EventEmitter {
  readonly settings: { webPreferences: Record<string, unknown> };
  readonly webContents: WebContents;
  visible = false;
  destroyed = false;

  constructor(settings: { webPreferences: Record<string, unknown> }) {
    super();
    this.settings = settings;
    this.webContents = new WebContents(recorded.windows.length + 1);
    recorded.windows.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }

  async loadURL(url: string): Promise<void> { this.webContents.mainFrame = { url }; }
  show(): void { this.visible = true; }
  focus(): void { this.visible = true; }
  isMinimized(): boolean { return false; }
  restore(): void { this.visible = true; }
  destroy(): void {
    this.destroyed = true;
    this.webContents.destroyed = true;
    this.webContents.emit('destroyed');
    this.emit('closed');
  }
}

export const Menu = {
  setApplicationMenu: () => { recorded.menus += 1; },
  buildFromTemplate: (template: unknown) => template,
};
export class Tray extends EventEmitter {
  setToolTip(): void { /* a tray of a test shows nothing */ }
  setContextMenu(): void { /* a tray of a test shows nothing */ }
  destroy(): void { this.removeAllListeners(); }
}
export const nativeImage = { createFromPath: (path: string) => ({ resize: () => path }) };
export const dialog = {
  asked: [] as string[], answer: 1,
  showMessageBox({ detail }: { readonly detail: string }): Promise<{ readonly response: number }> { this.asked.push(detail); return Promise.resolve({ response: this.answer }); },
  shown: [] as string[], showErrorBox(_title: string, text: string): void { this.shown.push(text); } };
export class Notification extends EventEmitter {
  readonly #note: { title: string; body: string };
  static isSupported(): boolean { return true; }
  constructor(note: { title: string; body: string }) {
    super();
    this.#note = note;
  }
  show(): void { recorded.notifications.push(this.#note); }
}

/** The renderer's side: what the preload puts on the page, and a wire that a test plugs into `ipcMain`. */
export const exposed = new Map<string, Record<string, unknown>>();
export const contextBridge = { exposeInMainWorld: (name: string, api: Record<string, unknown>) => { exposed.set(name, api); } };
class IpcRenderer extends EventEmitter {
  readonly sent: { channel: string; data: unknown }[] = [];
  send(channel: string, data?: unknown): void { this.sent.push({ channel, data }); }
}
export const ipcRenderer = new IpcRenderer();

/** A child of Node in place of a utility process: what is sent arrives, what it prints can be read, and it has a pid. */
export const utilityProcess = {
  fork(module: string, _args: readonly string[], options: { readonly serviceName: string }) {
    recorded.utilities.push(options.serviceName);
    const child = fork(module, { execArgv: [], serialization: 'advanced', stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    return Object.assign(child, { postMessage: (message: object) => { child.send(message); } });
  },
};
