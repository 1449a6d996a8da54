/** The other side of the webhook: posts signed letters to the agent, and takes the signed replies. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const WEBHOOK_SECRET = 'a-secret-of-the-webhook-1234';

export interface WebhookReply { readonly id: string; readonly text: string }

export interface LoopbackWebhook {
  readonly url: string;
  /** Every post that came, in order. */
  readonly replies: WebhookReply[];
  /** So many of the next replies are taken and get no answer. */
  hangs: number;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<LoopbackWebhook> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => { body += chunk.toString('utf8'); });
    request.on('end', () => {
      receiver.replies.push({ id: String(request.headers['webhook-id']), text: (JSON.parse(body) as { text?: string }).text ?? '' });
      if (receiver.hangs > 0) receiver.hangs -= 1;
      else response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const receiver: LoopbackWebhook = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/replies`, replies: [], hangs: 0,
    close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(() => { resolve(); }); }),
  };
  return receiver;
}

/** Posts as Standard Webhooks senders do: again and again until it is taken. Gives up when `isOver`. */
export async function postUntilTaken(url: string, id: string, text: string, isOver: () => boolean): Promise<void> {
  const body = JSON.stringify({ text, chat: 'ci' });
  while (!isOver()) {
    const stamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${id}.${stamp}.${body}`).digest('base64');
    const taken = await fetch(url, { method: 'POST', body, headers: { 'webhook-id': id, 'webhook-timestamp': stamp, 'webhook-signature': `v1,${signature}` } }).then(({ status }) => status === 202, () => false);
    if (taken) return;
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
}
