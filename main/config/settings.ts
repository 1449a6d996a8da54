/** The settings that screens show, read from config.yaml and the environment with Hermes' own rules (hermes-runtime 4.8, 5.2). */
import { AppError } from '../../preload/contract/errors.ts';
import type { ConfigProblem, RequestInput, SandboxMode, Settings } from '../../preload/contract/index.ts';
import type { JsonValue } from '../../tools/context.ts';
import type { ConfigStore } from '../ports.ts';

/** Hermes' defaults: hermes-runtime 4.6, 5.2, 3.6. */
const APPROVAL_SECONDS = 300;
const TERMINAL_SECONDS = 180;
const MAX_ITERATIONS = 90;
/** CSS pixels of a terminal's text: ours, Hermes has none. */
const FONT_PIXELS = 13;
const SMALLEST_FONT = 9;
const LARGEST_FONT = 28;
/** Hermes' bound: about a year. */
const LONGEST_APPROVAL_SECONDS = 31_536_000;
/** Spellings of `terminal.cwd` that mean "not set". */
const NO_DIRECTORY = new Set(['', '.', './', 'auto', 'cwd']);

interface Sources {
  get(path: string): JsonValue | undefined;
  env(name: string): string | undefined;
  readonly problem: ConfigProblem | undefined;
  /** Told once per wrong value, in words. */
  warn(message: string): void;
}

/** YAML's `off` arrives as false. Anything that is not a known mode asks the person, which is the safe side. */
export function parseMode(value: JsonValue | undefined, warn: (message: string) => void = () => undefined): Settings['approvals']['mode'] {
  if (value === false) return 'off';
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (word === 'manual' || word === 'smart' || word === 'off') return word;
  if (word !== undefined && word !== null) warn(`approvals.mode is ${JSON.stringify(value)}, which is none of manual, smart, off: manual is used`);
  return 'manual';
}

/** `deny` unless the value says approve in one of Hermes' spellings (`approve`, `off`, `allow`, `yes`). */
export function parseUnattended(value: JsonValue | undefined): 'deny' | 'approve' {
  if (typeof value === 'boolean') return value ? 'approve' : 'deny';
  return typeof value === 'string' && ['approve', 'off', 'allow', 'yes'].includes(value.trim().toLowerCase()) ? 'approve' : 'deny';
}

/** A list of texts; one text alone counts as a list of one. Other items are left out. */
export function textList(value: JsonValue | undefined): string[] {
  const items = Array.isArray(value) ? value as readonly JsonValue[] : value === undefined || value === null ? [] : [value]; // cast: Array.isArray does not narrow readonly arrays
  return items.flatMap((item) => (typeof item === 'string' || typeof item === 'number' ? [String(item)] : []));
}

export function parseFlag(value: JsonValue | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off'].includes(word) ? false : undefined;
}

/** A word that nobody knows means the strictest wall: a slip of the pen must not open one. */
function parseSandbox(value: JsonValue | undefined, warn: (message: string) => void): SandboxMode {
  if (value === undefined || value === null || value === '' || value === false || value === 'off') return 'off';
  if (value === 'workspace-write' || value === 'read-only') return value;
  warn(`terminal.sandbox is ${JSON.stringify(value)}; off, workspace-write or read-only is wanted: read-only is used`);
  return 'read-only';
}

/** YAML's `on` and `off` arrive as true and false. */
function visionMode(value: JsonValue | undefined): Settings['model']['vision'] {
  if (value === true || value === 'on') return 'on';
  return value === false || value === 'off' ? 'off' : 'auto';
}

function positive(value: JsonValue | undefined, name: string, fallback: number, warn: (message: string) => void): number {
  if (value === undefined || value === null || value === '') return fallback;
  const number = typeof value === 'number' ? value : Number(typeof value === 'string' ? value.trim() : Number.NaN);
  if (Number.isFinite(number) && number > 0) return number;
  warn(`${name} is ${JSON.stringify(value)}, which is no positive number: ${fallback} is used`);
  return fallback;
}

/**
 * One value of the terminal group: its variable, else config.yaml, of which nothing counts once TERMINAL_ENV is set (hermes-runtime 5.2).
 * `path` is the whole dotted path.
 */
export function terminalSetting(config: Pick<Sources, 'get' | 'env'>, variable: string, path: string): JsonValue | undefined {
  const backend = config.env('TERMINAL_ENV')?.trim() ?? '';
  return config.env(variable) ?? (backend === '' ? config.get(path) : undefined);
}

