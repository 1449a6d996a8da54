/** Puts `window.talaria` on the page in Electron: the only four functions that reach over the context bridge. */
import { contextBridge, ipcRenderer } from 'electron';
import { createClient, RequestError } from './client.ts';
import type { Channel, ErrorShape, Frame } from './contract/index.ts';

/** The names that cross between this file and `main/shells/electron/ipc.ts`. */
const HELLO = 'talaria:hello';
const FRAME = 'talaria:frame';
const OUTPUT_PORT = 'talaria:output-port';

/** Requests and events as text over IPC, terminal bytes over a port of their own so that they never queue in front of an answer. */
function openIpc(): Promise<Channel> {
  const frameListeners = new Set<(frame: Frame) => void>();
  const receive = (frame: Frame): void => { for (const listener of [...frameListeners]) listener(frame); };
  ipcRenderer.on(FRAME, (_event, text: string) => { receive(text); });
  return new Promise((resolve) => {
    ipcRenderer.once(OUTPUT_PORT, (event) => {
      const [port] = event.ports;
      if (port) port.onmessage = ({ data }: MessageEvent<Uint8Array>) => { receive(data); };
      resolve({
        send(frame) { ipcRenderer.send(FRAME, frame); },
        onFrame(listener) {
          frameListeners.add(listener);
          return () => { frameListeners.delete(listener); };
        },
        /** The window and the host end together. */
        onClose: () => () => undefined,
        close: () => undefined,
      });
    });
    ipcRenderer.send(HELLO);
  });
}

const client = createClient({ connect: openIpc, reconnect: false });

/** A class instance would arrive as a bare message: what crosses is a plain object. */
function plainError(error: unknown): ErrorShape {
  if (!(error instanceof RequestError)) return { code: 'host/internal', message: String(error) };
  return error.hint === undefined ? { code: error.code, message: error.message } : { code: error.code, message: error.message, hint: error.hint };
}

contextBridge.exposeInMainWorld('talaria', {
  request: (name: never, input: never) => client.request(name, input).catch((error: unknown) => Promise.reject(plainError(error))), // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors -- see plainError
  subscribe: (topic: never, listener: never) => client.subscribe(topic, listener),
  onOutput: (attachment: number, listener: (bytes: Uint8Array) => void) => client.onOutput(attachment, listener),
  onStatus: (listener: (status: 'connecting' | 'open' | 'closed') => void) => client.onStatus(listener),
});
