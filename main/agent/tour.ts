/**
 * The guided tour: a scripted conversation in a chat labelled as such. The words are written here; the tool calls take the
 * same way as a model's and really run: dispatcher, approval, terminal.
 */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abortedError } from '../models/errors.ts';
import type { DecidedCall, ModelClient, ModelMessage, ModelReply, StreamHandlers } from '../models/types.ts';
import type { Clock } from '../ports.ts';

export const TOUR_MODEL = 'tour script';
export const TOUR_TITLE = 'Guided tour';
export const TOUR_PROMPT = 'Show me around.';
export const TOUR_LABEL = 'This is a tour: the words are scripted, no model is asked. The tool calls are real and run on this machine, in a temporary folder.';

/** Words appear at reading speed; more would only be waited for. */
const WORD_MS = 12;

interface Step { readonly text: string; readonly call?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> } }

/** A folder of the tour's own, with something in it that may be deleted. */
export async function makeTourFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-tour-'));
  await mkdir(join(folder, 'old'));
  await writeFile(join(folder, 'old', 'notes.txt'), 'These notes are only here to be deleted.\n');
  return folder;
}

function quoted(path: string): string {
  return `'${path.replaceAll('\'', '\'\\\'\'')}'`;
}

/** What the last tool result says about the dangerous command. */
function decision(messages: readonly ModelMessage[]): 'ran' | 'refused' {
  const last = messages.findLast((message) => message.role === 'tool');
  return last !== undefined && /"status"\s*:\s*"blocked"|BLOCKED/.test(last.content) ? 'refused' : 'ran';
}

function steps(folder: string, messages: readonly ModelMessage[]): readonly Step[] {
  const answer = decision(messages) === 'ran'
    ? 'You allowed it, so it ran, and the folder is gone. Had you refused, nothing would have happened, and the model would have read your reason.'
    : 'It was refused, so nothing ran. A model reads your refusal, with your reason if you give one, and is told not to try the same another way.';
  return [
    {
      text: 'Welcome. In a chat like this a model answers you, and it works through **tools**. Each call gets a card: click it to see what went in and what came out. First a harmless command in a real terminal.',
      call: { name: 'terminal', arguments: { command: 'echo "Hello from your terminal" && uname -srm' } },
    },
    {
      text: 'The command ran in a terminal that you can open on the right, under *Terminals*. Next, a file is written into a temporary folder.',
      call: { name: 'write_file', arguments: { path: join(folder, 'hello.txt'), content: 'Written by the Talaria tour.\n' } },
    },
    {
      text: 'Now a command that **deletes** something. It stops and waits for you: the card shows exactly what would run, where, and why it was stopped. Allow it or refuse it, nothing else depends on it.',
      call: { name: 'terminal', arguments: { command: `rm -rf ${quoted(join(folder, 'old'))}` } },
    },
    {
      text: `${answer}\n\nLast, a process that keeps running in the **background**. Watch it under *Terminals*; you can type into it or stop it there.`,
      call: { name: 'terminal', arguments: { command: 'for tick in $(seq 1 30); do echo "tick $tick"; sleep 1; done', background: true } },
    },
    {
      text: 'That is the round: chat, a command, a file, an approval, a background process.\n\n- With a model, chosen under *Settings › Model*, this is done for real.\n- Without one, type `!` and a command to run it, or `/tool NAME {…}` to call any tool.\n- *Toolsets* on the right switches groups of tools on and off.',
    },
  ];
}

/** A `ModelClient` that says the next line of the script; the place in it is read from the chat, so it needs no memory. */
export function createTourClient(folder: string, clock: Pick<Clock, 'after'>): ModelClient {
  const pause = (ms: number, signal: AbortSignal): Promise<void> => new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortedError());
    const stop = (): void => { cancel(); reject(abortedError()); };
    const cancel = clock.after(ms, () => { signal.removeEventListener('abort', stop); resolve(); });
    signal.addEventListener('abort', stop, { once: true });
  });

  async function say(text: string, handlers: StreamHandlers): Promise<void> {
    for (const word of text.match(/\S+\s*/g) ?? []) {
      await pause(WORD_MS, handlers.signal);
      handlers.onDelta({ kind: 'text', text: word });
    }
  }

  return {
    model: TOUR_MODEL,
    contextTokens: 1_000_000,
    async stream({ messages }, handlers): Promise<ModelReply> {
      const said = messages.filter((message) => message.role === 'assistant').length;
      const script = steps(folder, messages);
      const step = script[Math.min(said, script.length - 1)] ?? { text: '' };
      await say(step.text, handlers);
      const calls: DecidedCall[] = step.call ? [{ modelCallId: `tour_${said}`, name: step.call.name, arguments: JSON.stringify(step.call.arguments) }] : [];
      for (const [position, call] of calls.entries()) handlers.onDelta({ kind: 'call', position, name: call.name });
      return { text: step.text, reasoning: '', calls, finish: calls.length > 0 ? 'tool_calls' : 'stop', usage: undefined, model: TOUR_MODEL };
    },
  };
}
