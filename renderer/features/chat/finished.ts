/** Tells a screen reader about messages that became whole, never about single words. */
import type { MessageState } from '../../../preload/contract/index.ts';
import type { ChatFeature } from './store.ts';

/** What is read aloud of a long message; the rest is in the transcript. */
const MAX_SPOKEN_CHARS = 600;

/** Calls `say` once per reply that ended while it was on screen. Returns how to stop. */
export function onFinishedMessage(store: ChatFeature['store'], say: (text: string) => void): () => void {
  return store.subscribe((state, before) => {
    const { chat } = state;
    if (chat === undefined || before.chat?.sessionId !== chat.sessionId || before.chat.messages === chat.messages) return;
    for (const id of chat.order.slice(-3)) {
      const message = chat.messages.get(id);
      const was: MessageState | undefined = before.chat.messages.get(id)?.state;
      if (message?.role !== 'assistant' || was !== 'streaming' || message.state === 'streaming') continue;
      const text = message.error === null ? message.text : message.error.message;
      if (text !== '') say(text.length > MAX_SPOKEN_CHARS ? `${text.slice(0, MAX_SPOKEN_CHARS)}…` : text);
    }
  });
}
