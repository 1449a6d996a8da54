/** The chat model asked by an MCP server (sampling): no tools, no history. */
import type { AskModel } from '../mcp/sampling.ts';
import { createModelClient, type ClientParts } from '../models/client.ts';
import type { Connections } from '../models/connection.ts';

export function createModelAsker(connections: Pick<Connections, 'resolve'>, parts: ClientParts): AskModel {
  return async ({ system, messages, maxTokens, temperature, model }, signal) => {
    const { endpoint } = await connections.resolve();
    const reply = await createModelClient(endpoint, parts).stream({
      messages: [...(system === undefined ? [] : [{ role: 'system' as const, content: system }]), ...messages], tools: [], maxTokens,
      ...(temperature === undefined ? {} : { temperature }), ...(model === undefined ? {} : { model }),
    }, { signal, onDelta: () => undefined });
    return { text: reply.text, model: reply.model, stopReason: reply.finish === 'length' ? 'maxTokens' : 'endTurn' };
  };
}
