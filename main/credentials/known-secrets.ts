/** Secrets whose very value is known: hidden wherever text is written or sent, whatever their shape. */
import type { SecretStore } from '../ports.ts';

const MASK = '***';
/** A shorter one may be an ordinary word ("test"): hiding it inside words would garble output, and tell what it is. */
const ANYWHERE_CHARS = 6;

export interface KnownSecrets {
  add(value: string): void;
  hide(text: string): string;
}

export function createKnownSecrets(): KnownSecrets {
  const values = new Set<string>();
  return {
    add(value) {
      if (value.trim() !== '') values.add(value);
    },
    hide(text) {
      let out = text;
      for (const value of values) {
        if (!out.includes(value)) continue;
        out = value.length >= ANYWHERE_CHARS ? out.replaceAll(value, MASK) : out.split('\n').map((line) => (line.trim() === value ? line.replace(value, () => MASK) : line)).join('\n');
      }
      return out;
    },
  };
}

const SECRET_VARIABLE = /(?:^|_)(?:API_?KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?)$/i;

/** Whether the value of an environment variable of that name is a secret. */
export function isSecretVariable(name: string): boolean {
  return SECRET_VARIABLE.test(name);
}

/** The store, whose keys are known from the moment they are read or written. */
export function rememberingSecrets(store: SecretStore, known: Pick<KnownSecrets, 'add'>): SecretStore {
  return {
    get: async (name) => {
      const value = await store.get(name);
      if (value !== undefined) known.add(value);
      return value;
    },
    set: (name, value) => {
      if (value !== undefined) known.add(value);
      return store.set(name, value);
    },
    get warning() {
      return store.warning;
    },
    ...(store.isEmpty === undefined ? {} : { isEmpty: () => store.isEmpty?.() ?? false }),
  };
}
