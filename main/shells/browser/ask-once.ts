/** Ctrl-C in the terminal that serves the app, while something runs that ends with it. */
import type { Terminal } from '../../../preload/contract/terminal.ts';
import type { Clock } from '../../ports.ts';
import { plainText } from '../../../tools/shared/plain-text.ts';

/** Within this long a second Ctrl-C means it. */
const SURE_WITHIN_MS = 5_000;

/** The first Ctrl-C only names what would end; with nothing that runs, and the second time, it ends. An own shell counts for nothing: it is where a person is. */
export function askOnce(terminals: () => readonly Terminal[], stderr: Pick<NodeJS.WritableStream, 'write'>, clock: Pick<Clock, 'monotonic'>): () => boolean {
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const running = terminals().filter(({ state, kind }) => state === 'running' && kind !== 'user');
    const now = clock.monotonic();
    if (running.length === 0 || now - askedAt < SURE_WITHIN_MS) return false;
    askedAt = now;
    stderr.write(`Still running: ${running.map(({ title }) => plainText(title)).join(', ')}. Ctrl-C again within ${SURE_WITHIN_MS / 1_000} seconds stops it and ends Talaria.\n`);
    return true;
  };
}
