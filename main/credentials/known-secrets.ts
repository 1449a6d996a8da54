/** Secrets whose very value is known: hidden wherever text is written or sent, whatever their shape. */
import { readFileSync } from 'node:fs';
import { parseDotEnv } from '../config/dotenv.ts';
import type { SecretStore } from '../ports.ts';

const MASK = '***';
/** In text of a file that the model may write back: nothing that passes for a value (see `redact.ts`). */
export const FILE_MASK = '«redacted:known»';
/** A shorter one may be an ordinary word ("test"): hiding it inside words would garble output, and tell what it is. */
const ANYWHERE_CHARS = 6;
/** What is shorter still is a key press. */
const LEAST_CHARS = 3;
/** Shorter values of variables are placeholders ("none", "changeme"). */
const CONFIGURED_CHARS = 10;

export interface KnownSecrets {
  add(value: string): void;
  /** `mask` stands in its place; `***` by default. */
  hide(text: string, mask?: string): string;
}

export function createKnownSecrets(): KnownSecrets {
  const values = new Set<string>();
  return {
    add(value) {
      const secret = value.replace(/[\r\n]+$/, '');
      if (secret.trim().length >= LEAST_CHARS) values.add(secret);
    },
    hide(text, mask = MASK) {
      let out = text;
      for (const value of values) {
        if (!out.includes(value)) continue;
        out = value.length >= ANYWHERE_CHARS ? out.replaceAll(value, () => mask) : out.split('\n').map((line) => (line.trim() === value ? line.replace(value, () => mask) : line)).join('\n');
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

/** Secrets of the process environment and of the home's `.env`; a file that is not there, or cannot be read, has none. */
export function addConfiguredSecrets(known: Pick<KnownSecrets, 'add'>, env: Readonly<Record<string, string | undefined>>, dotEnv: string): void {
  let text = '';
  try {
    text = readFileSync(dotEnv, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error; // whoever needs a value of an unreadable file says so
  }
  for (const [name, value] of [...Object.entries(env), ...parseDotEnv(text, env)]) {
    if (isSecretVariable(name) && value !== undefined && value.length >= CONFIGURED_CHARS) known.add(value);
  }
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
