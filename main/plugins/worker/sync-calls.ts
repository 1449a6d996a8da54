/** Answers at once: the worker sleeps until the host has answered, so that `settings.get` and the like stay plain functions. */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { errorFrom, shapeOf, type ErrorShape } from './peer.ts';

export type Reply = { readonly value: unknown } | { readonly error: ErrorShape };

/** The host answers such calls from its event loop, in well under this; longer means that it is gone. */
const HOST_LIMIT_MS = 30_000;

export interface SyncLine { readonly port: MessagePort; readonly flag: SharedArrayBuffer }

/** Worker side. Throws what the host's function threw, and Error when the host does not answer. */
export function callSync({ port, flag }: SyncLine, name: string, args: unknown): unknown {
  const state = new Int32Array(flag);
  Atomics.store(state, 0, 0);
  port.postMessage({ name, args });
  if (Atomics.wait(state, 0, 0, HOST_LIMIT_MS) === 'timed-out') throw new Error(`The app did not answer ${name}.`);
  const received = receiveMessageOnPort(port);
  const reply = received?.message as Reply | undefined; // the host's side below writes nothing else
  if (reply === undefined) throw new Error(`The app's answer to ${name} is missing.`);
  if ('error' in reply) throw errorFrom(reply.error);
  return reply.value;
}

/** The process around the thread: hands each question on, and its answer back through the returned function. */
export function forwardSync({ port, flag }: SyncLine, ask: (name: string, args: unknown) => void): (reply: Reply) => void {
  const state = new Int32Array(flag);
  port.on('message', ({ name, args }: { readonly name: string; readonly args: unknown }) => { ask(name, args); });
  return (reply) => {
    port.postMessage(reply);
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
  };
}

/** Host side: answers through `send`, which may refuse what cannot be copied. `serve` must answer synchronously. */
export function answerSync(serve: () => unknown, send: (reply: Reply) => void): void {
  let reply: Reply;
  try {
    reply = { value: serve() };
  } catch (error) {
    reply = { error: shapeOf(error) };
  }
  try {
    send(reply);
  } catch (error) {
    send({ error: shapeOf(error) });
  }
}
