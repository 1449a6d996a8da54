/** The only door out of the renderer: `window.talaria`, which every shell puts there before this page's script runs. */
import type { ErrorShape, Talaria } from '../preload/contract/index.ts';

declare global {
  interface Window {
    readonly talaria?: Talaria;
  }
}

/** Looked up on each use, so that a test page may put its own client there first. Throws when no shell did. */
function talaria(): Talaria {
  const client = window.talaria;
  if (client === undefined) throw new Error('window.talaria is missing: this page was opened outside a Talaria shell. Start it with `npm start`.');
  return client;
}

export const bridge: Talaria = {
  request: (name, input) => talaria().request(name, input),
  subscribe: (topic, listener) => talaria().subscribe(topic, listener),
  onOutput: (attachment, listener) => talaria().onOutput(attachment, listener),
  onStatus: (listener) => talaria().onStatus(listener),
};

/** What a person can read about a rejected request. `code` is `host/internal` when the rejection did not come from the host. */
export function toErrorShape(error: unknown): ErrorShape {
  if (isErrorShape(error)) {
    return error.hint === undefined ? { code: error.code, message: error.message } : { code: error.code, message: error.message, hint: error.hint };
  }
  return { code: 'host/internal', message: error instanceof Error ? error.message : String(error) };
}

/** Structural, because an error that crossed Electron's context bridge has lost its class. */
function isErrorShape(error: unknown): error is ErrorShape {
  return typeof error === 'object' && error !== null
    && 'code' in error && typeof error.code === 'string'
    && 'message' in error && typeof error.message === 'string'
    && (!('hint' in error) || error.hint === undefined || typeof error.hint === 'string');
}
