/** A server asks the person's model something (sampling): only where config.yaml has it on, only when a person agrees, and within limits. */
import type { ToolContext } from '../../tools/context.ts';
import type { ServerConfig } from './config.ts';

/** `sampling/createMessage` as far as it is understood here. The SDK's own types are marked as going away with the protocol of 2026-07-28. */
export interface SampleParams {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: SampleBlock | readonly SampleBlock[] }[];
  readonly systemPrompt?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens: number;
  readonly modelPreferences?: { readonly hints?: readonly { readonly name?: string | undefined }[] | undefined } | undefined;
}
interface SampleBlock { readonly type: string; readonly text?: unknown }
export interface SampleResult { role: 'assistant'; content: { type: 'text'; text: string }; model: string; stopReason: string }

export interface ModelQuestion {
  readonly system: string | undefined;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  /** Absent: the person's own choice. */
  readonly model?: string | undefined;
}

export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<{ readonly text: string; readonly model: string; readonly stopReason: 'endTurn' | 'maxTokens' }>;

const MINUTE_MS = 60_000;

export class Sampler {
  readonly #server: string;
  readonly #config: ServerConfig['sampling'];
  readonly #clock: { monotonic(): number };
  readonly #ask: AskModel;
  #askedAt: number[] = [];

  constructor(server: string, config: ServerConfig['sampling'], clock: { monotonic(): number }, ask: AskModel) {
    this.#server = server;
    this.#config = config;
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Rejects with words for the server. `signal` bounds the model's part. */
  async answer(params: SampleParams, context: ToolContext, signal: AbortSignal): Promise<SampleResult> {
    const { max_rpm: perMinute, max_tokens_cap: cap } = this.#config;
    const now = this.#clock.monotonic();
    this.#askedAt = this.#askedAt.filter((at) => now - at < MINUTE_MS);
    if (this.#askedAt.length >= perMinute) throw new Error(`At most ${String(perMinute)} questions to the model per minute are allowed here.`);
    this.#askedAt.push(now);
    const messages = params.messages.map((message) => ({ role: message.role, content: textOf(message) }));
    const outcome = await context.services.approvals.review({
      tool: `mcp:${this.#server}`, command: [params.systemPrompt, ...messages.map(({ role, content }) => `${role}: ${content}`)].filter((text) => text !== undefined).join('\n\n'),
      cwd: context.cwd, sessionId: context.sessionId, taskId: context.taskId, toolCallId: context.toolCallId, signal: context.signal,
      requirePerson: { description: `MCP server '${this.#server}' wants to ask your model this and read the answer` },
      onWaiting: (approvalId, waiting) => context.emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }),
    });
    if (!outcome.approved) throw new Error('The person did not agree to ask the model.');
    const reply = await this.#ask({
      system: params.systemPrompt, messages, maxTokens: Math.min(params.maxTokens, cap), temperature: params.temperature, model: this.#model(params),
    }, AbortSignal.any([signal, context.signal]));
    return { role: 'assistant', content: { type: 'text', text: reply.text }, model: reply.model, stopReason: reply.stopReason };
  }

  #model({ modelPreferences }: SampleParams): string | undefined {
    const { model, allowed_models: allowed } = this.#config;
    return model ?? modelPreferences?.hints?.map(({ name }) => name).find((name) => name !== undefined && allowed.includes(name));
  }
}

/** Pictures and sounds are named, not sent: the question is shown to a person as text. */
function textOf({ content }: SampleParams['messages'][number]): string {
  const blocks = 'type' in content ? [content] : content;
  return blocks.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : `[${type}]`)).join('\n');
}
