/** Two ends of a channel in one process: for tests, and for a shell that talks to its own host. */
import type { Channel, Frame, Off } from '../../preload/contract/channel.ts';

class End implements Channel {
  #peer: End | undefined;
  #closed: string | undefined;
  readonly #frameListeners = new Set<(frame: Frame) => void>();
  readonly #closeListeners = new Set<(why: string) => void>();
  /** Frames that came before anybody listened. */
  #early: Frame[] = [];

  join(peer: End): void { this.#peer = peer; }

  send(frame: Frame): void {
    if (this.#closed !== undefined) return;
    const copy = typeof frame === 'string' ? frame : frame.slice();
    const peer = this.#peer;
    queueMicrotask(() => peer?.receive(copy));
  }

  receive(frame: Frame): void {
    if (this.#closed !== undefined) return;
    if (this.#frameListeners.size === 0) this.#early.push(frame);
    for (const listener of [...this.#frameListeners]) listener(frame);
  }

  onFrame(listener: (frame: Frame) => void): Off {
    this.#frameListeners.add(listener);
    const early = this.#early;
    this.#early = [];
    for (const frame of early) listener(frame);
    return () => { this.#frameListeners.delete(listener); };
  }

  onClose(listener: (why: string) => void): Off {
    if (this.#closed !== undefined) {
      listener(this.#closed);
      return () => undefined;
    }
    this.#closeListeners.add(listener);
    return () => { this.#closeListeners.delete(listener); };
  }

  close(why = 'closed'): void {
    if (this.#closed !== undefined) return;
    this.#closed = why;
    for (const listener of [...this.#closeListeners]) listener(why);
    const peer = this.#peer;
    queueMicrotask(() => peer?.close(why));
  }
}

/** Frames arrive in order, one microtask later, as copies: what a sender does with its bytes afterwards does not reach the other side. */
export function memoryChannelPair(): [Channel, Channel] {
  const left = new End();
  const right = new End();
  left.join(right);
  right.join(left);
  return [left, right];
}
