/** Shows a running turn to a person: the model's text on stdout, everything else on stderr. */
import type { ChatEvent, ToolCall } from '../../../preload/contract/index.ts';
import { painter } from './paint.ts';
import { print, type Streams } from './streams.ts';
import { visibleLine, visibleProse } from './visible.ts';

/** Longest piece of a call's arguments in its line. */
const ARGUMENT_CHARS = 100;
const FINISHED = new Set<ToolCall['state']>(['done', 'error', 'blocked', 'cancelled', 'unknown']);

export interface TurnPrinter {
  onEvent(event: ChatEvent): void;
  /** Ends a half-written line, so that what follows stands alone. */
  freshLine(): void;
}

export function turnPrinter(streams: Streams): TurnPrinter {
  const paint = painter(streams.colour);
  const streamed = new Set<string>();
  const started = new Set<string>();
  const finished = new Set<string>();
  let midLine = false;

  const write = (text: string): void => {
    if (text === '') return;
    /** Into a file or pipe the text goes as the model wrote it; on a screen nothing in it may act. */
    streams.stdout.write(streams.interactive ? visibleProse(text) : text);
    midLine = !text.endsWith('\n');
  };
  const freshLine = (): void => {
    if (midLine) streams.stdout.write('\n');
    midLine = false;
  };
  const aside = (text: string): void => {
    freshLine();
    print(streams.stderr, text);
  };

  const showCall = (call: ToolCall): void => {
    if (call.state !== 'pending' && !started.has(call.id)) {
      started.add(call.id);
      const shown = visibleLine(call.arguments);
      aside(`${paint('cyan', `${call.emoji} ${call.name}`)} ${paint('dim', shown.length > ARGUMENT_CHARS ? `${shown.slice(0, ARGUMENT_CHARS)}…` : shown)}`);
    }
    if (!FINISHED.has(call.state) || finished.has(call.id)) return;
    finished.add(call.id);
    const took = call.startedAt !== null && call.endedAt !== null ? ` ${((call.endedAt - call.startedAt) / 1_000).toFixed(1)} s` : '';
    const exit = call.exitCode === null ? '' : `, exit code ${call.exitCode}`;
    aside(`  ${call.state === 'done' ? paint('green', '✓') : paint('red', `✗ ${call.state}`)}${paint('dim', `${took}${exit}`)}`);
  };

  return {
    freshLine,
    onEvent(event) {
      switch (event.type) {
        case 'text-delta':
          streamed.add(event.messageId);
          write(event.text);
          return;
        case 'message-added':
        case 'message-changed': {
          const { message } = event;
          if (message.state === 'streaming' || message.role === 'user') return;
          if (message.role === 'notice') {
            if (event.type === 'message-added') aside(paint('dim', visibleLine(message.text)));
            return;
          }
          if (!streamed.has(message.id)) write(message.text);
          streamed.add(message.id);
          freshLine();
          return;
        }
        case 'call-changed':
          showCall(event.call);
          return;
        default:
          return;
      }
    },
  };
}
