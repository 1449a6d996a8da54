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
