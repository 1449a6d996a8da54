/** Asks one approval on the terminal. What was typed before the question cannot answer it. */
import { StringDecoder } from 'node:string_decoder';
import type { ApprovalChoice, ApprovalRequest } from '../../../preload/contract/index.ts';
import { approvalCard } from './approval-card.ts';
import { painter } from './paint.ts';
import type { Streams } from './streams.ts';
import { visibleLine } from './visible.ts';

/** Keys do nothing for this long after the question is shown, in ms (anchors B1: a key meant for something else must not decide). */
export const ARMING_MS = 400;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ENTER = /^[\r\n]$/;
const BACKSPACE = /^[\u007f\b]$/;

export type PromptAnswer =
  | { readonly kind: 'decided'; readonly choice: ApprovalChoice; readonly reason?: string }
  /** Ctrl-C: deny and stop everything. */
  | { readonly kind: 'interrupted' }
  /** It was settled elsewhere, or its time ran out, while the question stood here. */
  | { readonly kind: 'withdrawn' };

const KEYS = new Map<string, ApprovalChoice | 'reason'>([['o', 'once'], ['s', 'session'], ['a', 'always'], ['d', 'deny'], ['n', 'deny'], ['r', 'reason']]);

/**
 * Shows the card and waits for one key: o(nce), s(ession), a(lways), d(eny), r = deny and say why. Pasted text counts as nothing.
 * `withdrawn` aborts the question. Needs `streams.interactive`; the raw mode of the terminal is put back afterwards.
 */
export async function askApproval(request: ApprovalRequest, streams: Streams, withdrawn: AbortSignal): Promise<PromptAnswer> {
  const { stderr, clock } = streams;
  const paint = painter(streams.colour);
  const allowed = new Map([...KEYS].filter(([, choice]) => (choice !== 'session' || request.allowSession) && (choice !== 'always' || request.allowAlways)));
  stderr.write(approvalCard(request, paint));
  if (request.allowAlways && request.alwaysEntries.length > 0) stderr.write(`  ${paint('dim', `“always” adds to your allowlist: ${request.alwaysEntries.map((entry) => JSON.stringify(entry)).join(', ')}`)}\n`);
  stderr.write(`  ${question(allowed, paint)} `);

  const choice = await new Promise<ApprovalChoice | 'reason' | 'interrupted' | 'withdrawn'>((resolve) => {
    let armed = false;
    const disarm = clock.after(ARMING_MS, () => { armed = true; });
    const end = (answer: ApprovalChoice | 'reason' | 'interrupted' | 'withdrawn'): void => {
      disarm();
      offKeys();
      withdrawn.removeEventListener('abort', onWithdrawn);
      resolve(answer);
    };
    const onWithdrawn = (): void => end('withdrawn');
    /** Several characters at once are a paste or type-ahead, never a decision; a Ctrl-C among them still counts. */
    const offKeys = readChunks(streams, (chunk) => {
      if (chunk.includes(CTRL_C)) end('interrupted');
      else if (armed && chunk === CTRL_D) end('deny');
      else {
        const picked = armed ? allowed.get(chunk.toLowerCase()) : undefined;
        if (picked !== undefined) end(picked);
      }
    });
    withdrawn.addEventListener('abort', onWithdrawn);
    if (withdrawn.aborted) onWithdrawn();
  });

  if (choice === 'interrupted' || choice === 'withdrawn') {
    stderr.write(choice === 'withdrawn' ? 'no longer open\n' : '^C\n');
    return { kind: choice };
  }
  if (choice !== 'reason') {
    stderr.write(`${choice}\n`);
    return { kind: 'decided', choice };
  }
  stderr.write('deny\n  Why (Enter to send): ');
  const reason = await readText(streams, withdrawn);
  stderr.write('\n');
  if (reason === 'interrupted' || reason === 'withdrawn') return { kind: reason };
  return reason.text === '' ? { kind: 'decided', choice: 'deny' } : { kind: 'decided', choice: 'deny', reason: reason.text };
}

function question(allowed: ReadonlyMap<string, ApprovalChoice | 'reason'>, paint: ReturnType<typeof painter>): string {
  const words = { once: '[o]nce', session: '[s] this chat', always: '[a]lways', deny: '[d]eny', reason: '[r] deny and say why' };
  return paint('bold', `${[...new Set(allowed.values())].map((choice) => words[choice]).join('  ')} ?`);
}

/** Raw input until the returned function is called. What waits already was typed before and is thrown away. */
function readChunks(streams: Streams, onChunk: (chunk: string) => void): () => void {
  const { stdin } = streams;
  stdin.setRawMode?.(true);
  for (let waiting: unknown = stdin.read(); waiting !== null; waiting = stdin.read());
  const decoder = new StringDecoder('utf8');
  const onData = (data: Buffer | string): void => { onChunk(typeof data === 'string' ? data : decoder.write(data)); };
  stdin.on('data', onData);
  stdin.resume();
  return () => {
    stdin.off('data', onData);
    stdin.pause();
    stdin.setRawMode?.(false);
  };
}

/** One line, shown as it is typed or (`hidden`) not at all; blanks around a shown one are dropped. What was typed ahead does not count. */
export function readText(streams: Streams, withdrawn: AbortSignal, echo: 'shown' | 'hidden' = 'shown'): Promise<{ text: string } | 'interrupted' | 'withdrawn'> {
  return new Promise((resolve) => {
    let text = '';
    const end = (answer: { text: string } | 'interrupted' | 'withdrawn'): void => {
      offKeys();
      withdrawn.removeEventListener('abort', onWithdrawn);
      resolve(answer);
    };
    const onWithdrawn = (): void => end('withdrawn');
    const offKeys = readChunks(streams, (chunk) => {
      for (const key of chunk) {
        if (key === CTRL_C) return end('interrupted');
        if (ENTER.test(key)) return end({ text: echo === 'shown' ? text.trim() : text });
        if (BACKSPACE.test(key)) {
          if (text !== '' && echo === 'shown') streams.stderr.write('\b \b');
          text = [...text].slice(0, -1).join('');
        } else if (key >= ' ') {
          text += key;
          if (echo === 'shown') streams.stderr.write(visibleLine(key));
        }
      }
    });
    withdrawn.addEventListener('abort', onWithdrawn);
    if (withdrawn.aborted) onWithdrawn();
  });
}
