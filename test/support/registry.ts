/** An image registry on loopback with one image of one layer, whose second half is held back until the test lets it go. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const CONFIG = 'application/vnd.docker.container.image.v1+json';
const LAYER = 'application/vnd.docker.image.rootfs.diff.tar.gzip';

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export interface TestRegistry {
  /** Name to pull: `127.0.0.1:PORT/test/image:1`. */
  readonly image: string;
  /** Sends the rest of the layer. */
  release(): void;
  close(): Promise<void>;
}

export async function startRegistry(tree: Uint8Array): Promise<TestRegistry> {
  const layer = gzipSync(tree, { level: 1 });
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const config = Buffer.from(JSON.stringify({ architecture, os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [digestOf(tree)] } }));
  const manifest = Buffer.from(JSON.stringify({
    schemaVersion: 2, mediaType: MANIFEST, config: { mediaType: CONFIG, size: config.length, digest: digestOf(config) },
    layers: [{ mediaType: LAYER, size: layer.length, digest: digestOf(layer) }],
  }));
  const gate = Promise.withResolvers<undefined>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const [body, type] = path.includes('/manifests/') ? [manifest, MANIFEST] : path.endsWith(digestOf(config)) ? [config, 'application/octet-stream'] : path.endsWith(digestOf(layer)) ? [layer, 'application/octet-stream'] : [Buffer.from('{}'), 'application/json'];
    response.writeHead(200, { 'content-type': type, 'content-length': body.length, 'docker-content-digest': digestOf(body), 'docker-distribution-api-version': 'registry/2.0' });
    if (request.method === 'HEAD') response.end();
    else if (body !== layer) response.end(body);
    else {
      const half = Math.floor(layer.length / 2);
      response.write(layer.subarray(0, half));
      void gate.promise.then(() => response.end(layer.subarray(half)));
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    image: `127.0.0.1:${port}/test/image:1`, release: () => { gate.resolve(undefined); },
    close: () => new Promise((resolve) => {
      gate.resolve(undefined);
      server.closeAllConnections();
      server.close(() => resolve());
    }),
  };
}
