/** What a messenger must be able to do. One file per messenger in `platforms/`; each loads its SDK only when it is used. */
import type { PlatformName } from '../../preload/contract/gateway.ts';

export interface Target { readonly chat: string; readonly thread: string }
export interface Sender { readonly id: string; readonly name: string }

/** One message of a person. `messageId` tells it from all others of the messenger, however often it is delivered. */
export interface Incoming extends Target {
  readonly messageId: string;
  readonly sender: Sender;
  /** Only this person and the agent are there. */
  readonly direct: boolean;
  readonly title: string;
  readonly text: string;
  /** Absolute paths of what came with it. */
  readonly files: readonly string[];
}

export interface Pressed extends Target {
  readonly sender: Sender;
  readonly data: string;
}

export interface Button { readonly label: string; readonly data: string }
/** `key` tells the message from all others: where the messenger takes one, the same message sent twice is there once. */
export interface SendOptions { readonly buttons?: readonly Button[] | undefined; readonly key?: string | undefined }
/** A message that may or may not have arrived: a try that began at `since` (own clock, ms) had no end that anybody knows of. */
export interface Doubtful { readonly key: string; readonly text: string; readonly since: number }
export interface OutgoingFile { readonly path: string; /** Send it as it is: no preview, no compression. */ readonly asDocument: boolean }

export interface PlatformEvents {
  /** Resolves when the message is safe on disk: only then may the messenger be told that it arrived. */
  message(message: Incoming): Promise<void>;
  /** Nothing that somebody unknown sends is fetched. */
  isKnown(sender: string): Promise<boolean>;
  /** Ids of all who may speak. */
  people(): Promise<readonly string[]>;
  /** Words for whoever pressed. */
  pressed(press: Pressed): Promise<string>;
  /** `retrying` with the reason, `connected` when it works again, `failed` for what only a person can mend. */
  status(status: 'connected' | 'retrying' | 'failed', detail?: string): void;
}

export interface Platform {
  readonly name: PlatformName;
  /** Characters (UTF-16 units) in one message. */
  readonly limit: number;
  /** Who may talk is told by a signature, not by a list of people; what comes is data, and never a command. */
  readonly machine?: true;
  /** Resolves when listening has begun; later trouble is told by `events.status`. Throws a PlatformError for what only a person can mend. */
  start(events: PlatformEvents): Promise<void>;
  stop(): Promise<void>;
  /** The messenger's id of the message. Throws PlatformError. */
  sendText(to: Target, text: string, options?: SendOptions): Promise<string>;
  sendFile(to: Target, file: OutgoingFile, options?: Pick<SendOptions, 'key'>): Promise<string>;
  /** Whoever receives it knows the same message by its key: it may be sent again. */
  readonly keyed?: true;
  /** Looks in the conversation whether that text arrived. Undefined = it cannot be told. Throws PlatformError when it should be asked again. */
  hasArrived?(to: Target, message: Doubtful): Promise<boolean | undefined>;
  /** Takes the buttons away and says what became of the question. */
  settle?(to: Target, messageId: string, text: string): Promise<void>;
  typing?(to: Target): Promise<void>;
}

/** `retryMs`: worth another try after so long; undefined = only a person can mend it. `unsure`: what was to be sent may have arrived all the same. */
export class PlatformError extends Error {
  readonly retryMs: number | undefined;
  readonly unsure: boolean;
  constructor(message: string, retryMs?: number, options: ErrorOptions & { readonly unsure?: boolean } = {}) {
    super(message, options);
    this.name = 'PlatformError';
    this.retryMs = retryMs;
    this.unsure = options.unsure ?? false;
  }
}

/** Codes of Node and undici for connections that were never made. */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']);

/** Whether what an SDK threw means that nothing can have been sent. Looks through the wraps of the SDKs (`cause`, `error`, `original`, `errors`). */
export function neverConnected(thrown: unknown, depth = 0): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > 5) return false;
  const { code, syscall, cause, error, original, errors } = thrown as Readonly<Record<string, unknown>>; // cast: fields are looked at, whatever they are
  if (NEVER_CONNECTED.has(code) || syscall === 'connect') return true;
  const inner: readonly unknown[] = [cause, error, original, ...(Array.isArray(errors) ? errors as readonly unknown[] : [])]; // cast: Array.isArray gives any[]
  return inner.some((each) => neverConnected(each, depth + 1));
}

export interface PlatformParts {
  readonly settings: { value(key: string, variable?: string): string | undefined };
  readonly env: (name: string) => string | undefined;
  readonly log: { warn(message: string, details?: Readonly<Record<string, unknown>>): void };
  /** Folder for files that people send. */
  readonly inbox: string;
  readonly now: () => number;
  readonly values: { get(key: string): string | undefined; set(key: string, value: string | undefined): void };
}

export function needed(parts: Pick<PlatformParts, 'env'>, name: string): string {
  const value = parts.env(name)?.trim() ?? '';
  if (value === '') throw new PlatformError(`${name} is missing. Put ${name}=… into the .env of the home.`);
  return value;
}

/** Waits, or rejects when `signal` aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => { signal.removeEventListener('abort', end); resolve(); }, ms);
    const end = (): void => { clearTimeout(timer); reject(signal.reason instanceof Error ? signal.reason : new Error('stopped')); };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
