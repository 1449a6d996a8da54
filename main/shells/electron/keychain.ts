/** Keys encrypted with the operating system's keychain through `safeStorage`; what lies on disk is useless elsewhere. */
import { safeStorage } from 'electron';
import { AppError } from '../../../preload/contract/errors.ts';
import type { SecretStore } from '../../ports.ts';

/** True when the encrypting key lies outside of our files. On Linux `basic_text` is a fixed password: as good as plain text. */
export function hasKeychain(): boolean {
  if (!safeStorage.isEncryptionAvailable()) return false;
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text';
}

/** `store` keeps the encrypted values, as base64. */
export function keychainSecrets(store: SecretStore): SecretStore {
  return {
    warning: undefined,
    async get(name) {
      const stored = await store.get(name);
      if (stored === undefined) return undefined;
      try {
        return safeStorage.decryptString(Buffer.from(stored, 'base64'));
      } catch (cause) {
        throw new AppError('storage/failed', `the key ${name} cannot be decrypted`, { hint: 'The keychain of this system has changed: enter the key again.', cause });
      }
    },
    set: (name, value) => store.set(name, value === undefined ? undefined : safeStorage.encryptString(value).toString('base64')),
  };
}
