/** Words of what was thrown, for a model. */

/** Shorter ones are parts of ordinary words: hiding them would spoil the text and hide nothing. */
const MIN_KEY_CHARS = 8;

/** The message, and the next step where the error names one. */
export function failureWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const hint = typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string' ? error.hint : '';
  return hint === '' ? message : `${message.replace(/[.\s]+$/, '')}. ${hint}`;
}

/** A service may repeat the key it was given. */
export function withoutKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < MIN_KEY_CHARS ? text : text.replaceAll(key, '[key]');
}
