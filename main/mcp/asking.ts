/** What a server asks back: the person (elicitation), during a call or outside of any, and during a call, where it is switched on, the model (sampling). */
import { setImmediate as turn } from 'node:timers/promises';
import type { ElicitRequestFormParams, ElicitRequestParams, ElicitRequestURLParams, ElicitResult } from '@modelcontextprotocol/client';
import type { McpServerInfo, QuestionForm } from '../../preload/contract/mcp.ts';
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
  readonly clock: Pick<Clock, 'after' | 'monotonic' | 'now'>;
  readonly openPage: (page: string) => Promise<void>;
  readonly askModel: AskModel;
  /** Where a question stands that no call waits for, given the chat of the server's last call. Undefined = there is no chat. */
  readonly chatFor: (last: string | undefined) => string | undefined;
  readonly newCallId: () => string;
  /** `unasked` is another one now. */
  readonly onUnasked: () => void;
}

/** A server may ask while it starts: the window and the first chat are waited for. */
const NOBODY_WAIT_MS = 30_000;
const LOOK_AGAIN_MS = 500;
/** Of a question that could not be asked, on the server's card. */
const SHOWN_CHARS = 500;

/** Where a question is put: at a call, or in a chat alone. */
type Place = Pick<ToolContext, 'sessionId' | 'toolCallId' | 'signal'>;

/** What the server wanted to know when nobody could be asked. */
export type Unasked = NonNullable<McpServerInfo['unasked']>;

/** A call on its way. */
export interface Running { readonly context: ToolContext; readonly limit: Limit }

export class Asking {
  readonly #parts: AskingParts;
  /** In the order they were started: a request of the server is put down to the youngest. */
  readonly #running = new Set<Running>();
  readonly #completed = new Map<string, PromiseWithResolvers<undefined>>();
  readonly #sampler: Sampler;
  /** Questions that no call waits for. */
  #alone = 0;
  /** Chat of the last call: what the server asks afterwards most likely belongs there. */
  #lastChat: string | undefined;
  #unasked: Unasked | null = null;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#sampler = new Sampler(parts.server, parts.config.sampling, parts.clock, parts.askModel);
  }

  get isBusy(): boolean {
    return this.#running.size > 0 || this.#alone > 0;
  }

  get unasked(): Unasked | null {
    return this.#unasked;
  }

  async during<T>(running: Running, work: () => Promise<T>): Promise<T> {
    this.#running.add(running);
    this.#lastChat = running.context.sessionId;
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
    // The result of a call may have come in the same breath: who asks after it does not ask during it.
    await turn();
    const running = this.#youngest();
    if (running === undefined) return this.#elicitAlone(params, signal);
    const { context, limit } = running;
    if (!this.#parts.questions.available) return this.#cancelUnasked(params, 'nobody could be asked');
    if (context.platform === 'webhook') return this.#cancelUnasked(params, 'a webhook began the chat, and nobody answers there');
    return limit.paused(this.#put(params, context, [signal, context.signal]));
  }

  #put(params: ElicitRequestParams, place: Place, signals: readonly AbortSignal[]): Promise<ElicitResult> {
    if (this.#unasked !== null) {
      this.#unasked = null;
      this.#parts.onUnasked();
    }
    return this.#patiently(signals, (wait) => (params.mode === 'url' ? this.#askPage(params, place, wait) : this.#askForm(params, place, wait)));
  }

  async #elicitAlone(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    this.#alone += 1;
    try {
      const sessionId = await this.#chatToAskIn(signal);
      if (signal.aborted) return { action: 'cancel' };
      if (sessionId === undefined) return this.#cancelUnasked(params, this.#parts.questions.available ? 'there was no chat in which it could be asked' : 'nobody could be asked');
      return await this.#put(params, { sessionId, toolCallId: this.#parts.newCallId(), signal }, [signal]);
    } finally {
      this.#alone -= 1;
    }
  }

  async #chatToAskIn(signal: AbortSignal): Promise<string | undefined> {
    const { questions, chatFor, clock } = this.#parts;
    const until = clock.monotonic() + NOBODY_WAIT_MS;
    for (;;) {
      const sessionId = questions.available ? chatFor(this.#lastChat) : undefined;
      if (sessionId !== undefined || signal.aborted || clock.monotonic() >= until) return sessionId;
      const again = Promise.withResolvers<undefined>();
      const wake = (): void => again.resolve(undefined);
      const cancel = clock.after(LOOK_AGAIN_MS, wake);
      signal.addEventListener('abort', wake, { once: true });
      await again.promise;
      cancel();
      signal.removeEventListener('abort', wake);
    }
  }

  #cancelUnasked({ message }: ElicitRequestParams, why: string): ElicitResult {
    const { server, log, clock, onUnasked } = this.#parts;
    log.warn(`an MCP server asked something and was answered with cancel: ${why}`, { server, message });
    this.#unasked = { message: message.slice(0, SHOWN_CHARS), why, at: clock.now() };
    onUnasked();
    return { action: 'cancel' };
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

  async #askForm(params: ElicitRequestFormParams, place: Place, signal: AbortSignal): Promise<ElicitResult> {
    const form: QuestionForm = { server: this.#parts.server, fields: fieldsOf(params.requestedSchema), url: null };
    const reply = await this.#parts.questions.askForm({
      sessionId: place.sessionId, toolCallId: place.toolCallId, question: params.message, form,
      check: (values) => {
        const content = contentOf(params.requestedSchema, values);
        return content.kind === 'wrong' ? content.message : undefined;
      },
    }, signal);
    if (reply?.action !== 'accept') return { action: reply?.action ?? 'cancel' };
    const content = contentOf(params.requestedSchema, reply.values);
    return content.kind === 'ok' ? { action: 'accept', content: content.content } : { action: 'cancel' };
  }

  async #askPage(params: ElicitRequestURLParams, place: Place, signal: AbortSignal): Promise<ElicitResult> {
    const { protocol } = new URL(params.url);
    if (protocol !== 'https:' && protocol !== 'http:') return { action: 'decline' };
    const reply = await this.#parts.questions.askForm({
      sessionId: place.sessionId, toolCallId: place.toolCallId, question: params.message, form: { server: this.#parts.server, fields: [], url: params.url }, check: () => undefined,
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
