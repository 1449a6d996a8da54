/** What a screen reader is told unasked. The two regions exist from the start: text put into a new region is not read. */
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

interface Announcements {
  readonly polite: string;
  readonly assertive: string;
}

const announcements = createStore<Announcements>()(() => ({ polite: '', assertive: '' }));

/** The same text twice in a row must still be a change, or it is read once only. */
const TELL_APART = '\u00a0';

/** `assertive` interrupts: only for what waits for the person. */
export function announce(text: string, urgency: keyof Announcements = 'polite'): void {
  announcements.setState((state) => ({ [urgency]: state[urgency] === text ? text + TELL_APART : text }));
}

export function Announcer() {
  const polite = useStore(announcements, (state) => state.polite);
  const assertive = useStore(announcements, (state) => state.assertive);
  return (
    <div className="sr-only">
      <div role="log" aria-live="polite" aria-label="Finished messages">{polite}</div>
      <div role="alert" aria-live="assertive">{assertive}</div>
    </div>
  );
}
