/** Settings of the ssh backend (hermes-runtime 5.2). */
import { numberSetting, textSetting, type ReadSetting } from '../shell.ts';
import { EnvironmentError, type BackendProbe } from '../base.ts';

const DEFAULT_PORT = 22;
const MAX_PORT = 65_535;

export interface SshSettings {
  readonly host: string;
  readonly user: string;
  readonly port: number;
  /** Path of the private key; absent = agent and the usual files of `~/.ssh`. */
  readonly key?: string;
}

/** Host and user may be missing here; `probeSsh` says so. Throws `EnvironmentError` for a malformed port. */
export function readSshSettings(read: ReadSetting): Partial<SshSettings> & { readonly port: number } {
  const host = textSetting(read, 'TERMINAL_SSH_HOST', 'terminal.ssh_host');
  const user = textSetting(read, 'TERMINAL_SSH_USER', 'terminal.ssh_user');
  const key = textSetting(read, 'TERMINAL_SSH_KEY', 'terminal.ssh_key');
  const port = numberSetting(read, 'TERMINAL_SSH_PORT', 'terminal.ssh_port', DEFAULT_PORT, { min: 1, max: MAX_PORT });
  return { port, ...(host === undefined ? {} : { host }), ...(user === undefined ? {} : { user }), ...(key === undefined ? {} : { key }) };
}

/** Complete settings. Throws `EnvironmentError` that names what is missing. */
export function requireSshSettings(read: ReadSetting): SshSettings {
  const settings = readSshSettings(read);
  const { host, user } = settings;
  if (host === undefined || user === undefined) {
    const { message, fix } = probeSshSettings(settings);
    throw new EnvironmentError('missing', message ?? 'The ssh backend is not set up.', fix === undefined ? {} : { hint: fix });
  }
  return { ...settings, host, user };
}

/** Cheap and without a connection (hermes-runtime 6.10: host and user set). */
export function probeSshSettings(settings: Partial<SshSettings>): BackendProbe {
  const missing = [...(settings.host === undefined ? ['TERMINAL_SSH_HOST'] : []), ...(settings.user === undefined ? ['TERMINAL_SSH_USER'] : [])];
  if (missing.length === 0) return { ok: true };
  return {
    ok: false, step: 'missing-variable', message: `The ssh backend needs ${missing.join(' and ')}.`,
    fix: 'Set terminal.ssh_host and terminal.ssh_user in config.yaml, or the variables of the same name.',
  };
}
