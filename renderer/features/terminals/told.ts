import { failureWords } from '../../ui/failure.ts';
import { toasts } from '../../ui/toasts.tsx';

/** Words in a toast when a deed is refused. */
export function told(deed: Promise<unknown>, what: string): void {
  deed.catch((error: unknown) => { toasts.getState().show({ text: `${what}: ${failureWords(error)}`, tone: 'danger' }); });
}
