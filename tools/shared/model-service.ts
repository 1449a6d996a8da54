/** Models that tools ask beside the chat. */

/** A part of what a model is asked, as OpenAI's chat completions have it. `url` is a data: URL or one the model's server may fetch. */
export type ModelPart = { readonly type: 'text'; readonly text: string } | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };
export interface ModelQuestion {
  /** Whose model answers: `auxiliary.<purpose>` of config.yaml (fields as in `model`, plus `timeout` in seconds), else the chat's own. */
  readonly purpose: string;
  /** Another model of the same endpoint. */
  readonly model?: string;
  readonly system?: string;
  readonly user: string | readonly ModelPart[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Tries and waits when the server is busy; five tries within some 15 s unless said otherwise. */
  readonly retry?: { readonly attempts: number; readonly firstDelayMs: number; readonly maxDelayMs: number };
  /** Milliseconds for all tries together; `auxiliary.<purpose>.timeout` wins. */
  readonly timeoutMs?: number;
}
export interface ModelAnswer {
  readonly text: string;
  readonly model: string;
  /** As the server counted; `cost` in US dollars where it says. */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number; readonly cost?: number };
}
/** Asks models beside the chat. */
export interface ModelService {
  /** Throws an Error whose message names cause and next step and holds no key; when `signal` aborted, its reason. */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>;
  /** The OpenAI-compatible endpoint of a purpose, for its other paths (images, speech). Throws an Error with words when there is none. */
  endpoint(purpose: string): Promise<{ readonly baseUrl: string; readonly key: string | undefined; readonly model: string }>;
}
