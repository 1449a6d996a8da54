/** Result helpers: every handler answers with text, nearly always JSON. */

/** Longest `error` text a result may carry (hermes-runtime 1.9). */
const MAX_ERROR_CHARS = 2_048;
const CUT_MARK = '… [truncated]';

/** Cuts an error text to 2,048 characters plus a mark; never splits a surrogate pair. */
export function boundError(message: string): string {
  if (message.length <= MAX_ERROR_CHARS) return message;
  const lastUnit = message.charCodeAt(MAX_ERROR_CHARS - 1);
  const splitsPair = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
  return message.slice(0, splitsPair ? MAX_ERROR_CHARS - 1 : MAX_ERROR_CHARS) + CUT_MARK;
}

/** `{"error": …}` plus the given fields, as JSON text. */
export function toolError(message: string, extra: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ error: boundError(message), ...extra });
}

/** A result as JSON text; non-ASCII stays literal. What JSON cannot say (undefined, a function) is null. */
export function toolResult(data: unknown): string {
  const text: unknown = JSON.stringify(data);
  return typeof text === 'string' ? text : 'null';
}

/** Longest exception text a model is shown, and the words in front of it (hermes-runtime 3.1). */
const MAX_TOOL_ERROR_CHARS = 2_000;
/** Nothing beyond this can reach the model once tags are gone, bar hostile nesting; it bounds the work. */
const READ_ERROR_CHARS = 16_000;
const TOOL_ERROR_PREFIX = '[TOOL_ERROR] ';
const ROLE_TAG = /<\/?(?:tool_call|function_call|result|response|output|input|system|assistant|user)(?:\s[^<>]*)?\/?>/gi;
const CODE_FENCE = /```[A-Za-z0-9_-]*/g;
const CDATA = ['<![CDATA[', ']]>'] as const;

/** In one walk, whatever the text: an opening without an end stays. */
function withoutCdata(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(CDATA[0], at);
    const end = start < 0 ? -1 : text.indexOf(CDATA[1], start);
    if (end < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + CDATA[1].length;
  }
}

/**
 * Makes the text of an exception safe to show a model: without role tags, code fences and CDATA sections that could
 * pass for structure of the conversation, at most 2,000 characters, prefixed `[TOOL_ERROR] `.
 */
export function sanitizeToolError(message: string): string {
  let text = message.slice(0, READ_ERROR_CHARS);
  // Removing a tag can join its neighbours into a new one (`<sys<user>tem>`); each round shortens the text.
  for (let before = ''; before !== text;) {
    before = text;
    text = withoutCdata(text).replace(ROLE_TAG, '').replace(CODE_FENCE, '');
  }
  if (text.length > MAX_TOOL_ERROR_CHARS) text = `${text.slice(0, MAX_TOOL_ERROR_CHARS - 3)}...`;
  return TOOL_ERROR_PREFIX + text;
}

/** Causes that are told along; deeper ones are for the log of whoever threw. */
const MOST_CAUSES = 3;
const MOST_OBJECT_CHARS = 200;

/** What stands behind an error whose own words say little (`fetch failed`): its cause, or the errors it gathers. */
function behind(error: Error): string {
  const gathered = error instanceof AggregateError ? (error.errors as readonly unknown[]).slice(0, MOST_CAUSES) : []; // cast: any by its declaration
  const causes = error.cause instanceof Error ? [error.cause, ...gathered] : gathered;
  const words = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause))).filter((text) => text !== '' && !error.message.includes(text));
  if (words.length === 0) return error.message;
  return error.message === '' ? words.join('; ') : `${error.message} (${words.join('; ')})`;
}

function describeObject(thrown: object): string {
  if ('message' in thrown && typeof thrown.message === 'string' && thrown.message !== '') return thrown.message;
  const text: unknown = JSON.stringify(thrown);
  return typeof text === 'string' ? text.slice(0, MOST_OBJECT_CHARS) : '(no description)';
}

/** `<Type>: <message>` of anything that can be thrown, with the message of its cause. Never throws itself. */
export function describeThrown(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return `${thrown.name}: ${behind(thrown)}`;
    return `${typeof thrown}: ${typeof thrown === 'object' && thrown !== null ? describeObject(thrown) : String(thrown)}`;
  } catch {
    // A getter can fail, and so can String() of an object: its kind is all there is to tell.
    return `${typeof thrown}: (no description)`;
  }
}

/** A JSON result whose `error` is longer than 2,048 characters, with that error cut; any other text unchanged. */
export function boundResultError(result: string): string {
  if (result.length <= MAX_ERROR_CHARS || !result.trimStart().startsWith('{') || !result.includes('"error"')) return result;
  let parsed: unknown;
  try {
    parsed = JSON.parse(result);
  } catch {
    // Text that merely looks like JSON is a result like any other.
    return result;
  }
  if (typeof parsed !== 'object' || parsed === null || !('error' in parsed) || typeof parsed.error !== 'string') return result;
  if (parsed.error.length <= MAX_ERROR_CHARS) return result;
  return JSON.stringify({ ...parsed, error: boundError(parsed.error) });
}
