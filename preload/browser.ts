/** Puts `window.talaria` on the page of the browser shell: the contract over one WebSocket to the server the page came from. */
import type { Channel, Frame, Talaria } from './contract/index.ts';
import { createClient } from './client.ts';

/** A connection that is not open after this long is given up, in ms. */
const CONNECT_MS = 10_000;

function openSocket(): Promise<Channel> {
  const address = new URL('./channel', document.baseURI);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address);
    socket.binaryType = 'arraybuffer';
    const deadline = setTimeout(() => { socket.close(); }, CONNECT_MS);
    socket.addEventListener('open', () => { clearTimeout(deadline); resolve(channelOf(socket)); });
    socket.addEventListener('close', () => { clearTimeout(deadline); reject(new Error(`no connection to ${address.host}`)); });
  });
}

function channelOf(socket: WebSocket): Channel {
  return {
    send(frame: Frame) { if (socket.readyState === WebSocket.OPEN) socket.send(frame as string | Uint8Array<ArrayBuffer>); }, // our bytes are never shared memory
    onFrame(listener) {
      const own = (event: MessageEvent<string | ArrayBuffer>): void => listener(typeof event.data === 'string' ? event.data : new Uint8Array(event.data));
      socket.addEventListener('message', own);
      return () => { socket.removeEventListener('message', own); };
    },
    onClose(listener) {
      if (socket.readyState >= WebSocket.CLOSING) {
        listener('closed');
        return () => undefined;
      }
      const own = (event: CloseEvent): void => listener(event.reason === '' ? `closed (${event.code})` : event.reason);
      socket.addEventListener('close', own);
      return () => { socket.removeEventListener('close', own); };
    },
    close(why) { socket.close(1000, why?.slice(0, 100)); },
  };
}

/** Connects to the server this page came from and comes back by itself when the connection is lost. */
export function connect(): Talaria {
  const { request, subscribe, onOutput, onStatus } = createClient({ connect: openSocket, reconnect: true });
  return Object.freeze({ request, subscribe, onOutput, onStatus });
}

Object.defineProperty(window, 'talaria', { value: connect(), writable: false, configurable: false });
