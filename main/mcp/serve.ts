/** The other direction: the runtime's tools offered to another agent over MCP. What needs a person's consent waits for it here as well. */
import type { ContentBlock, ServerContext, Tool, Transport } from '@modelcontextprotocol/server';
import type { ApprovalRequest } from '../../preload/contract/approvals.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { ToolsetInfo } from '../../preload/contract/settings.ts';
import type { CallOutcome, Clock, EventBus, Log } from '../ports.ts';

/** A client that waits for a person hears of us this often, so that its own time limit may start anew. */
const STILL_WAITING_MS = 10_000;

export interface ServeParts {
  readonly version: string;
  readonly sessionId: SessionId;
  /** Toolsets to offer; absent = those that a new chat has. */
  readonly toolsets?: readonly string[] | undefined;
  /** The client's own person may answer approvals, where the client can ask. Off: only people in front of Talaria. */
  readonly askClient: boolean;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Log;
  readonly events: Pick<EventBus, 'subscribe'>;
  listToolsets(): Promise<readonly ToolsetInfo[]>;
  callTool(name: string, args: unknown, call: { readonly sessionId: SessionId; readonly signal: AbortSignal }): Promise<CallOutcome>;
  decide(request: ApprovalRequest, choice: 'once' | 'session' | 'deny', reason: string): Promise<void>;
}

/** Serves until the client is gone or `signal` aborts. */
export async function serveTools(parts: ServeParts, transport: Transport, signal: AbortSignal): Promise<void> {
  const { Server } = await import('@modelcontextprotocol/server');
  const server = new Server({ name: 'talaria', version: parts.version, title: 'Talaria' }, {
    capabilities: { tools: { listChanged: true } },
    instructions: 'Tools of a person\'s own machine. Some calls wait until that person has agreed, which may take minutes; a refusal is an error result: do not try the same by other means.',
  });
  const running = new Map<string, ServerContext>();
  let calls = 0;

  async function offered(): Promise<Tool[]> {
    const wanted = parts.toolsets;
    const sets = (await parts.listToolsets()).filter(({ name, enabled, available }) => available && (wanted === undefined ? enabled : wanted.includes(name)));
    const tools = new Map(sets.flatMap((set) => set.tools).filter(({ available }) => available).map(({ name, description, parameters }) =>
      [name, { name, description, inputSchema: { ...parameters, type: 'object' as const } }]));
    return [...tools.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  server.setRequestHandler('tools/list', async () => ({ tools: await offered() }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (!(await offered()).some(({ name }) => name === params.name)) return failed(`There is no tool '${params.name}' here.`);
    const key = String(calls += 1);
    running.set(key, context);
    try {
      const outcome = await parts.callTool(params.name, params.arguments ?? {}, { sessionId: parts.sessionId, signal: AbortSignal.any([context.mcpReq.signal, signal]) });
      return { content: contentOf(outcome), ...(outcome.status === 'ok' ? {} : { isError: true }) };
    } finally {
      running.delete(key);
    }
  });

  /** Progress for every call on its way: which of them waits cannot be told by the client anyway. */
  function tellWaiting(message: string): void {
    for (const { mcpReq } of running.values()) {
      const token = mcpReq._meta?.progressToken;
      if (token === undefined) continue;
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: ticks += 1, message } })
        .catch((error: unknown) => parts.log.debug('the client of the MCP server could not be told', { error }));
    }
  }

  const waiting = new Map<string, { cancel(): void; readonly withdrawn: AbortController }>();
  let ticks = 0;
  function opened(request: ApprovalRequest): void {
    const withdrawn = new AbortController();
    const entry = { cancel: (): void => undefined, withdrawn };
    const tell = (): void => {
      tellWaiting(`Waiting for a person: ${request.reason}`);
      entry.cancel = parts.clock.after(STILL_WAITING_MS, tell);
    };
    waiting.set(request.id, entry);
    tell();
    if (!parts.askClient) return;
    // A client that cannot ask says so here as well.
    askClient(request, withdrawn.signal).catch((error: unknown) => { if (!withdrawn.signal.aborted) parts.log.warn('the client of the MCP server could not be asked; the request stays open here', { error }); });
  }

  /** A plain no denies; anything that is no answer leaves the request to the people in front of Talaria. */
  async function askClient(request: ApprovalRequest, withdrawn: AbortSignal): Promise<void> {
    const choices = ['once', ...(request.allowSession ? ['session'] : []), 'deny'];
    const answer = await server.request({ method: 'elicitation/create', params: {
      mode: 'form', message: `Talaria asks before it runs this in ${request.cwd}:\n\n${request.command}\n\n${request.reason}`,
      requestedSchema: { type: 'object', properties: { decision: { type: 'string', title: 'May it run?', enum: choices } }, required: ['decision'] },
    } }, { signal: withdrawn, timeout: LONGEST_MS });
    if (answer.action === 'cancel') return;
    const decision = answer.action === 'accept' ? answer.content?.['decision'] : 'deny';
    if (decision === 'once' || decision === 'session' || decision === 'deny') await parts.decide(request, decision, 'Answered in the agent that calls Talaria.');
  }

  const offs = [
    parts.events.subscribe('approvals', ({ request }) => {
      if (request.sessionId !== parts.sessionId) return;
      const entry = waiting.get(request.id);
      const open = request.state === 'created' || request.state === 'delivered' || request.state === 'seen' || request.state === 'held';
      if (open && entry === undefined) opened(request);
      if (!open && entry !== undefined) {
        entry.cancel();
        entry.withdrawn.abort();
        waiting.delete(request.id);
      }
    }),
    parts.events.subscribe('toolsets', () => {
      server.sendToolListChanged().catch((error: unknown) => parts.log.debug('the client of the MCP server could not be told of other tools', { error }));
    }),
  ];
  const gone = Promise.withResolvers<undefined>();
  server.onclose = () => gone.resolve(undefined);
  const stop = (): void => gone.resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await server.connect(transport);
    if (!signal.aborted) await gone.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    for (const off of offs) off();
    for (const { cancel } of waiting.values()) cancel();
    await server.close();
  }
}

/** Longest that a timer takes: the approval's own time decides. */
const LONGEST_MS = 2_147_483_647;

const failed = (text: string) => ({ content: [{ type: 'text' as const, text: JSON.stringify({ error: text }) }], isError: true });

function contentOf({ result }: CallOutcome): ContentBlock[] {
  if (typeof result === 'string') return [{ type: 'text', text: result }];
  const blocks = result.content.map((part: unknown): ContentBlock => imageOf(part) ?? { type: 'text', text: textOf(part) });
  return blocks.length > 0 ? blocks : [{ type: 'text', text: result.text_summary ?? '' }];
}

/** A part in the form of model requests: `{type: 'image_url', image_url: {url: 'data:…'}}`. */
function imageOf(part: unknown): ContentBlock | undefined {
  if (typeof part !== 'object' || part === null || !('image_url' in part)) return undefined;
  const { image_url: image } = part;
  const url = typeof image === 'object' && image !== null && 'url' in image ? String(image.url) : '';
  const match = /^data:(image\/[\w+.-]+);base64,(.+)$/s.exec(url);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { type: 'image', mimeType: match[1], data: match[2] };
}

function textOf(part: unknown): string {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : JSON.stringify(part);
}
