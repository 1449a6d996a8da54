/** Ways to log in, one after the other: agent, keys (their passphrase asked for), the server's own questions, password. */
import { readFile } from 'node:fs/promises';
import ssh2, { type AnyAuthMethod, type Prompt } from 'ssh2';
import { EnvironmentError, type AskCredential } from '../base.ts';
import { askPerson } from './asking.ts';
import type { Hop } from './hops.ts';
import type { LoginMemory } from './memory.ts';

/** As OpenSSH (`NumberOfPasswordPrompts`). */
const ATTEMPTS = 3;
const NOT_GIVEN = 'Load the key into an ssh-agent (ssh-add), or try again where a person can answer: in the app, or in talaria on a terminal.';
const PASSWORD_PROMPT = /pass(?:word|phrase)[^:]*:?\s*$/i;

export interface LoginParts {
  readonly hop: Hop;
  readonly memory: LoginMemory;
  readonly ask: AskCredential;
  /** Methods the server still takes; undefined before it has said. */
  readonly offered: () => readonly string[] | undefined;
  /** A person gave no answer in the middle of a method: the login is over. */
  readonly onRefused: (error: unknown) => void;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** `user@host`, with the port where it is not the usual one. */
export function placeOf({ user, host, port }: Pick<Hop, 'user' | 'host' | 'port'>): string {
  return `${user}@${port === 22 ? host : `[${host}]:${port}`}`;
}

/** Each method once the one before has failed. Throws `EnvironmentError` when a named key cannot be used or a person gives no answer. */
export async function* loginMethods(parts: LoginParts): AsyncGenerator<AnyAuthMethod> {
  const { hop, offered } = parts;
  const username = hop.user;
  const takes = (method: string) => offered()?.includes(method) ?? true;
  yield { type: 'none', username };
  if (takes('publickey')) yield* keys(parts);
  for (let attempt = 0; attempt < ATTEMPTS && takes('keyboard-interactive'); attempt++) yield questions(parts, attempt);
  for (let attempt = 0; attempt < ATTEMPTS && takes('password'); attempt++) {
    yield { type: 'password', username, password: await password(parts, attempt) };
  }
}

async function* keys(parts: LoginParts): AsyncGenerator<AnyAuthMethod> {
  const { hop, offered } = parts;
  const username = hop.user;
  const ready: { readonly file: string; readonly text: Buffer; readonly named: boolean }[] = [];
  for (const { file, named } of hop.keys) {
    try {
      ready.push({ file, named, text: await readFile(file) });
    } catch (cause) {
      if (named || !isMissing(cause)) throw new EnvironmentError('denied', `the private key ${file} cannot be read`, { cause, hint: 'Correct TERMINAL_SSH_KEY (terminal.ssh_key) or IdentityFile, or take it away to use the agent.' });
    }
  }
  // A key that a person named goes before whatever the agent holds: servers count attempts.
  const plain = ready.filter(({ text }) => !(ssh2.utils.parseKey(text) instanceof Error));
  for (const { text } of plain.filter(({ named }) => named)) yield { type: 'publickey', username, key: text };
  if (hop.agent !== undefined && hop.agent !== '' && !hop.onlyNamed) yield { type: 'agent', username, agent: hop.agent };
  for (const { text } of plain.filter(({ named }) => !named)) yield { type: 'publickey', username, key: text };
  for (const { file, text, named } of ready) {
    const parsed = ssh2.utils.parseKey(text);
    if (!(parsed instanceof Error) || offered()?.includes('publickey') === false) continue;
    if (/passphrase/i.test(parsed.message)) {
      const key = await unlock(parts, file, text);
      if (key !== undefined) yield { type: 'publickey', username, key };
    } else if (named) {
      throw new EnvironmentError('denied', `the private key ${file} cannot be used: ${parsed.message}`, { hint: 'It must be a private key in the format of OpenSSH or PEM.' });
    }
  }
}

/** Undefined when the person passes the key over with an empty passphrase. */
async function unlock({ ask, memory }: LoginParts, file: string, text: Buffer): Promise<ssh2.ParsedKey | undefined> {
  let problem: string | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const passphrase = memory.get('passphrase', file) ?? await askPerson(ask, {
      kind: 'secret', purpose: 'ssh-passphrase', host: file, title: `Passphrase for the key ${file}`, ...(problem === undefined ? {} : { problem }),
    }, NOT_GIVEN);
    if (passphrase === '') return undefined;
    const parsed = ssh2.utils.parseKey(text, passphrase);
    if (!(parsed instanceof Error)) {
      memory.set('passphrase', file, passphrase);
      return parsed;
    }
    memory.set('passphrase', file, undefined);
    problem = 'That passphrase does not open the key.';
  }
  throw new EnvironmentError('denied', `the passphrase of the private key ${file} was wrong ${ATTEMPTS} times`, { hint: 'Try again, or load the key into an ssh-agent: ssh-add PATH.' });
}

async function password({ hop, ask, memory }: LoginParts, attempt: number): Promise<string> {
  const where = placeOf(hop);
  const remembered = attempt === 0 ? memory.get('password', where) : undefined;
  if (remembered !== undefined) return remembered;
  const typed = await askPerson(ask, {
    kind: 'secret', purpose: 'ssh-password', host: where, title: `Password of ${where}`, ...(attempt === 0 ? {} : { problem: 'The server refused that password.' }),
  }, NOT_GIVEN);
  memory.set('password', where, typed);
  return typed;
}

/** The server asks in its own words, field by field; one that may not be seen is masked. */
function questions(parts: LoginParts, attempt: number): AnyAuthMethod {
  const { hop, ask, memory } = parts;
  const where = placeOf(hop);
  const one = async (name: string, instructions: string, { prompt, echo }: Prompt, alone: boolean): Promise<string> => {
    const isPassword = echo !== true && alone && PASSWORD_PROMPT.test(prompt);
    const remembered = isPassword && attempt === 0 ? memory.get('password', where) : undefined;
    if (remembered !== undefined) return remembered;
    const typed = await askPerson(ask, {
      kind: echo === true ? 'text' : 'secret', purpose: isPassword ? 'ssh-password' : 'ssh-question', host: where, title: isPassword ? `Password of ${where}` : `${where} asks`,
      detail: [name, instructions, prompt].map((text) => text.trim()).filter((text) => text !== '').join('\n'), ...(attempt === 0 ? {} : { problem: 'The server refused the last answer.' }),
    }, NOT_GIVEN);
    if (isPassword) memory.set('password', where, typed);
    return typed;
  };
  return {
    type: 'keyboard-interactive', username: hop.user,
    prompt: (name, instructions, _language, prompts, finish) => {
      void (async () => {
        const answers: string[] = [];
        for (const prompt of prompts) answers.push(await one(name, instructions, prompt, prompts.length === 1));
        finish(answers);
      })().catch((error: unknown) => parts.onRefused(error));
    },
  };
}
