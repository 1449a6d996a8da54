/** A TCP proxy that a test cuts: at once (reset), or half-open (nothing arrives any more, and nothing says so). */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CutProxy {
  readonly port: number;
  /** `cut`: connections are reset and refused. `silent`: they stay, and carry nothing. */
  fail(how: 'cut' | 'silent'): void;
  /** As before; connections that went silent are reset. */
  heal(): void;
  close(): Promise<void>;
}

/** `to`: a port on loopback, or the path of a socket. */
export async function startCutProxy(to: number | string): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'silent' = 'open';
  // Only a connection of TCP can be reset.
  const reset = (): void => { for (const socket of sockets) if (socket.remotePort === undefined) socket.destroy(); else socket.resetAndDestroy(); };
  const server = createServer((socket) => {
    const keep = (one: Socket): void => {
      sockets.add(one);
      one.on('error', () => one.destroy()); // the other side may reset it
      one.on('close', () => sockets.delete(one));
    };
    keep(socket);
    if (state === 'cut') {
      socket.resetAndDestroy();
      return;
    }
    if (state === 'silent') return;
    const inner = typeof to === 'string' ? connect(to) : connect(to, '127.0.0.1');
    keep(inner);
    const pass = (from: Socket, onto: Socket): void => {
      from.on('data', (data) => { if (state !== 'silent') onto.write(data); });
      from.on('end', () => { if (state !== 'silent') onto.end(); });
      from.on('close', () => { if (state !== 'silent') onto.destroy(); });
    };
    pass(socket, inner);
    pass(inner, socket);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  return {
    port: (server.address() as AddressInfo).port, // a TCP server's address is never a string
    fail: (how) => {
      state = how;
      if (how === 'cut') reset();
    },
    heal: () => {
      reset();
      state = 'open';
    },
    close: async () => {
      reset();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };
}
