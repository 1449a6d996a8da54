/** Keys encrypted with the operating system's keychain through `safeStorage`; what lies on disk is useless elsewhere. */
import { safeStorage } from 'electron';
import { AppError } from '../../../preload/contract/errors.ts';
import type { SecretStore } from '../../ports.ts';

/** True when the encrypting key lies outside of our files. On Linux `basic_text` is a fixed password: as good as plain text. Ask when the app is ready. */
export async function hasKeychain(): Promise<boolean> {
  if (!await safeStorage.isAsyncEncryptionAvailable()) return false;
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text';
}

/** `store` keeps the encrypted values, as base64. */
export function keychainSecrets(store: SecretStore): SecretStore {
  async function set(name: string, value: string | undefined): Promise<void> {
    await store.set(name, value === undefined ? undefined : (await safeStorage.encryptStringAsync(value)).toString('base64'));
  }
  return {
    warning: undefined,
    set,
    async get(name) {
      const stored = await store.get(name);
      if (stored === undefined) return undefined;
      const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(stored, 'base64')).catch((cause: unknown) => {
        throw new AppError('storage/failed', `the key ${name} cannot be decrypted`, { hint: 'The keychain of this system has changed: enter the key again.', cause });
      });
      /** The system has a new or better key: what is stored moves over to it. */
      if (shouldReEncrypt) await set(name, result);
      return result;
    },
  };
}
