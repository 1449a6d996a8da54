/** Requests about what works beside the chats: messengers, schedules, MCP servers, plugins. */
import { z } from 'zod';
import { GatewayHolder, MessengerState, PlatformName } from './gateway.ts';
import { SessionId } from './ids.ts';
import { McpServerInfo } from './mcp.ts';
import { PluginInfo } from './plugins.ts';
import { Done, Nothing, request } from './request.ts';
import { DeliveryTarget, JobId, ScheduleDraft, ScheduleJob, ScheduleRun } from './schedules.ts';

const McpName = z.string().min(1).max(200);
const OfPlatform = z.object({ platform: PlatformName }).strict();
const SenderId = z.string().trim().min(1).max(200);

export const serviceRequests = {
  /** One row for each messenger. */
  'gateway.state': request(Nothing, z.array(MessengerState)),
  /** Serves the messengers from this process. Throws `request/not-possible` while another one does. */
  'gateway.start': request(Nothing, z.array(MessengerState)),
  /** Who serves them now; null = nobody. */
  'gateway.holder': request(Nothing, GatewayHolder.nullable()),
  /** Keeps a variable of a messenger in the store of keys; an empty value removes it. It is never given back. */
  'gateway.setKey': request(z.object({ variable: z.string().regex(/^[A-Z][A-Z0-9_]{2,60}$/), value: z.string().trim().max(8_000) }).strict(), z.array(MessengerState)),
  /** A new code for one more person; the one before is void. */
  'gateway.pair': request(OfPlatform, z.array(MessengerState)),
  'gateway.allow': request(OfPlatform.extend({ sender: SenderId, name: z.string().trim().max(200).optional() }), z.array(MessengerState)),
  'gateway.revoke': request(OfPlatform.extend({ sender: SenderId }), z.array(MessengerState)),

  /** Jobs, oldest first, and how many results nobody has looked at. */
  'schedules.list': request(Nothing, z.object({ jobs: z.array(ScheduleJob), unseen: z.number() })),
  /** Chats of messengers that results can be sent to; nothing where none is set up. */
  'schedules.targets': request(Nothing, z.array(DeliveryTarget)),
  'schedules.create': request(z.object({ draft: ScheduleDraft, sessionId: SessionId.optional() }).strict(), ScheduleJob),
  'schedules.update': request(z.object({ id: JobId, draft: ScheduleDraft }).strict(), ScheduleJob),
  'schedules.pause': request(z.object({ id: JobId }).strict(), ScheduleJob),
  'schedules.resume': request(z.object({ id: JobId }).strict(), ScheduleJob),
  'schedules.remove': request(z.object({ id: JobId }).strict(), Done),
  /** Undo of `schedules.remove`, until the app ends. */
  'schedules.restore': request(z.object({ id: JobId }).strict(), ScheduleJob),
  /** Begins now; the number of the run. */
  'schedules.run': request(z.object({ id: JobId }).strict(), z.object({ runId: z.number() })),
  'schedules.stop': request(z.object({ runId: z.number() }).strict(), Done),
  /** Runs, newest first. */
  'schedules.history': request(z.object({ jobId: JobId.optional(), limit: z.number().int().min(1).max(500).default(50), before: z.number().optional() }).strict(), z.array(ScheduleRun)),
  'schedules.seen': request(z.object({ jobId: JobId.optional() }).strict(), Done),

  'mcp.list': request(Nothing, z.array(McpServerInfo)),
  /** Opens the sign-in page of a server in the browser; answers when the person is through with it. A second one of the same server ends the first. */
  'mcp.signIn': request(z.object({ server: McpName }).strict(), z.array(McpServerInfo)),
  /** Forgets the tokens of a server. */
  'mcp.signOut': request(z.object({ server: McpName }).strict(), z.array(McpServerInfo)),
  /** Ends the server (its process, its connection) and connects anew. */
  'mcp.restart': request(z.object({ server: McpName }).strict(), z.array(McpServerInfo)),
  /** Switches one tool of a server on or off for all chats; kept under `mcp_servers.<server>.tools` of config.yaml. `tool` is the server's own name. */
  'mcp.setTool': request(z.object({ server: McpName, tool: z.string().min(1).max(500), enabled: z.boolean() }).strict(), z.array(McpServerInfo)),

  'plugins.list': request(Nothing, z.array(PluginInfo)),
  /** Switches a plugin on or off in config.yaml, which loads or unloads it at once. */
  'plugins.set': request(z.object({ id: z.string().max(64), enabled: z.boolean() }).strict(), z.array(PluginInfo)),
} as const;
