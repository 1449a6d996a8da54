/** What a server asks back during a call: the person (elicitation) and, where it is switched on, the model (sampling). */
import type { ElicitRequestFormParams, ElicitRequestParams, ElicitRequestURLParams, ElicitResult } from '@modelcontextprotocol/client';
import type { QuestionForm } from '../../preload/contract/mcp.ts';
import type { ToolContext } from '../../tools/context.ts';
import type { Clock, FormAsker, Log } from '../ports.ts';
import type { ServerConfig } from './config.ts';
import { contentOf, fieldsOf } from './form.ts';
import { Limit } from './limit.ts';
import { Sampler, type AskModel, type SampleParams, type SampleResult } from './sampling.ts';

export interface AskingParts {
  readonly server: string;
  readonly config: Pick<ServerConfig, 'elicitation' | 'sampling'>;
  readonly log: Log;
  readonly questions: FormAsker;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly openPage: (page: string) => Promise<void>;
  readonly askModel: AskModel;
}

/** A call on its way. */
export interface Running { readonly context: ToolContext; readonly limit: Limit }

export class Asking {
  readonly #parts: AskingParts;
  /** In the order they were started: a request of the server is put down to the youngest. */
  readonly #running = new Set<Running>();
  readonly #completed = new Map<string, PromiseWithResolvers<undefined>>();
  readonly #sampler: Sampler;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#sampler = new Sampler(parts.server, parts.config.sampling, parts.clock, parts.askModel);
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  async during<T>(running: Running, work: () => Promise<T>): Promise<T> {
    this.#running.add(running);
    try {
      return await work();
    } finally {
      this.#running.delete(running);
    }
  }

  #youngest(): Running | undefined {
    return [...this.#running].at(-1);
  }

  /** Never rejects: what cannot be asked is put away as `cancel`. `signal` aborts when the server takes its question back. */
  async elicit(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const { server, log } = this.#parts;
    const running = this.#youngest();
    if (running === undefined) {
      log.warn('an MCP server asked something outside of any call; it was answered with cancel', { server, message: params.message });
      return { action: 'cancel' };
    }
    const { context, limit } = running;
    if (!this.#parts.questions.available) return { action: 'cancel' };
    return limit.paused(this.#patiently([signal, context.signal], (wait) => (params.mode === 'url' ? this.#askPage(params, context, wait) : this.#askForm(params, context, wait))));
  }

  /** Gives the person the configured time. */
  async #patiently<T>(signals: readonly AbortSignal[], work: (wait: AbortSignal) => Promise<T>): Promise<T> {
    const patience = new Limit(this.#parts.clock, this.#parts.config.elicitation.timeout * 1_000);
    try {
      return await work(AbortSignal.any([...signals, patience.signal]));
    } finally {
      patience.end();
    }
  }

  async #askForm(params: ElicitRequestFormParams, context: ToolContext, signal: AbortSignal): Promise<ElicitResult> {
    const form: QuestionForm = { server: this.#parts.server, fields: fieldsOf(params.requestedSchema), url: null };
    const reply = await this.#parts.questions.askForm({
      sessionId: context.sessionId, toolCallId: context.toolCallId, question: params.message, form,
      check: (values) => {
        const content = contentOf(params.requestedSchema, values);
        return content.kind === 'wrong' ? content.message : undefined;
      },
    }, signal);
    if (reply?.action !== 'accept') return { action: reply?.action ?? 'cancel' };
    const content = contentOf(params.requestedSchema, reply.values);
    return content.kind === 'ok' ? { action: 'accept', content: content.content } : { action: 'cancel' };
  }

  async #askPage(params: ElicitRequestURLParams, context: ToolContext, signal: AbortSignal): Promise<ElicitResult> {
    const { protocol } = new URL(params.url);
    if (protocol !== 'https:' && protocol !== 'http:') return { action: 'decline' };
    const reply = await this.#parts.questions.askForm({
      sessionId: context.sessionId, toolCallId: context.toolCallId, question: params.message, form: { server: this.#parts.server, fields: [], url: params.url }, check: () => undefined,
    }, signal);
    if (reply?.action !== 'accept') return { action: reply?.action ?? 'cancel' };
    await this.#parts.openPage(params.url);
    return { action: 'accept' };
  }

  /** The server says that what had to be done on a page is done. */
  completed(elicitationId: string): void {
    this.#completion(elicitationId).resolve(undefined);
  }

  #completion(id: string): PromiseWithResolvers<undefined> {
    const known = this.#completed.get(id);
    if (known !== undefined) return known;
    const made = Promise.withResolvers<undefined>();
    this.#completed.set(id, made);
    return made;
  }

  /** A call was refused until pages have been visited. True when the person has agreed to all and is through with them. */
  async visitPages(pages: readonly ElicitRequestURLParams[], { context, limit }: Running): Promise<boolean> {
    const visit = async (wait: AbortSignal): Promise<boolean> => {
      for (const page of pages) {
        if ((await this.#askPage(page, context, wait)).action !== 'accept' || !await this.#throughWith(page, context, wait)) return false;
      }
      return true;
    };
    return this.#parts.questions.available && await limit.paused(this.#patiently([context.signal], visit));
  }

  /** The server may tell us when the page is done with; the person can say so as well, since not every server does. */
  async #throughWith({ elicitationId }: ElicitRequestURLParams, context: ToolContext, wait: AbortSignal): Promise<boolean> {
    const told = new AbortController();
    const done = this.#completion(elicitationId).promise.then(() => {
      told.abort();
      return true;
    });
    const said = this.#parts.questions.askForm({
      sessionId: context.sessionId, toolCallId: context.toolCallId, question: 'Go on when you are through with the page.', form: { server: this.#parts.server, fields: [], url: null }, check: () => undefined,
    }, AbortSignal.any([wait, told.signal])).then((reply) => reply?.action === 'accept');
    const through = await Promise.race([done, said]);
    this.#completed.delete(elicitationId);
    return through && !wait.aborted;
  }

  /** Rejects in words for the server when it may not, or the person does not agree. */
  async sample(params: SampleParams, signal: AbortSignal): Promise<SampleResult> {
    const running = this.#youngest();
    if (running === undefined) throw new Error('The model is asked for you only during a call of one of your tools.');
    return running.limit.paused(this.#sampler.answer(params, running.context, signal));
  }
}
