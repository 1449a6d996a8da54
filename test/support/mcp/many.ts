/** Many small servers for one host, and how long they take. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURE = fileURLToPath(new URL('../../fixtures/mcp-server.mjs', import.meta.url));

/** `mcp_servers` of so many processes, each with so many tools of middling size. `folder` gets their lists. */
export async function manyServers(count: number, tools: number, folder: string): Promise<Record<string, object>> {
  const schema = {
    type: 'object', required: ['path'],
    properties: { path: { type: 'string', description: 'Where.' }, limit: { type: 'integer', minimum: 1, description: 'How many.' }, mode: { type: 'string', enum: ['fast', 'slow'] }, tags: { type: 'array', items: { type: 'string' } } },
  };
  const list = join(folder, 'tools.json');
  await writeFile(list, JSON.stringify(Array.from({ length: tools }, (_, index) => ({ name: `tool_${String(index)}`, description: 'A tool of middling size, as a server would offer it.', inputSchema: schema }))));
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${String(index)}`, { command: process.execPath, args: [FIXTURE, list] }]));
}
