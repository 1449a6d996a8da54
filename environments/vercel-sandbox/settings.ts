/** Settings of the vercel_sandbox backend (hermes-runtime 6.8). */
import { readHostedSettings, type HostedSettings } from '../hosted.ts';
import { invalidValue, textSetting, type ReadSetting } from '../shell.ts';

/** Vercel's list prices: a virtual CPU at work and a GB, per hour. */
const PRICES = { cpu: 0.128, memoryGib: 0.0212 } as const;
/** The longest that every plan of Vercel allows. */
const USUAL_LIFETIME_S = 2_700;
const DEFAULT_RUNTIME = 'node24';
/** Vercel gives so much memory with every virtual CPU, and 50 GB of disk always. */
const MEMORY_MB_PER_CPU = 2_048;
const DISK_MB = 51_200;

export interface VercelSettings extends HostedSettings {
  readonly runtime: string;
  readonly vcpus: number;
}

/** Throws `EnvironmentError` that names the variable. */
export function readVercelSettings(read: ReadSetting): VercelSettings {
  const own: ReadSetting = (variable, path) => {
    const value = read(variable, path);
    // What is charged is the memory that comes with the CPUs.
    return variable === 'TERMINAL_CONTAINER_MEMORY' ? vcpusOf(read) * MEMORY_MB_PER_CPU : value;
  };
  const hosted = readHostedSettings(own, PRICES, USUAL_LIFETIME_S);
  if (hosted.diskMb !== 0 && hosted.diskMb !== DISK_MB) throw invalidValue('TERMINAL_CONTAINER_DISK', hosted.diskMb, `Vercel sandboxes have ${DISK_MB} MB of disk: 0 or ${DISK_MB} is wanted`);
  return { ...hosted, vcpus: vcpusOf(read), runtime: textSetting(read, 'TERMINAL_VERCEL_RUNTIME', 'terminal.vercel_runtime') ?? DEFAULT_RUNTIME };
}

function vcpusOf(read: ReadSetting): number {
  return Math.max(1, Math.ceil(Number(textSetting(read, 'TERMINAL_CONTAINER_CPU', 'terminal.container_cpu') ?? 1)) || 1);
}
