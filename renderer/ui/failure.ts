import { toErrorShape } from '../bridge.ts';

/** Cause, then the next step, in one line. */
export function failureWords(error: unknown): string {
  const { message, hint } = toErrorShape(error);
  return hint === undefined ? message : `${message.replace(/[.\s]+$/, '')}. ${hint}`;
}
