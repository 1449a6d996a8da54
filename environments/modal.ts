/** The modal backend: a sandbox of Modal, commands by exec through its command router (hermes-runtime 6.6). */
import { homedir } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError, type Environment } from './base.ts';
import { createHostedEnvironment, Snapshots, type HostedOptions } from './hosted.ts';
import { connectModal, loadModal } from './modal/client.ts';
import { MODAL_CREDENTIALS, type ModalSettings } from './modal/settings.ts';
import { modalVendor } from './modal/vendor.ts';

export { readModalSettings, type ModalSettings } from './modal/settings.ts';

export interface ModalOptions extends HostedOptions {
  readonly settings: ModalSettings;
  /** A key by the name of its variable: from the environment, `.env` or the keychain. */
  readonly credential: (variable: string) => Promise<string | undefined>;
}

/** The SDK refuses command lines of 64 KiB and more. */
const MAX_ARGUMENT_BYTES = 40 * 1024;

/** Undefined: those of `~/.modal.toml`. Throws `EnvironmentError` when there are none. */
async function credentials(credential: ModalOptions['credential']): Promise<{ tokenId: string; tokenSecret: string } | undefined> {
  const [tokenId, tokenSecret] = await Promise.all(MODAL_CREDENTIALS.map((name) => credential(name)));
  if (tokenId !== undefined && tokenSecret !== undefined) return { tokenId, tokenSecret };
  if (tokenId === undefined && tokenSecret === undefined && existsSync(process.env['MODAL_CONFIG_PATH'] ?? join(homedir(), '.modal.toml'))) return undefined;
  throw new EnvironmentError('missing', `Modal needs ${MODAL_CREDENTIALS.filter((_, index) => [tokenId, tokenSecret][index] === undefined).join(' and ')}`, {
    hint: 'Make a token at modal.com/settings/tokens and set both in the environment, in .env, or in Settings › Terminals.',
  });
}

export function createModalEnvironment(options: ModalOptions): Environment {
  const { settings, home } = options;
  return createHostedEnvironment({
    backend: 'modal', service: 'Modal', settings, image: settings.image, maxArgumentBytes: MAX_ARGUMENT_BYTES,
    connect: async () => {
      const keys = await credentials(options.credential);
      const client = connectModal(await loadModal(), keys);
      return modalVendor({ client, settings, options, snapshots: (task) => new Snapshots(join(home, 'modal_snapshots.json'), task, 'direct:') });
    },
  }, options);
}
