/** Settings of backends: a variable wins over config.yaml, and a malformed value is an error that names it (hermes-runtime 5.2). */
import { EnvironmentError } from '../base.ts';

/** Raw value of a setting: text from a variable, any YAML value from config.yaml, or undefined. */
export type ReadSetting = (variable: string, path: string) => unknown;

export function invalidValue(variable: string, value: unknown, wanted: string): EnvironmentError {
  return new EnvironmentError('failed', `Invalid value for ${variable}: ${JSON.stringify(value)} (${wanted})`, { hint: `Correct ${variable}, or the setting of the same name under terminal in config.yaml.` });
}

/** Undefined when it is not set or empty. `${…}` of config.yaml was expanded by the reader. */
export function textSetting(read: ReadSetting, variable: string, path: string): string | undefined {
  const value = read(variable, path);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' || typeof value === 'number') return String(value).trim();
  throw invalidValue(variable, value, 'text is wanted');
}

export function numberSetting(read: ReadSetting, variable: string, path: string, otherwise: number, limits: { readonly min: number; readonly max?: number }): number {
  const text = textSetting(read, variable, path);
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!Number.isFinite(number) || number < limits.min || number > (limits.max ?? Infinity)) throw invalidValue(variable, text, limits.max === undefined ? `a number from ${limits.min} is wanted` : `a number from ${limits.min} to ${limits.max} is wanted`);
  return number;
}

export function truthSetting(read: ReadSetting, variable: string, path: string, otherwise: boolean): boolean {
  const value = read(variable, path);
  if (value === undefined || value === null || value === '') return otherwise;
  if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'number') throw invalidValue(variable, value, 'true or false is wanted');
  const text = String(value).trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  throw invalidValue(variable, value, 'true or false is wanted');
}

/** JSON text of a variable, or the value config.yaml has. `check` says whether the shape is right. */
export function jsonSetting<T>(read: ReadSetting, variable: string, path: string, otherwise: T, wanted: string, check: (value: unknown) => value is T): T {
  const value = read(variable, path);
  if (value === undefined || value === null || value === '') return otherwise;
  let parsed: unknown = value;
  if (typeof value === 'string') {
    try {
      parsed = JSON.parse(value);
    } catch {
      throw invalidValue(variable, value, wanted);
    }
  }
  if (!check(parsed)) throw invalidValue(variable, value, wanted);
  return parsed;
}

/** hermes-runtime 5.2. */
export const DEFAULT_IMAGE = 'nikolaik/python-nodejs:python3.11-nodejs20';
const DEFAULT_CPUS = 1;
const DEFAULT_MEMORY_MB = 5_120;
const DEFAULT_DISK_MB = 51_200;

/** What all backends with a place of their own share (`TERMINAL_CONTAINER_*`). 0 = no limit. */
export interface ContainerSettings {
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  /** What is written there is kept for the next time. */
  readonly persistent: boolean;
}

export function containerSettings(read: ReadSetting): ContainerSettings {
  return {
    cpus: numberSetting(read, 'TERMINAL_CONTAINER_CPU', 'terminal.container_cpu', DEFAULT_CPUS, { min: 0 }),
    memoryMb: numberSetting(read, 'TERMINAL_CONTAINER_MEMORY', 'terminal.container_memory', DEFAULT_MEMORY_MB, { min: 0 }),
    diskMb: numberSetting(read, 'TERMINAL_CONTAINER_DISK', 'terminal.container_disk', DEFAULT_DISK_MB, { min: 0 }),
    persistent: truthSetting(read, 'TERMINAL_CONTAINER_PERSISTENT', 'terminal.container_persistent', true),
  };
}

/** A wanted directory of a backend that does not see this machine's: paths of the host are not among its own (hermes-runtime 5.2). */
export function insideDirectory(wanted: string, otherwise: string): string {
  return wanted.startsWith('/') && !/^\/(?:Users|home)\//.test(wanted) ? wanted : otherwise;
}
