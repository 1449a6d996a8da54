// An MCP server with one tool, which asks the person two things before it answers. Lines of JSON-RPC on stdin and stdout.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let calling;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'asking', version: '1' } } });
  else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'order', description: 'Orders.', inputSchema: { type: 'object', properties: {} } }] } });
  else if (method === 'tools/call') {
    calling = id;
    send({ id: 'ask', method: 'elicitation/create', params: { message: 'Where to?', requestedSchema: {
      type: 'object', required: ['email', 'express'], properties: { email: { type: 'string', title: 'E-mail', format: 'email' }, express: { type: 'boolean', title: 'Express' } },
    } } });
  } else if (id === 'ask') send({ id: calling, result: { content: [{ type: 'text', text: JSON.stringify(result) }] } });
  else if (id !== undefined) send({ id, result: {} });
}
