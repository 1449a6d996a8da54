/** The shapes of one model request and its reply, in the words of OpenAI's chat completions but without the SDK's types. */
import type { ModelPart } from '../../tools/shared/model-service.ts';

export interface ModelTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: Readonly<Record<string, unknown>> };
}

export interface ModelCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ModelPart[] }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface ModelRequest {
  /** Absent: the connection's own model. */
  readonly model?: string;
  readonly messages: readonly ModelMessage[];
  /** Empty = the model is offered no tool. */
  readonly tools: readonly ModelTool[];
  readonly maxTokens?: number;
  readonly temperature?: number;
}

/** What arrives while a reply streams. `call` is told once, as soon as a call's name is known. */
export type ModelDelta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly position: number; readonly name: string };

/** A tool call as the model meant it: `arguments` is raw text, well-formed JSON or not. */
export interface DecidedCall { readonly modelCallId: string; readonly name: string; readonly arguments: string }

export interface ModelReply {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly DecidedCall[];
  /** `length`: cut by the token limit; its last call may be incomplete. */
  readonly finish: 'stop' | 'tool_calls' | 'length' | 'content_filter';
  /** As the server counted; undefined when it did not say. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number; /** US dollars, from a server that says so. */ readonly cost?: number } | undefined;
  readonly model: string;
}

export interface StreamHandlers {
  readonly signal: AbortSignal;
  onDelta(delta: ModelDelta): void;
  /** A try failed and another begins after `delayMs`; what was streamed by the failed one is void. */
  onRetry?(failure: { readonly code: string; readonly message: string; readonly attempt: number; readonly delayMs: number }): void;
}

/** One model to talk to: a real endpoint, or the tour's script. */
export interface ModelClient {
  readonly model: string;
  readonly contextTokens: number;
  /** Of the endpoint; absent for a script. */
  readonly baseUrl?: string;
  /** Throws `ModelError`; when `signal` aborted, a `ModelError` of code `aborted`. */
  stream(request: ModelRequest, handlers: StreamHandlers): Promise<ModelReply>;
}
