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

/** A result as JSON text; non-ASCII stays literal. */
export function toolResult(data: unknown): string {
  return JSON.stringify(data);
}
