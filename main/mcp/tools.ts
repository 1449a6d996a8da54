/** A server's tools as registrations: its own, and those for its resources and prompts. */
import type { ServerCapabilities, Tool } from '@modelcontextprotocol/client';
import type { JsonObject, ToolContext } from '../../tools/context.ts';
import { checkRegistration, type CheckReason, type ToolRegistration } from '../../tools/registry.ts';
import { describeThrown } from '../../tools/result.ts';
import { unavailableTool } from '../plugins/unavailable.ts';
import type { ServerConfig } from './config.ts';
import { isWanted, placeholderName, toolName, toolNames, toolsetName } from './names.ts';
import { differenceWords, type Difference } from './seen.ts';

/** What the tools do with the server. Each answers with a result text and does not reject for what the server does. */
export interface ServerCalls {
  callTool(name: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string>;
  listResources(context: ToolContext): Promise<string>;
  readResource(uri: string, context: ToolContext): Promise<string>;
  listPrompts(context: ToolContext): Promise<string>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, context: ToolContext): Promise<string>;
}

export interface ServerTools {
  readonly server: string;
  readonly filter: ServerConfig['tools'];
  readonly capabilities: ServerCapabilities;
  readonly tools: readonly Tool[];
  /** Tools whose words changed since they were first used, and how. */
  readonly held: ReadonlyMap<string, readonly Difference[]>;
}

export interface Registrations { readonly list: readonly ToolRegistration[]; /** Tools that could not be named. */ readonly problems: readonly string[] }

/** In the server's order; of two tools with one name the second is left out, and a utility whose name a tool of the server has. */
export function registrationsOf(about: ServerTools, calls: ServerCalls): Registrations {
  const list: ToolRegistration[] = [];
  const problems: string[] = [];
  const taken = new Set<string>();
  const add = (registration: ToolRegistration): void => {
    if (taken.has(registration.name)) problems.push(`Two of its tools are called ${registration.name} here; the second is left out.`);
    else if (isSound(registration)) list.push(registration);
    taken.add(registration.name);
  };
  /** One tool with a schema that no request can carry must not cost the server's others. */
  const isSound = (registration: ToolRegistration): boolean => {
    try {
      checkRegistration(registration);
      return true;
    } catch (error) {
      problems.push(`One of its tools is left out: ${describeThrown(error).replace(/\.$/, '')}.`);
      return false;
    }
  };
  const names = toolNames(about.server, about.tools.map(({ name }) => name));
  for (const tool of about.tools.filter(({ name }) => isWanted(name, about.filter))) add(ownTool(about, tool, names.get(tool.name) ?? toolName(about.server, tool.name), calls));
  for (const utility of utilities(about, calls)) add(utility);
  return { list, problems };
}

function ownTool({ server, held }: ServerTools, tool: Tool, name: string, calls: ServerCalls): ToolRegistration {
  const description = tool.description ?? tool.title ?? tool.name;
  const difference = held.get(tool.name);
  if (difference !== undefined) {
    return unavailableTool({
      tool: name, toolset: toolsetName(server), description,
      reason: {
        step: 'plugin-not-trusted', message: `MCP server '${server}' has changed what its tool '${tool.name}' says of itself: ${differenceWords(difference)}.`,
        fix: `If you agree, run \`talaria tools trust ${toolsetName(server)}\`.`,
      },
    });
  }
  return {
    name, toolset: toolsetName(server), emoji: '🔌', schema: { description, parameters: tool.inputSchema as JsonObject }, // cast: JSON off the wire
    handler: (args, context) => calls.callTool(tool.name, args, context),
  };
}

function utilities({ server, capabilities, filter }: ServerTools, calls: ServerCalls): ToolRegistration[] {
  const make = (name: string, description: string, properties: JsonObject, required: readonly string[], handler: ToolRegistration['handler']): ToolRegistration => ({
    name: toolName(server, name), toolset: toolsetName(server), emoji: '🔌', schema: { description, parameters: { type: 'object', properties, required: [...required] } }, handler,
  });
  const text = (args: Readonly<Record<string, unknown>>, field: string): string => (typeof args[field] === 'string' ? args[field] : '');
  const resources = capabilities.resources === undefined || !filter.resources ? [] : [
    make('list_resources', `List the resources of MCP server '${server}'.`, {}, [], (_args, context) => calls.listResources(context)),
    make('read_resource', `Read one resource of MCP server '${server}'.`, { uri: { type: 'string', description: 'Address from the list.' } }, ['uri'], (args, context) => calls.readResource(text(args, 'uri'), context)),
  ];
  const prompts = capabilities.prompts === undefined || !filter.prompts ? [] : [
    make('list_prompts', `List the prompts of MCP server '${server}'.`, {}, [], (_args, context) => calls.listPrompts(context)),
    make('get_prompt', `Get one prompt of MCP server '${server}', filled in.`, {
      name: { type: 'string', description: 'Name from the list.' }, arguments: { type: 'object', description: 'Values of its arguments.', additionalProperties: { type: 'string' } },
    }, ['name'], (args, context) => {
      const given = args['arguments'];
      const values = typeof given === 'object' && given !== null ? Object.entries(given).map(([key, value]) => [key, String(value)] as const) : [];
      return calls.getPrompt(text(args, 'name'), Object.fromEntries(values), context);
    }),
  ];
  return [...resources, ...prompts];
}

/** The same tools while the server cannot be reached: they stay in the list, with the reason, and are not offered. */
export function outOfReach(server: string, tools: readonly ToolRegistration[], reason: CheckReason): ToolRegistration[] {
  if (tools.length === 0) {
    return [unavailableTool({ tool: placeholderName(server), toolset: toolsetName(server), description: `MCP server '${server}'`, reason })];
  }
  return tools.map((tool) => ({ ...tool, checkFn: () => reason }));
}
