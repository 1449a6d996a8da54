/** Lets so many pieces of work run at once; the others wait their turn in order. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(width: number): Gate {
  let free = width;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => { waiting.push(resolve); });
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
