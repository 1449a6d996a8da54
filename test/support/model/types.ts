/** What a test says to the scripted model server: replies in order, or a function of the request. Everything but functions is plain JSON. */

export interface ScriptedCall {
  /** Absent: `call_<n>` is given. */
  readonly id?: string;
  readonly name: string;
  /** An object is sent as JSON; a string is sent as it stands, well-formed or not. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** One step of a hand-written stream, for what the high-level fields of a reply cannot say. */
export type StreamStep =
  | { readonly text: string }
  | { readonly reasoning: string }
  /** One fragment of a tool call, exactly as given. */
  | { readonly call: { readonly index: number; readonly id?: string; readonly name?: string; readonly arguments?: string } }
  | { readonly finish: string }
  /** Bytes on the wire as they stand (broken JSON, comments, error events). */
  | { readonly raw: string }
  /** Wait until the test opens the gate of that name. */
  | { readonly gate: string }
  /** The connection is cut here. */
  | { readonly cut: true }
  /** The stream ends here in good order but without `finish_reason`. */
  | { readonly end: true };

export interface StreamReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Replaces text, reasoning and calls. */
  readonly steps?: readonly StreamStep[];
  /**
   * How fragments are cut. `whole`: one fragment per text or call. `words`: text at spaces, arguments every 8 units.
   * `units`: after every UTF-16 unit, so surrogate pairs, escapes and JSON tokens are torn apart. Default `words`.
   */
  readonly split?: 'whole' | 'words' | 'units';
  /** Fragments of parallel calls alternate (last call first) instead of coming one call after the other. */
  readonly mixed?: boolean;
  /** Network writes are cut after this many bytes, through the middle of characters and lines. */
  readonly writeBytes?: number;
  /** Wait for this gate before the first byte of the body. */
  readonly gate?: string;
  readonly usage?: { readonly prompt: number; readonly completion: number; /** US dollars, as OpenRouter tells them. */ readonly cost?: number };
  readonly finish?: string;
}

export interface ErrorReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  readonly gate?: string;
}

/** The connection is closed before any byte of an answer. */
export interface HangUp { readonly hangUp: true; readonly gate?: string }

export type Reply = StreamReply | ErrorReply | HangUp;

export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean;
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown } }[];
  readonly [other: string]: unknown;
}

export interface RecordedRequest {
  /** 0 for the first chat completion. */
  readonly index: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ChatBody;
  /** True once the client hung up before the reply was complete. */
  aborted: boolean;
}

/** Replies in order (the last one repeats), or one made from the request. */
export type Script = readonly Reply[] | ((request: RecordedRequest) => Reply | Promise<Reply>);

export interface ModelServerOptions {
  /** Absent: the built-in one, which reads files and runs a command when asked to. */
  readonly script?: Script;
  readonly port?: number;
  readonly models?: readonly string[];
  /** Requests without this bearer key get 401. */
  readonly key?: string;
  /** Chat requests for a model that is not in `models` get 404. */
  readonly strictModels?: boolean;
  /** Requests with tools get the 400 of a model without tool calling. */
  readonly withoutTools?: boolean;
  /** `stream: true` gets 400, or is ignored and answered as one JSON body. */
  readonly withoutStreaming?: 'refused' | 'ignored';
  /** Which server's own endpoints answer besides `/v1`. */
  readonly flavour?: 'openai' | 'ollama' | 'lm-studio' | 'llama.cpp' | 'vllm';
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  readonly port: number;
  /** Chat completions in the order they came. */
  readonly requests: readonly RecordedRequest[];
  /** `METHOD /path` of everything else. */
  readonly visits: readonly string[];
  /** Replace the script from the next request on. */
  use(script: Script): void;
  /** Resolves when a reply waits at this gate (at once when one already does). */
  reached(gate: string): Promise<void>;
  /** Lets every reply waiting there, and every later one, pass. */
  open(gate: string): void;
  /** Resolves when this many chat completions have come. */
  seen(count: number): Promise<void>;
  close(): Promise<void>;
}
