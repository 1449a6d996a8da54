/** One request to a server for a tool of ours: limits, retries and who is asked in between. */
import type { Client, ElicitRequestURLParams, RequestOptions } from '@modelcontextprotocol/client';
import type { ToolContext } from '../../tools/context.ts';
import { toolError, toolResult } from '../../tools/result.ts';
import type { Clock } from '../ports.ts';
import type { Asking, Running } from './asking.ts';
import { Breaker } from './breaker.ts';
import type { ServerConfig } from './config.ts';
import type { Connection } from './connection.ts';
import { failureOf } from './failures.ts';
import { Limit } from './limit.ts';
import type { Link } from './link.ts';
import { callResult, promptResult, readResult } from './results.ts';
import type { ServerCalls } from './tools.ts';

/** The SDK's own limit is out of the way: ours stands still while a person is asked. Longest that a timer takes. */
const NO_LIMIT_MS = 2_147_483_647;
const PAGES_FIRST = -32_042;

export interface CallsParts {
  readonly name: string;
  readonly config: Pick<ServerConfig, 'timeout' | 'trust'>;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly link: Link;
  readonly asking: Asking;
  /** Folder for images and other binary parts of results. */
  readonly media: string;
  readonly lastWords: () => string;
}

const STOPPED = 'Cancelled: the user stopped the turn.';

type Ask = (client: Client, options: RequestOptions) => Promise<string>;

export class Calls implements ServerCalls {
  readonly #parts: CallsParts;
  readonly #breaker: Breaker;

  constructor(parts: CallsParts) {
    this.#parts = parts;
    this.#breaker = new Breaker(parts.clock);
  }

  /** A person has started it anew. */
  forgetFailures(): void {
    this.#breaker.succeeded();
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string> {
    const refusal = this.#parts.config.trust === 'untrusted' ? await this.#askPerson(name, args, context) : undefined;
    return refusal ?? this.#use(context, async (client, options) => callResult(await client.callTool({ name, arguments: args }, options), this.#parts.media));
  }

  listResources(context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => {
      const templates = await client.listResourceTemplates(undefined, options).then(({ resourceTemplates }) => resourceTemplates, () => []);
      return toolResult({ resources: (await client.listResources(undefined, options)).resources, ...(templates.length === 0 ? {} : { resourceTemplates: templates }) });
    });
  }

  readResource(uri: string, context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => readResult(await client.readResource({ uri }, options), this.#parts.media));
  }

  listPrompts(context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => toolResult({ prompts: (await client.listPrompts(undefined, options)).prompts }));
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, context: ToolContext): Promise<string> {
    return this.#use(context, async (client, options) => promptResult(await client.getPrompt({ name, arguments: args }, options), this.#parts.media));
  }

