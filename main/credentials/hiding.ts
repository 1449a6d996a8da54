/** What hides secrets in the texts of one host: by their shapes, and by value where they are known. */
import type { ConfigStore, SecretStore } from '../ports.ts';
import { createRedact, type Redact } from '../redact.ts';
import { addConfiguredSecrets, createKnownSecrets, FILE_MASK, rememberingSecrets, type KnownSecrets } from './known-secrets.ts';

export interface Hiding {
  readonly known: KnownSecrets;
  /** For the log: whatever the settings say. */
  readonly forLog: (text: string) => string;
  /** For what a model, a database or a file gets, and the store of keys, whose keys are hidden. Call it once; `release` stops following the `.env` file. */
  start(config: Pick<ConfigStore, 'settings' | 'onChange'>, store: SecretStore): { readonly redact: Redact; readonly secrets: SecretStore; release(): void };
}

export function createHiding(env: Readonly<Record<string, string | undefined>>, dotEnv: string): Hiding {
  const known = createKnownSecrets();
  const shapes = createRedact({ enabled: true });
  return {
    known,
    forLog: (text) => shapes(known.hide(text)),
    start(config, store) {
      // Frozen for the life of the host: nothing the agent does can switch it off (hermes-runtime 5.4). What a person typed is hidden either way.
      const enabled = config.settings().redactSecrets;
      const byShape = createRedact({ enabled });
      const learn = (): void => { if (enabled) addConfiguredSecrets(known, env, dotEnv); };
      learn();
      const release = config.onChange(learn);
      return { release, secrets: rememberingSecrets(store, known), redact: (text, mode) => byShape(known.hide(text, mode === 'file' ? FILE_MASK : undefined), mode) };
    },
  };
}
