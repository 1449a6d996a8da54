/** The contract over Electron's IPC: only the main frame of a window that we made, on our own pages, is heard. */
import { ipcMain, MessageChannelMain, type IpcMainEvent, type MessagePortMain, type WebContents } from 'electron';
import type { Frame, HostFrame } from '../../../preload/contract/index.ts';
import { idAtStart } from '../../bridge/frames.ts';
import type { BridgeHost } from '../../bridge/host.ts';
import { serveContract, type ServedChannel } from '../../bridge/serve.ts';
import { isOwnPage } from './origin.ts';

/** The names that cross between this file and `preload/electron.ts`. */
export const HELLO = 'talaria:hello';
export const FRAME = 'talaria:frame';
export const OUTPUT_PORT = 'talaria:output-port';

export interface IpcServer {
  /** Lets a window of ours speak. */
  admit(contents: WebContents): void;
  close(): void;
}

export function serveIpc(host: BridgeHost): IpcServer {
  const admitted = new Set<WebContents>();
  const connections = new Map<WebContents, IpcConnection>();

  const isTrusted = ({ sender, senderFrame }: IpcMainEvent): boolean =>
    admitted.has(sender) && senderFrame !== null && senderFrame === sender.mainFrame && isOwnPage(senderFrame.url);

  const refuse = (event: IpcMainEvent, id: number): void => {
    host.log.warn('a message from a foreign sender was refused', { url: event.senderFrame?.url ?? 'unknown' });
    const frame: HostFrame = { kind: 'error', id, error: { code: 'request/foreign-sender', message: 'this page may not talk to the host' } };
    event.reply(FRAME, JSON.stringify(frame));
  };

  /** A page says hello each time it loads; what the page before it had is given back. */
  const onHello = (event: IpcMainEvent): void => {
    if (!isTrusted(event)) return refuse(event, -1);
    const { sender } = event;
    connections.get(sender)?.close('the page was loaded again');
    const connection = new IpcConnection(sender);
    connections.set(sender, connection);
    connection.onClose(() => { if (connections.get(sender) === connection) connections.delete(sender); });
    serveContract(host, connection, { via: 'desktop', client: `window-${sender.id}` });
    connection.start();
  };

  const onFrame = (event: IpcMainEvent, frame: unknown): void => {
    if (!isTrusted(event)) return refuse(event, typeof frame === 'string' ? idAtStart(frame) : -1);
    /** What is no text is refused by the bridge like any other bad frame. */
    connections.get(event.sender)?.receive(typeof frame === 'string' ? frame : new Uint8Array());
  };

  ipcMain.on(HELLO, onHello);
  ipcMain.on(FRAME, onFrame);
  return {
    admit(contents) {
      admitted.add(contents);
      const gone = (): void => { connections.get(contents)?.close('the window is gone'); };
      contents.on('render-process-gone', gone);
      contents.on('destroyed', () => {
        gone();
        admitted.delete(contents);
      });
    },
    close() {
      ipcMain.off(HELLO, onHello);
      ipcMain.off(FRAME, onFrame);
      for (const connection of [...connections.values()]) connection.close('the app ends');
    },
  };
}

/** One loaded page. Text goes over IPC, terminal bytes over a port of their own so that they never queue in front of an answer. */
class IpcConnection implements ServedChannel {
  readonly #contents: WebContents;
  readonly #output: MessagePortMain;
  readonly #pagePort: MessagePortMain;
  readonly #frameListeners = new Set<(frame: Frame) => void>();
  readonly #closeListeners = new Set<(why: string) => void>();
  #closed: string | undefined;

  constructor(contents: WebContents) {
    this.#contents = contents;
    const { port1, port2 } = new MessageChannelMain();
    this.#output = port1;
    this.#pagePort = port2;
  }

  /** Gives the page its port: it begins to speak when it has it. */
  start(): void {
    this.#contents.postMessage(OUTPUT_PORT, null, [this.#pagePort]);
  }

  receive(frame: Frame): void {
    for (const listener of [...this.#frameListeners]) listener(frame);
  }

  send(frame: Frame): void {
    if (this.#closed !== undefined || this.#contents.isDestroyed()) return;
    if (typeof frame === 'string') this.#contents.send(FRAME, frame);
    else this.#output.postMessage(frame);
  }

  onFrame(listener: (frame: Frame) => void): () => void {
    this.#frameListeners.add(listener);
    return () => { this.#frameListeners.delete(listener); };
  }

  onClose(listener: (why: string) => void): () => void {
    if (this.#closed !== undefined) {
      listener(this.#closed);
      return () => undefined;
    }
    this.#closeListeners.add(listener);
    return () => { this.#closeListeners.delete(listener); };
  }

  close(why = 'closed'): void {
    if (this.#closed !== undefined) return;
    this.#closed = why;
    this.#output.close();
    for (const listener of [...this.#closeListeners]) listener(why);
  }
}
