/** What sub-agents do right now, as lines for the card of the call that sent them. */
import type { CallId, SessionId } from '../../preload/contract/ids.ts';
import type { EventBus } from '../ports.ts';

/** A card shows about this many lines. */
const MAX_LINES = 16;
const LINE_CHARS = 160;

export interface Progress {
  /** A line of the sub-agent's own. `label` names it. */
  say(label: string, text: string): void;
  /** Follows what a sub-agent's chat shows; returns the way to stop. */
  follow(sessionId: SessionId, label: string): () => void;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LINE_CHARS);

/** `onProgress` gets all the lines that are worth showing, joined, after each change. */
export function createProgress(events: Pick<EventBus, 'subscribe'>, onProgress: (tail: string) => void): Progress {
  const lines: string[] = [];

  function say(label: string, text: string): void {
    lines.push(`[${label}] ${oneLine(text)}`);
    lines.splice(0, lines.length - MAX_LINES);
    onProgress(lines.join('\n'));
  }

  return {
    say,
    follow(sessionId, label) {
      const states = new Map<CallId, string>();
      return events.subscribe('chat', (event) => {
        if (event.sessionId !== sessionId) return;
        if (event.type === 'message-changed' && event.message.role === 'assistant' && event.message.state === 'complete' && event.message.text.trim() !== '') {
          say(label, event.message.text);
        }
        if (event.type !== 'call-changed') return;
        const { id, name, state, arguments: given } = event.call;
        if (states.get(id) === state) return;
        states.set(id, state);
        if (state === 'running') say(label, `${name} ${given}`);
        else if (state === 'waiting') say(label, `${name} waits for your decision`);
        else if (state !== 'pending' && state !== 'done') say(label, `${name}: ${state}`);
      });
    },
  };
}