export function readSettings({ get, env, problem, warn }: Sources): Settings {
  const terminal = (variable: string, key: string): JsonValue | undefined => terminalSetting({ get, env }, variable, `terminal.${key}`);
  const cwd = terminal('TERMINAL_CWD', 'cwd');
  const named = env('TERMINAL_ENV')?.trim() ?? '';
  const backend = named === '' ? get('terminal.backend') : named;
  const sandbox = terminal('TERMINAL_SANDBOX', 'sandbox');
  const theme = get('desktop.theme');
  const { approvalsMode, approvalsTimeoutSeconds, terminalTimeoutSeconds, terminalFontSize, terminalScreenReader, terminalFollowNewest, maxIterations } = SETTING_PATHS;
  return {
    approvals: {
      mode: parseMode(get(approvalsMode), warn),
      timeoutSeconds: Math.min(positive(get(approvalsTimeoutSeconds), approvalsTimeoutSeconds, APPROVAL_SECONDS, warn), LONGEST_APPROVAL_SECONDS),
      deny: textList(get('approvals.deny')),
    },
    terminal: {
      backend: typeof backend === 'string' && backend.trim() !== '' ? backend.trim().toLowerCase() : 'local',
      cwd: typeof cwd === 'string' && !NO_DIRECTORY.has(cwd.trim()) ? cwd.trim() : '',
      sandbox: parseSandbox(sandbox, warn), sandboxNetwork: parseFlag(terminal('TERMINAL_SANDBOX_NETWORK', 'sandbox_network')) ?? true,
      timeoutSeconds: positive(terminal('TERMINAL_TIMEOUT', 'timeout'), terminalTimeoutSeconds, TERMINAL_SECONDS, warn),
    },
    terminalView: {
      fontSize: Math.min(LARGEST_FONT, Math.max(SMALLEST_FONT, Math.round(positive(get(terminalFontSize), terminalFontSize, FONT_PIXELS, warn)))),
      screenReader: parseFlag(get(terminalScreenReader)) ?? false,
      followNewest: parseFlag(get(terminalFollowNewest)) ?? true,
    },
    maxIterations: Math.floor(positive(get(maxIterations) ?? get('max_iterations'), maxIterations, MAX_ITERATIONS, warn)),
    model: { vision: visionMode(get(SETTING_PATHS.modelVision)) },
    redactSecrets: parseFlag(env('HERMES_REDACT_SECRETS')) ?? parseFlag(get('security.redact_secrets')) ?? true,
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    problem: problem ?? null,
  };
}

/** Where each setting of the screen lives in config.yaml. */
export const SETTING_PATHS = {
  approvalsMode: 'approvals.mode',
  approvalsTimeoutSeconds: 'approvals.timeout',
  terminalBackend: 'terminal.backend',
  terminalSandbox: 'terminal.sandbox',
  terminalSandboxNetwork: 'terminal.sandbox_network',
  terminalTimeoutSeconds: 'terminal.timeout',
  terminalFontSize: 'desktop.terminal.font_size',
  terminalScreenReader: 'desktop.terminal.screen_reader',
  terminalFollowNewest: 'desktop.terminal.follow_newest',
  maxIterations: 'agent.max_turns',
  theme: 'desktop.theme',
  modelVision: 'model.vision',
} as const satisfies Record<keyof RequestInput<'settings.set'>, string>;

/** Variables that stand above what would be written for the terminals. */
const ABOVE: Readonly<Partial<Record<keyof typeof SETTING_PATHS, string>>> = {
  terminalSandbox: 'TERMINAL_SANDBOX', terminalSandboxNetwork: 'TERMINAL_SANDBOX_NETWORK', terminalTimeoutSeconds: 'TERMINAL_TIMEOUT',
};

/** Writes the named settings and returns all of them as they are now. Throws `request/not-possible` for one that a variable decides, and what `ConfigStore.set` throws. */
export async function saveSettings(config: ConfigStore, change: RequestInput<'settings.set'>): Promise<Settings> {
  for (const [name, path] of Object.entries(SETTING_PATHS)) {
    const value = change[name as keyof typeof SETTING_PATHS]; // cast: the names of this very table
    if (value === undefined) continue;
    const above = path.startsWith('terminal.') ? ['TERMINAL_ENV', ABOVE[name as keyof typeof SETTING_PATHS] ?? ''].find((variable) => (config.env(variable)?.trim() ?? '') !== '') : undefined;
    if (above !== undefined) throw new AppError('request/not-possible', `${above} is set in the environment or in .env, so ${path} of config.yaml does not count.`, { hint: `Take ${above} out there first.` });
    // `model: name` is Hermes' short form: the group begins with what it named.
    if (name === 'modelVision' && typeof config.get('model') === 'string') await config.update('model', (current) => (typeof current === 'string' ? { default: current, vision: value } : current));
    else await config.set(path, value);
  }
  return config.settings();
}
