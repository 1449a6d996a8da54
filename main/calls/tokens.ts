/** What a schema costs in the model's window: an estimate from the exact JSON that is sent, without a tokenizer. */

/** See `test/bench/calls.ts` for how far it is off; JSON of schemas runs denser than prose because keys and punctuation share tokens. */
const CHARS_PER_TOKEN = 4.5;
/** Letters of other scripts take more. */
const OTHER_CHARS_PER_TOKEN = 1.5;

/** Estimated tokens of JSON text. */
export function jsonTokens(text: string): number {
  let other = 0;
  for (let unit = 0; unit < text.length; unit += 1) if (text.charCodeAt(unit) > 0x7f) other += 1;
  return Math.ceil((text.length - other) / CHARS_PER_TOKEN + other / OTHER_CHARS_PER_TOKEN);
}
