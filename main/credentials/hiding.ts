/** What hides secrets in the texts of one host: by their shapes, and by value where they are known. */
import type { ConfigStore, Log, SecretStore } from '../ports.ts';
import { createRedact, type Redact } from '../redact.ts';
import { MESSENGERS, NEEDED_VARIABLES } from '../../tools/shared/messengers.ts';
import { addConfiguredSecrets, createKnownSecrets, FILE_MASK, isSecretVariable, rememberingSecrets, type KnownSecrets } from './known-secrets.ts';
import { createStoredKeys, type StoredKeys } from './stored-keys.ts';

export interface Hiding {
  readonly known: KnownSecrets;
  /** What was entered for messengers. Empty until `start`. */
  readonly stored: StoredKeys;
  /** For the log: whatever the settings say. */
  readonly forLog: (text: string) => string;
  /** For what a model, a database or a file gets, and the store of keys, whose keys are hidden. Call it once; `release` stops following the `.env` file. */
  start(config: Pick<ConfigStore, 'settings' | 'onChange'>, store: SecretStore, log: Pick<Log, 'warn'>): Promise<{ readonly redact: Redact; readonly secrets: SecretStore; release(): void }>;
}

export function createHiding(env: Readonly<Record<string, string | undefined>>, dotEnv: string): Hiding {
  const known = createKnownSecrets();
  const shapes = createRedact({ enabled: true });
  const stored = createStoredKeys(MESSENGERS.flatMap((name) => NEEDED_VARIABLES[name]), (name, value) => { if (isSecretVariable(name)) known.add(value); });
  return {
    known, stored,
    forLog: (text) => shapes(known.hide(text)),
    async start(config, store, log) {
      // Frozen for the life of the host: nothing the agent does can switch it off (hermes-runtime 5.4). What a person typed is hidden either way.
      const enabled = config.settings().redactSecrets;
      const byShape = createRedact({ enabled });
      const learn = (): void => { if (enabled) addConfiguredSecrets(known, env, dotEnv); };
      learn();
      await stored.load(store, (name, error) => { log.warn('a key of a messenger cannot be read; enter it again', { name, error }); });
      const release = config.onChange(learn);
      return { release, secrets: rememberingSecrets(store, known), redact: (text, mode) => byShape(known.hide(text, mode === 'file' ? FILE_MASK : undefined), mode) };
    },
  };
}
