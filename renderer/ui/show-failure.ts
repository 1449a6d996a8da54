import { failureWords } from './failure.ts';
import { toasts } from './toasts.tsx';

/** Shows why something that was asked for did not happen, where no place on the page is nearer. */
export function showFailure(error: unknown): void {
  toasts.getState().show({ text: failureWords(error), tone: 'danger' });
}
