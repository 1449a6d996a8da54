/** Settings of the ssh backend (hermes-runtime 5.2). */
import { numberSetting, textSetting, type ReadSetting } from '../shell.ts';
import { EnvironmentError, type BackendProbe } from '../base.ts';

const MAX_PORT = 65_535;

/** What is not set here comes from `~/.ssh/config`. */
export interface SshSettings {
  /** Name, address, or a `Host` of `~/.ssh/config`. */
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  /** Path of the private key; absent = `IdentityFile`, agent and the usual files of `~/.ssh`. */
  readonly key?: string;
  /** `user@host:port`, several with commas between them; `none` = no jump host whatever `~/.ssh/config` says. */
  readonly jump?: string;
}

/** The host may be missing here; `probeSsh` says so. Throws `EnvironmentError` for a malformed port. */
export function readSshSettings(read: ReadSetting): Partial<SshSettings> {
  const host = textSetting(read, 'TERMINAL_SSH_HOST', 'terminal.ssh_host');
  const user = textSetting(read, 'TERMINAL_SSH_USER', 'terminal.ssh_user');
  const key = textSetting(read, 'TERMINAL_SSH_KEY', 'terminal.ssh_key');
  const jump = textSetting(read, 'TERMINAL_SSH_JUMP', 'terminal.ssh_jump');
  const hasPort = textSetting(read, 'TERMINAL_SSH_PORT', 'terminal.ssh_port') !== undefined;
  const port = numberSetting(read, 'TERMINAL_SSH_PORT', 'terminal.ssh_port', 0, { min: hasPort ? 1 : 0, max: MAX_PORT });
  return {
    ...(hasPort ? { port } : {}), ...(host === undefined ? {} : { host }), ...(user === undefined ? {} : { user }), ...(key === undefined ? {} : { key }), ...(jump === undefined ? {} : { jump }),
  };
}

/** Complete settings. Throws `EnvironmentError` that names what is missing. */
export function requireSshSettings(read: ReadSetting): SshSettings {
  const settings = readSshSettings(read);
  const { host } = settings;
  if (host === undefined) {
    const { message, fix } = probeSshSettings(settings);
    throw new EnvironmentError('missing', message ?? 'The ssh backend is not set up.', fix === undefined ? {} : { hint: fix });
  }
  return { ...settings, host };
}

/** Cheap and without a connection (hermes-runtime 6.10); the user may come from `~/.ssh/config`, where `userOf` looks. */
export function probeSshSettings(settings: Partial<SshSettings>, userOf?: string): BackendProbe {
  const missing = [...(settings.host === undefined ? ['TERMINAL_SSH_HOST'] : []), ...((settings.user ?? userOf) === undefined ? ['TERMINAL_SSH_USER'] : [])];
  if (missing.length === 0) return { ok: true };
  return {
    ok: false, step: 'missing-variable', message: `The ssh backend needs ${missing.join(' and ')}.`,
    fix: 'Set terminal.ssh_host and terminal.ssh_user in config.yaml, or the variables of the same name; the user may also stand in ~/.ssh/config.',
  };
}
