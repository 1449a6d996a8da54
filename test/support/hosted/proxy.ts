/** A TCP connection that can be broken in the ways networks break: cut, or silent while it looks open. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Bytes are swallowed in both directions, connections stay: half-open. */
  silence(): void;
  /** Every connection is reset, new ones are refused until `restore`. */
  cut(): void;
  /** New connections go through again; what was silenced has lost bytes and is reset, as the other side of a lost one does when it hears of it. */
  restore(): void;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<Proxy> {
  let mode: 'open' | 'silent' | 'cut' = 'open';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (mode === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
      from.setNoDelay(true);
      sockets.add(from);
      from.on('data', (chunk) => { if (mode === 'open') to.write(chunk); });
      from.on('end', () => { if (mode === 'open') to.end(); });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // cast: a TCP server has one
    silence: () => { mode = 'silent'; },
    cut: () => {
      mode = 'cut';
      for (const socket of sockets) socket.resetAndDestroy();
    },
    restore: () => {
      if (mode === 'silent') for (const socket of sockets) socket.resetAndDestroy();
      mode = 'open';
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };
}