  /** Undefined = go on. */
  async #askPerson(tool: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string | undefined> {
    const { name } = this.#parts;
    const outcome = await context.services.approvals.review({
      tool: `mcp:${name}`, command: `${tool} ${JSON.stringify(args)}`, cwd: context.cwd, sessionId: context.sessionId, taskId: context.taskId, toolCallId: context.toolCallId, signal: context.signal,
      requirePerson: { description: `MCP server '${name}' is set to untrusted: each of its calls is put to you`, ruleKey: `mcp:${name}:${tool}` },
      onWaiting: (approvalId, waiting) => context.emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }),
    });
    return outcome.approved ? undefined : toolError(outcome.message ?? 'The person did not agree to this call.');
  }

  /** Its failure is this call's alone, unless it shows that the connection is of no use any more. */
  async #use(context: ToolContext, ask: Ask): Promise<string> {
    const { name, config, clock, asking } = this.#parts;
    const waitMs = this.#breaker.tryPass();
    if (waitMs > 0) return toolError(`MCP server '${name}' has failed several times in a row and is left alone for another ${String(Math.ceil(waitMs / 1_000))} s. Do something else, or try again later.`);
    const running: Running = { context, limit: new Limit(clock, config.timeout * 1_000) };
    try {
      return await asking.during(running, () => this.#patiently(running, ask));
    } finally {
      running.limit.end();
      this.#breaker.gaveUp();
    }
  }

  async #patiently(running: Running, ask: Ask): Promise<string> {
    const { name, link, asking } = this.#parts;
    const { context, limit } = running;
    const options: RequestOptions = {
      signal: AbortSignal.any([context.signal, limit.signal]), timeout: NO_LIMIT_MS,
      onprogress: ({ progress, total, message }) => context.emit({ kind: 'output', tail: `${String(progress)}${total === undefined ? '' : ` of ${String(total)}`}${message === undefined ? '' : `: ${message}`}` }),
    };
    let reconnected = false;
    let visited = false;
    for (;;) {
      const connection = await link.take(context.signal);
      if (context.signal.aborted) return toolError(STOPPED);
      if (connection === undefined) return this.#notConnected();
      try {
        const answer = await ask(connection.client, options);
        this.#breaker.succeeded();
        return answer;
      } catch (error) {
        if (isStopped(context)) return toolError(STOPPED);
        if (limit.isOver) return this.#tooLate();
        const pages = pagesOf(error);
        if (pages !== undefined && !visited) {
          visited = true;
          if (await asking.visitPages(pages, running)) continue;
          return toolError(`MCP server '${name}' wants the person to visit a page first, and they did not agree or did not finish there.`);
        }
        const failure = failureOf(error);
        // A program has no session that it could forget: its tool speaks of something of its own, and must not be called twice.
        if (failure.kind === 'expired' && (reconnected || connection.pid !== null)) return this.#explain({ ...failure, kind: 'call' }, connection);
        if (failure.kind === 'expired') {
          reconnected = true;
          link.drop(connection, `MCP server '${name}' has forgotten the session`);
          link.retryNow();
          continue;
        }
        return this.#explain(failure, connection);
      }
    }
  }

  #tooLate(): string {
    this.#breaker.failed();
    const { name, config } = this.#parts;
    return toolError(`MCP server '${name}' did not answer within ${String(config.timeout)} s. Only this call was given up; the server stays connected.`);
  }

  #notConnected(): string {
    const { name, link } = this.#parts;
    if (link.state === 'needs-sign-in') return toolError(`${link.why}: the person has to sign in under Settings, MCP servers, or with \`talaria mcp login ${name}\`. Do not try again before they did.`);
    this.#breaker.failed();
    return toolError(`${link.why === '' ? `MCP server '${name}' is not connected` : link.why}. It is being reconnected; try again later.`);
  }

  #explain({ kind, message }: ReturnType<typeof failureOf>, connection: Connection): string {
    const { name, link, lastWords } = this.#parts;
    if (kind === 'call') {
      this.#breaker.succeeded();
      return toolError(message);
    }
    if (kind === 'sign-in') {
      link.drop(connection, `MCP server '${name}' needs a sign-in`, 'needs-sign-in');
      return this.#notConnected();
    }
    this.#breaker.failed();
    link.drop(connection, `MCP server '${name}' was lost during a call (${message})`);
    const words = lastWords();
    return toolError(`MCP server '${name}' ended while this call ran. Whether it was carried out is unknown.${words === '' ? '' : ` Its last words: ${words}.`} It is being reconnected.`);
  }
}

const isStopped = ({ signal }: ToolContext): boolean => signal.aborted;

/** The pages a person has to visit before the call can be made (`UrlElicitationRequiredError`). */
function pagesOf(error: unknown): readonly ElicitRequestURLParams[] | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== PAGES_FIRST || !('elicitations' in error) || !Array.isArray(error.elicitations)) return undefined;
  return error.elicitations as readonly ElicitRequestURLParams[]; // cast: the SDK made them from the server's error
}
