/** Who can be asked now: windows and prompts that show approvals and questions. */
import type { Approvals, Clock } from '../ports.ts';

/** A window that reloads or reconnects is gone for a moment; a command that asks just then must not be refused for it. */
const GRACE_MS = 10_000;

export interface Surfaces extends Pick<Approvals, 'addSurface'> {
  /** Somebody can see a question now. */
  readonly present: boolean;
  close(): void;
}

export function createSurfaces(approvals: Pick<Approvals, 'addSurface'>, clock: Pick<Clock, 'after'>): Surfaces {
  let count = 0;
  const leaving = new Set<() => void>();
  return {
    get present() {
      return count > 0;
    },
    addSurface(name) {
      const off = approvals.addSurface(name);
      let here = true;
      count += 1;
      return () => {
        if (!here) return;
        here = false;
        const leave = (): void => {
          leaving.delete(leave);
          cancel();
          count -= 1;
          off();
        };
        const cancel = clock.after(GRACE_MS, leave);
        leaving.add(leave);
      };
    },
    close: () => { for (const leave of [...leaving]) leave(); },
  };
}
