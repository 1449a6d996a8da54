/** Who drives a page: while a person holds the wheel, the agent's tools wait. */
import type { Clock } from '../ports.ts';

/** A window that was left open must not keep the agent waiting for ever. */
const IDLE_MS = 300_000;

export interface Wheel {
  held(taskId: string): boolean;
  /** Taken again it counts anew. */
  take(taskId: string): void;
  giveBack(taskId: string): void;
  /** Resolves once nobody holds it; rejects with the signal's reason. */
  free(taskId: string, signal: AbortSignal): Promise<void>;
}

export function createWheel(clock: Clock): Wheel {
  const holders = new Map<string, { cancel: () => void; readonly waiting: Set<() => void> }>();

  function giveBack(taskId: string): void {
    const holder = holders.get(taskId);
    if (holder === undefined) return;
    holders.delete(taskId);
    holder.cancel();
    for (const go of holder.waiting) go();
  }

  return {
    giveBack,
    held: (taskId) => holders.has(taskId),
    take(taskId) {
      const holder = holders.get(taskId) ?? { cancel: () => undefined, waiting: new Set<() => void>() };
      holder.cancel();
      holder.cancel = clock.after(IDLE_MS, () => { giveBack(taskId); });
      holders.set(taskId, holder);
    },
    async free(taskId, signal) {
      for (let holder = holders.get(taskId); holder !== undefined; holder = holders.get(taskId)) {
        const { waiting } = holder;
        signal.throwIfAborted();
        await new Promise<void>((resolve, reject) => {
          const go = (): void => { signal.removeEventListener('abort', stop); resolve(); };
          const stop = (): void => { waiting.delete(go); reject(signal.reason instanceof Error ? signal.reason : new Error('stopped')); };
          waiting.add(go);
          signal.addEventListener('abort', stop, { once: true });
        });
      }
    },
  };
}
