/** How the end of a turn is told in the chat. */
import { AppError } from '../../preload/contract/errors.ts';
import type { Message } from '../../preload/contract/sessions.ts';
import type { Terminal } from '../../preload/contract/terminal.ts';

/** Enough of a command to know it again. */
const COMMAND_CHARS = 60;

/** What a stop did not end: `terminals` are the chat's own, `queued` counts its waiting messages. */
export function stoppedText(terminals: readonly Terminal[], queued: number): string {
  const running = terminals.filter((terminal) => terminal.kind === 'background' && terminal.state === 'running');
  const background = running.length === 0 ? '' : ` Background processes go on: ${running.map((terminal) => `${terminal.id} (${terminal.command.slice(0, COMMAND_CHARS)})`).join(', ')}.`;
  const waiting = queued === 0 ? '' : ` ${queued === 1 ? 'One message waits' : `${queued} messages wait`} in the queue.`;
  return `Stopped by you.${background}${waiting}`;
}

/** For what nobody expected: told in one sentence here, whole in the log. */
export function failureShape(error: unknown): NonNullable<Message['error']> {
  if (error instanceof AppError) return error.toShape();
  return { code: 'host/internal', message: `The app failed: ${error instanceof Error ? error.message : String(error)}`, hint: 'Retry; the log has the details.' };
}
