/** One turn: ask the model, store what it decided, run it, ask again, until it has nothing more to run. */
import type { Message } from '../../preload/contract/sessions.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { ModelClient, ModelMessage, ModelTool } from '../models/types.ts';
import { withPictures } from './attached.ts';
import { IterationBudget, isRefunded } from './budget.ts';
import type { Chat } from './chat.ts';
import { executeCalls } from './execute.ts';
import type { AgentParts } from './parts.ts';
import { askModel, type Asked, type LiveReply } from './reply.ts';
import { attachedView, offeredTools, systemPrompt } from './request-parts.ts';
import { createTrimmer } from './trimmer.ts';
import { rememberCount } from './context-use.ts';
import { createTurnHooks, type TurnHooks } from './turn-hooks.ts';

export type TurnEnd = 'done' | 'stopped' | 'error' | 'budget';

export interface TurnOptions {
  readonly turn: number;
  readonly signal: AbortSignal;
  /** Replaces the chat's model: the tour's script. */
  readonly client?: ModelClient;
  readonly onLive: (live: LiveReply | undefined) => void;
  readonly onWaiting: () => void;
  /** Moves messages that the person wants in before the next request into the chat; true when there were any. */
  readonly takeSteering: () => boolean | Promise<boolean>;
}

/** A model that answers with nothing is asked again this often before it counts as failed. */
const EMPTY_REPLIES = 2;
/** A server that still finds the request too long after this many trims will not be satisfied. */
const MAX_TRIMS = 4;

const BUDGET_WORDS = 'The limit of requests for one turn is reached. Do not call tools any more: say in a few sentences what is done, what is open and how to go on.';

/** Throws only for defects and for storage that fails; everything else ends the turn with its message in the chat. */
export async function runTurn(chat: Chat, parts: AgentParts, options: TurnOptions): Promise<TurnEnd> {
  const { turn } = options;
  const session = chat.session();
  let client: ModelClient;
  try {
    client = options.client ?? await parts.connect(session);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    chat.addMessage({ role: 'notice', text: error.message, state: 'error', turn, error: error.toShape() });
    return 'error';
  }
  const hooks = createTurnHooks(parts.hooks, { sessionId: chat.id, turn, model: client.model, platform: session.origin });
  const context = await hooks.begin(lastWords(parts, chat));
  const end = await askAndRun(chat, parts, options, { client, hooks, context });
  await hooks.end(end);
  return end;
}

interface Connected { readonly client: ModelClient; readonly hooks: TurnHooks; /** Of the plugins, for the system prompt. */ readonly context: string }

async function askAndRun(chat: Chat, parts: AgentParts, options: TurnOptions, { client, hooks, context }: Connected): Promise<TurnEnd> {
  const { signal, turn } = options;
  const session = chat.session();
  const budget = new IterationBudget(parts.settings().maxIterations);
  const trimmer = createTrimmer(chat, client.contextTokens, parts, turn);
  const model = session.model ?? client.model;
  let empty = 0;

  for (;;) {
    await options.takeSteering();
    if (signal.aborted) return 'stopped';
    const last = !budget.consume();
    if (last) chat.addNotice('notice/budget', `Stopped after ${budget.cap} model requests in one turn. ${BUDGET_WORDS}`, turn);
    const tools = last ? [] : await offeredTools(chat.id, parts, client);
    const asked = await ask(tools);
    if (asked.kind === 'failed' && asked.error.code === 'model/no-tools') parts.toolUse?.refused(chat.id, session.model !== null);
    if (asked.kind !== 'replied') return asked.kind === 'failed' && asked.error.aborted ? 'stopped' : 'error';
    countUsage(chat, parts, asked);

    const { reply, calls } = asked;
    if (calls.length > 0) {
      parts.toolUse?.called(chat.id, session.model !== null);
      const offered = tools.map((tool) => tool.function.name);
      await executeCalls(chat, calls, parts, { signal, turn, offered, contextTokens: trimmer.contextTokens, onWaiting: options.onWaiting, userTask: lastWords(parts, chat) });
      if (last) return 'budget';
      if (isRefunded(calls.map((call) => call.name))) budget.refund();
      continue;
    }
    if (last) return 'budget';
    if (reply.finish === 'length') chat.addNotice('notice/length', 'The model reached its limit for one answer; the answer above is cut.', turn);
    if (reply.text.trim() === '' && reply.finish === 'stop') {
      empty += 1;
      chat.removeMessage(asked.message.id);
      if (empty <= EMPTY_REPLIES) continue;
      chat.addMessage({ role: 'notice', text: 'The model answered with nothing.', state: 'error', turn, error: { code: 'model/bad-reply', message: `${client.model} answered ${empty} times with nothing.`, hint: 'Retry, or choose another model.' } });
      return 'error';
    }
    if (await options.takeSteering()) continue;
    const answer = await hooks.answer(reply.text);
    if (answer !== reply.text) chat.changeMessage(asked.message.id, { text: answer });
    return 'done';
  }

  /** One request, made shorter as often as the server asks for it. */
  async function ask(tools: readonly ModelTool[]): Promise<Asked> {
    let blind = false;
    for (let trims = 0; ; trims += 1) {
      const system: ModelMessage = { role: 'system', content: [await systemPrompt(chat.id, parts, tools), context].filter((text) => text !== '').join('\n\n') };
      const view = await attachedView(chat.id, model, client, parts);
      const attached = blind ? { ...view, sees: false } : view;
      const messages = await withPictures([system, ...trimmer.beforeRequest(system, tools, attached)], (id) => parts.attachments?.picture(id) ?? Promise.resolve(undefined));
      await hooks.beforeRequest({ messages: messages.length, tools: tools.length });
      const askedAt = parts.clock.monotonic();
      const asked = await askModel(chat, client, { messages, tools, ...(session.model === null || options.client ? {} : { model: session.model }) }, parts, { turn, signal, onLive: options.onLive });
      await hooks.afterRequest(asked.kind === 'replied' ? asked.reply : asked.error, parts.clock.monotonic() - askedAt);
      if (asked.kind === 'replied') rememberCount(chat.id, parts.storage.values, { model, believed: client.contextTokens, contextTokens: trimmer.contextTokens, messages, tools, counted: asked.reply.usage?.promptTokens ?? 0 });
      if (asked.kind === 'no-pictures' && attached.sees && parts.vision?.refused(model, client.baseUrl, asked.error) === true) {
        blind = true;
        continue;
      }
      if (asked.kind === 'replied' || asked.kind === 'failed') return asked;
      if (asked.kind === 'too-long' && trims < MAX_TRIMS && trimmer.afterRefusal(asked.error.message, system, tools, attached)) continue;
      const error = asked.error.toShape();
      return { kind: 'failed', error: asked.error, message: chat.addMessage({ role: 'assistant', text: '', state: 'error', turn, error, model: client.model }) };
    }
  }
}

function countUsage(chat: Chat, parts: AgentParts, asked: Extract<Asked, { kind: 'replied' }>): void {
  const { usage: counted, model } = asked.reply;
  const promptTokens = counted?.promptTokens ?? 0;
  const completionTokens = counted?.completionTokens ?? 0;
  parts.storage.usage.add({ sessionId: chat.id, model, promptTokens, completionTokens, at: parts.clock.now() });
  chat.showSession();
}

function lastWords(parts: AgentParts, chat: Chat): string {
  const { messages } = parts.storage.messages.page(chat.id, { limit: 50 });
  const said = messages.findLast((message: Message) => message.role === 'user' && message.state !== 'queued');
  return said?.text ?? '';
}
