/** Types passwords, passphrases and a yes to new servers on the terminal while a command of ours runs. Nothing typed is shown or kept. */
import type { CredentialRequest } from '../../../preload/contract/index.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import { readText } from './approval-prompt.ts';
import { CALLER } from './command.ts';
import type { CliHost } from './host-port.ts';
import { print, type Streams } from './streams.ts';
import { visibleLine, visibleProse } from './visible.ts';

const PROMPTS = {
  confirm: '  Type yes to go on: ', secret: '  (not shown, not kept, not sent to the model; Enter alone = not given) > ', text: '  > ',
} as const satisfies Record<CredentialRequest['kind'], string>;

export interface CredentialDeskOptions {
  readonly host: CliHost;
  readonly streams: Streams;
  readonly onInterrupt: () => void;
  readonly beforeQuestion?: () => void;
}

/** One question after the other; without a terminal each is answered "not given" at once. Returns the function that stops it. */
export function openCredentialDesk({ host, streams, onInterrupt, beforeQuestion }: CredentialDeskOptions): () => void {
  const open = new Map<string, AbortController>();
  let queue = Promise.resolve();

  const settle = async (request: CredentialRequest, withdrawn: AbortSignal): Promise<void> => {
    if (withdrawn.aborted) return;
    let value: string | null = null;
    if (streams.interactive) {
      beforeQuestion?.();
      const typed = await ask(request, streams, withdrawn);
      if (typed === 'withdrawn') return;
      if (typed === 'interrupted') onInterrupt();
      else value = typed.text;
    }
    try {
      await host.handle('credentials.answer', { id: request.id, value }, CALLER);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not-found') throw error; // answered elsewhere, or too late: the words on the screen say so
      print(streams.stderr, `  ${error.message}`);
    }
  };

  const off = host.events.subscribe('credentials', (event) => {
    if (event.type === 'settled') {
      open.get(event.id)?.abort();
      open.delete(event.id);
      return;
    }
    const withdrawn = new AbortController();
    open.set(event.request.id, withdrawn);
    queue = queue.then(() => settle(event.request, withdrawn.signal)).catch((error: unknown) => {
      host.log.error('what was asked for could not be answered', { request: event.request.id, error });
    });
  });
  return () => {
    off();
    for (const withdrawn of open.values()) withdrawn.abort();
  };
}

async function ask(request: CredentialRequest, streams: Streams, withdrawn: AbortSignal): Promise<{ text: string | null } | 'interrupted' | 'withdrawn'> {
  const { stderr } = streams;
  print(stderr, `\n? ${visibleLine(request.title)}`);
  if (request.problem !== null) print(stderr, `  ${visibleLine(request.problem)}`);
  if (request.detail !== '') print(stderr, visibleProse(request.detail).replace(/^/gm, '  '));
  if (request.fingerprint !== null) print(stderr, `  ${visibleLine(request.fingerprint)}`);
  stderr.write(PROMPTS[request.kind]);
  const typed = await readText(streams, withdrawn, request.kind === 'secret' ? 'hidden' : 'shown');
  stderr.write('\n');
  if (typed === 'interrupted' || typed === 'withdrawn') return typed;
  if (request.kind === 'confirm') return { text: /^y(es)?$/i.test(typed.text) ? 'yes' : null };
  return { text: typed.text === '' ? null : typed.text };
}
