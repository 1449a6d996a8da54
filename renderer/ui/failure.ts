import type { ErrorCode } from '../../preload/contract/errors.ts';

export interface Failure { readonly code: ErrorCode | undefined; readonly message: string; readonly hint: string | undefined }

/** What a rejected request says. Requests reject with the contract's error; anything else is told by its own message. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code as ErrorCode : undefined; // the bridge makes codes from the closed list only
    const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
    return { code, message: error.message, hint };
  }
  return { code: undefined, message: String(error), hint: undefined };
}

/** Cause, then the next step, in one line. */
export function failureWords(error: unknown): string {
  const failure = failureOf(error);
  return failure.hint === undefined ? failure.message : `${failure.message}. ${failure.hint}`;
}
