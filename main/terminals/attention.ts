/** Notices when a program on a pseudo-terminal wants a person: a secret, a line of input, or the whole screen. */
import type { InputState } from '../../environments/base.ts';
import type { Clock } from '../ports.ts';
import type { LiveTerminal } from './live-terminal.ts';

/** Output must have been silent for this long before the terminal is asked what its program does. */
const QUIET_MS = 200;
/** A line editor or menu counts as waiting only after a longer silence: drawing programs pause between frames. */
const RAW_QUIET_MS = 2_000;
/** Later looks, while nothing happens: an eighth of the silence so far apart, within these bounds. */
const AGAIN_MS = 1_000;
const SELDOM_MS = 5_000;
/** A pager that shows one page and leaves at once is not an interactive program. */
const FULL_SCREEN_MS = 250;

export type Attention = 'secret' | 'line' | 'raw' | 'full-screen';

/**
 * Watches until `stop`. `secretInput` of the terminal is kept right throughout; `onAttention` is told each time a state was seen twice in
 * a row (a program may look at its terminal and go on).
 */
export function watchAttention(live: LiveTerminal, clock: Clock, onAttention: (attention: Attention) => void): () => void {
  const ask = live.process.inputState?.bind(live.process);
  let stopped = live.process.mode !== 'pty';
  let cancel: (() => void) | undefined;
  let cancelFullScreen: (() => void) | undefined;
  let before: InputState = 'busy';

  const look = async () => {
    const quietFor = clock.monotonic() - live.lastOutputAt;
    if (quietFor < QUIET_MS) {
      plan(QUIET_MS - quietFor);
      return;
    }
    const state = (await ask?.()) ?? 'busy';
    if (stopped || !live.running) return;
    const quietStill = clock.monotonic() - live.lastOutputAt;
    live.setSecret(state === 'secret');
    const settled = quietStill >= QUIET_MS && (state === 'secret' || state === before);
    before = state;
    const told = settled && (state !== 'raw' || quietStill >= RAW_QUIET_MS);
    if (told && state !== 'busy') onAttention(state);
    plan(told ? Math.min(Math.max(quietStill / 8, AGAIN_MS), SELDOM_MS) : QUIET_MS);
  };
  const plan = (ms: number) => {
    cancel?.();
    if (!stopped) cancel = clock.after(ms, () => void look());
  };

  const offOutput = live.onOutput(() => {
    before = 'busy';
    plan(QUIET_MS);
  });
  const offAlternate = live.onAlternate((alternate) => {
    cancelFullScreen?.();
    if (alternate) cancelFullScreen = clock.after(FULL_SCREEN_MS, () => { if (!stopped && live.running) onAttention('full-screen'); });
  });
  plan(QUIET_MS);
  const stop = () => {
    stopped = true;
    cancel?.();
    cancelFullScreen?.();
    offOutput();
    offAlternate();
  };
  void live.done.then(stop);
  return stop;
}
