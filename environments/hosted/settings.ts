/** Settings that the hosted backends share: size, persistence, how long a sandbox may live and what it may cost. */
import { EnvironmentError } from '../base.ts';
import { containerSettings, numberSetting, type ContainerSettings, type ReadSetting } from '../shell.ts';

/** hermes-runtime 6.6. */
const DEFAULT_LIFETIME_S = 3_600;
/** A sandbox that lives shorter would end under the first command; Vercel takes no less (hermes-runtime 6.8). */
const MIN_LIFETIME_S = 300;
const MAX_LIFETIME_S = 86_400;
const SECONDS_PER_HOUR = 3_600;
const MB_PER_GIB = 1_024;

/** List prices in US dollars per hour, for estimates; `terminal.sandbox_hourly_cost` says better. */
export interface Prices {
  readonly cpu: number;
  readonly memoryGib: number;
  readonly diskGib?: number;
}

export interface HostedSettings extends ContainerSettings {
  /** The vendor ends the sandbox after this long, whatever happens here. Whole seconds. */
  readonly lifetimeS: number;
  /** Estimate, in US dollars. */
  readonly usdPerHour: number;
}

/**
 * `usual`: how long a sandbox lives when nothing is set, in seconds. A limit of cost shortens the life, since that holds even when this
 * machine is off. Throws `EnvironmentError` that names the variable.
 */
export function readHostedSettings(read: ReadSetting, prices: Prices, usual = DEFAULT_LIFETIME_S): HostedSettings {
  const container = containerSettings(read);
  const listed = container.cpus * prices.cpu + container.memoryMb / MB_PER_GIB * prices.memoryGib + container.diskMb / MB_PER_GIB * (prices.diskGib ?? 0);
  const usdPerHour = numberSetting(read, 'TERMINAL_SANDBOX_HOURLY_COST', 'terminal.sandbox_hourly_cost', listed, { min: 0 });
  const wanted = numberSetting(read, 'TERMINAL_SANDBOX_LIFETIME_SECONDS', 'terminal.sandbox_lifetime_seconds', usual, { min: MIN_LIFETIME_S, max: MAX_LIFETIME_S });
  const limit = numberSetting(read, 'TERMINAL_SANDBOX_MAX_COST', 'terminal.sandbox_max_cost', Infinity, { min: 0 });
  const affordable = usdPerHour === 0 ? Infinity : limit / usdPerHour * SECONDS_PER_HOUR;
  if (affordable < MIN_LIFETIME_S) {
    throw new EnvironmentError('failed', `TERMINAL_SANDBOX_MAX_COST of $${limit} pays for ${Math.floor(affordable)} s of a sandbox at about $${usdPerHour.toFixed(3)} an hour; it needs at least ${MIN_LIFETIME_S} s`, {
      hint: 'Raise terminal.sandbox_max_cost, or choose a smaller sandbox (terminal.container_cpu, terminal.container_memory).',
    });
  }
  return { ...container, usdPerHour, lifetimeS: Math.floor(Math.min(wanted, affordable)) };
}
