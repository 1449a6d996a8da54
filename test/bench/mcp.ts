/** Fifty MCP servers of twenty tools each: how long until all are connected, and the definitions right after. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median, type Figure } from '../support/figures.ts';
import type { McpWorld } from '../support/mcp/world.ts';

const run = promisify(execFile);
/** Fresh processes: the first request of a chat runs code that nothing has run before, beside fifty servers that have just begun. */
const WORLDS = 5;

async function inFreshProcess(): Promise<McpWorld> {
  const { href } = new URL('../support/mcp/world.ts', import.meta.url);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', `const { mcpWorld } = await import('${href}'); console.log(JSON.stringify(await mcpWorld()))`]);
  return JSON.parse(stdout) as McpWorld; // cast: written by the line above
}

export async function bench(): Promise<Figure[]> {
  const worlds: McpWorld[] = [];
  for (let round = 0; round < WORLDS; round += 1) worlds.push(await inFreshProcess());
  const middle = (of: (world: McpWorld) => number): number => median(worlds.map(of));
  return [
    { name: '50 MCP servers × 20 tools, from nothing to all connected', value: middle(({ start }) => start), unit: 's', bar: '≤ 10' },
    { name: 'the definitions of those 1,000 tools, first time', value: middle(({ first }) => first), unit: 'ms', bar: '≤ 2' },
    { name: 'the same as a chat asks, deferred, first time', value: middle(({ firstOfChat }) => firstOfChat), unit: 'ms', bar: '≤ 2' },
    { name: 'taking in the changed list of one server', value: middle(({ changed }) => changed), unit: 'ms', bar: '≤ 2' },
    { name: 'the definitions of those 1,000 tools, after one server changed its list', value: middle(({ refreshed }) => refreshed), unit: 'ms', bar: '≤ 2' },
    { name: 'the same as a chat asks, deferred', value: middle(({ refreshedOfChat }) => refreshedOfChat), unit: 'ms', bar: '≤ 2' },
  ];
}
