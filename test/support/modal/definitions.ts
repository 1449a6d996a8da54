/** The service definitions inside Modal's SDK, which it does not export: a copy of its bundle is loaded that does. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A call as a handler sees it. */
export interface CallContext {
  readonly metadata: { get(name: string): string | Buffer | undefined };
  readonly signal: AbortSignal;
}

export type Message = Readonly<Record<string, unknown>>;
export type Handler = (request: Message, context: CallContext) => unknown;

export interface GrpcServer {
  add(definition: object, implementation: Readonly<Record<string, Handler>>): void;
  listen(address: string): Promise<number>;
  forceShutdown(): void;
}

export interface Definitions {
  readonly ModalClientDefinition: { readonly methods: Readonly<Record<string, { readonly responseStream: boolean }>> };
  readonly TaskCommandRouterDefinition: { readonly methods: Readonly<Record<string, { readonly responseStream: boolean }>> };
  createServer(): GrpcServer;
  readonly ServerError: new (code: number, details: string) => Error;
}

export function loadDefinitions(): Definitions {
  const require = createRequire(import.meta.url);
  const bundle = require.resolve('modal');
  const folder = mkdtempSync(join(tmpdir(), 'talaria-modal-sdk-'));
  try {
    symlinkSync(dirname(dirname(dirname(bundle))), join(folder, 'node_modules'));
    const copy = join(folder, 'sdk.cjs');
    writeFileSync(copy, `${readFileSync(bundle, 'utf8')}\nmodule.exports = { ModalClientDefinition, TaskCommandRouterDefinition, createServer: require('nice-grpc').createServer, ServerError: require('nice-grpc').ServerError };\n`);
    return require(copy) as Definitions; // cast: what was just written
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
