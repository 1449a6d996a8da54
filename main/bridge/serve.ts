/** Serves the contract on one channel: requests in, replies, events and terminal bytes out. The same for every shell. */
import { AppError, type Channel, type ErrorShape, type HostFrame, type TopicName } from '../../preload/contract/index.ts';
import { Attachments } from './attachments.ts';
import { readFrame, type CheckedRequest } from './frames.ts';
import type { BridgeHost, Caller } from './host.ts';

/** A window has a handful of requests open; a flood is answered with a refusal and does not fill the host's memory. */
export const MAX_IN_FLIGHT = 256;
/**
 * A screen that lets this much pile up does not read any more (terminal bytes wait for acknowledgements long before): its connection
 * is closed, and when it comes back it reads everything afresh.
 */
export const MAX_BACKLOG_BYTES = 32 * 1024 * 1024;

/** A channel whose transport can say how many bytes it has not handed on yet. */
export interface ServedChannel extends Channel { backlogBytes?(): number }

/** Returns the function that ends the service; closing the channel ends it too. Nothing a screen sends makes this throw. */
export function serveContract(host: BridgeHost, channel: ServedChannel, caller: Caller): () => void {
  const subscriptions = new Map<TopicName, () => void>();
  const attachments = new Attachments(host.terminals, (frame) => { channel.send(frame); });
  let inFlight = 0;
  let ended = false;
  let complained = false;

  const end = (): void => {
    if (ended) return;
    ended = true;
    offFrame();
    for (const off of subscriptions.values()) off();
    subscriptions.clear();
    attachments.close();
  };

  const send = (frame: HostFrame): void => {
    if (ended) return;
    const backlog = channel.backlogBytes?.() ?? 0;
    if (backlog > MAX_BACKLOG_BYTES) {
      host.log.warn('a screen does not read what it is sent; its connection is closed', { client: caller.client, backlog });
      channel.close('too slow');
      return;
    }
    channel.send(JSON.stringify(frame));
  };

  const refuse = (id: number, error: ErrorShape): void => send({ kind: 'error', id, error });

  const answer = async (id: number, request: CheckedRequest): Promise<void> => {
    inFlight += 1;
    try {
      send({ kind: 'reply', id, output: await route(host, attachments, request, caller) });
    } catch (error) {
      refuse(id, shapeOf(error, host, request.name));
    } finally {
      inFlight -= 1;
    }
  };

  const offFrame = channel.onFrame((frame) => {
    const incoming = readFrame(frame);
    switch (incoming.kind) {
      case 'request':
        if (inFlight < MAX_IN_FLIGHT) void answer(incoming.id, incoming.request);
        else refuse(incoming.id, { code: 'request/not-possible', message: `${MAX_IN_FLIGHT} requests of this window are open already`, hint: 'Try again when they are answered.' });
        return;
      case 'subscribe':
        if (!subscriptions.has(incoming.topic)) {
          const offEvents = host.events.subscribe(incoming.topic, (event) => send({ kind: 'event', topic: incoming.topic, event }));
          const offSurface = incoming.topic === 'approvals' ? host.approvals?.addSurface(caller.via) : undefined;
          subscriptions.set(incoming.topic, () => {
            offEvents();
            offSurface?.();
          });
        }
        return;
      case 'unsubscribe':
        subscriptions.get(incoming.topic)?.();
        subscriptions.delete(incoming.topic);
        return;
      case 'bad':
        if (!complained) host.log.warn('a screen sent something that is not in the contract', { client: caller.client, message: incoming.error.message });
        complained = true;
        refuse(incoming.id, incoming.error.toShape());
    }
  });
  channel.onClose(end);
  return end;
}

async function route(host: BridgeHost, attachments: Attachments, request: CheckedRequest, caller: Caller): Promise<unknown> {
  switch (request.name) {
    case 'terminals.attach': return attachments.attach(request.input);
    case 'terminals.detach': return attachments.detach(request.input);
    case 'terminals.ack': return attachments.ack(request.input);
    default: return host.handle(request.name, request.input, caller);
  }
}

/** Only code, message and hint cross. What is no `AppError` is a fault of ours: logged whole, told in one sentence. */
function shapeOf(error: unknown, host: BridgeHost, name: string): ErrorShape {
  if (error instanceof AppError) return error.toShape();
  host.log.error('a request failed in the host', { request: name, error });
  return { code: 'host/internal', message: `${name} failed inside the host`, hint: 'The log in the home folder under desktop/logs has the details.' };
}
