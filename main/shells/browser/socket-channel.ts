/** A WebSocket as a channel of the contract. */
import type { WebSocket } from 'ws';
import type { ServedChannel } from '../../bridge/serve.ts';

/** A peer that answers no ping for this long is gone (a laptop that sleeps, a tunnel that broke), in ms. */
const PING_EVERY_MS = 30_000;

export function socketChannel(socket: WebSocket): ServedChannel {
  let alive = true;
  socket.on('pong', () => { alive = true; });
  const pings = setInterval(() => {
    if (alive) socket.ping();
    else socket.terminate();
    alive = false;
  }, PING_EVERY_MS);
  pings.unref();
  socket.on('close', () => { clearInterval(pings); });
  /** `ws` reports a broken frame or a reset here and closes the socket right after, which is what we act on. */
  socket.on('error', () => { socket.terminate(); });

  return {
    send(frame) { if (socket.readyState === socket.OPEN) socket.send(frame); },
    onFrame(listener) {
      const own = (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean): void => {
        const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer); // `ws` hands out Buffers unless told otherwise
        listener(isBinary ? bytes : bytes.toString('utf8'));
      };
      socket.on('message', own);
      return () => { socket.off('message', own); };
    },
    onClose(listener) {
      if (socket.readyState === socket.CLOSED) {
        listener('closed');
        return () => undefined;
      }
      const own = (code: number, reason: Buffer): void => listener(reason.length > 0 ? reason.toString('utf8') : `closed (${code})`);
      socket.on('close', own);
      return () => { socket.off('close', own); };
    },
    close(why) { socket.close(1000, why?.slice(0, 100)); },
    backlogBytes: () => socket.bufferedAmount,
  };
}
