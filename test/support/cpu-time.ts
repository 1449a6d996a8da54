/** Time that this process computed, which other processes on the machine do not lengthen. */

/** Milliseconds of processor time that `run` takes. */
export function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
