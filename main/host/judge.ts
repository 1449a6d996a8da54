/** The reviewing model of smart mode: the chat model, asked for one word. */
import type { Judge } from '../approvals/smart.ts';
import { createModelClient, type ClientParts } from '../models/client.ts';
import type { Connections } from '../models/connection.ts';

export function createJudge(connections: Pick<Connections, 'resolve'>, parts: ClientParts): Judge {
  return async ({ system, user, maxTokens, temperature }, signal) => {
    const { endpoint } = await connections.resolve();
    const reply = await createModelClient(endpoint, parts).stream(
      { messages: [{ role: 'system', content: system }, { role: 'user', content: user }], tools: [], maxTokens, temperature },
      { signal, onDelta: () => undefined },
    );
    return reply.text;
  };
}
