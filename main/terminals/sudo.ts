/**
 * sudo's password: from SUDO_PASSWORD, from what a person typed before in this chat, or asked for now. It is checked before the command
 * runs, kept in memory, and handed to sudo by a helper inside the backend that exists only while the command runs.
 */
import { EnvironmentError, type AskCredential, type Environment, type RunningProcess } from '../../environments/base.ts';
import type { RunRequest } from '../../tools/context.ts';
import type { ConfigStore, Log } from '../ports.ts';
import type { LiveTerminal } from './live-terminal.ts';

const ATTEMPTS = 3;
const PROBE_MS = 10_000;
/** PAM waits two seconds before it says no. */
const CHECK_MS = 20_000;
const RELEASE_MS = 2_000;
const NO_SUDO = 97;
const OUTPUT_BYTES = 4_000;
const MAY_NOT = /may not run sudo|not in the sudoers|not allowed to/i;

/**
 * Tells the path of an askpass program, then gives the password to whoever opens the FIFO behind it, until stdin ends: when the command
 * is over, or this app is gone. The password is in no argument, no variable and no file; the program answers only to a parent that root runs.
 */
const HELPER = [
  `umask 077; d=$(mktemp -d "\${TMPDIR:-/tmp}/talaria-ask-XXXXXXXX") && mkfifo "$d/f" || exit 1`,
  'trap \'rm -rf "$d"\' EXIT; trap "exit 0" TERM INT HUP; IFS= read -r p || exit 1',
  `printf '%s\\n' '#!/bin/sh' 'case $(stat -c %u "/proc/$PPID" 2>/dev/null) in 0|"") ;; *) exit 1 ;; esac' 'IFS= read -r p <"\${0%/*}/f" && printf "%s\\n" "$p"' >"$d/askpass"`,
  'chmod 700 "$d/askpass"; printf "%s\\n" "$d/askpass"',
  '( trap "" PIPE; while :; do printf "%s\\n" "$p" >"$d/f"; done ) 2>/dev/null & w=$!',
  'cat >/dev/null; kill -9 "$w"',
].join('\n');

interface SudoAccess {
  /** Variables for the command. */
  readonly env: Readonly<Record<string, string>>;
  /** The command is over: the helper goes. `output` says whether sudo refused the password; resolves with whether it was forgotten. */
  release(output: string): Promise<boolean>;
}

export interface SudoParts {
  /** Absent = nobody can be asked. */
  readonly ask?: AskCredential;
  /** `SUDO_PASSWORD`; an empty one counts as set (hermes-runtime 5.4). */
  readonly config: Pick<ConfigStore, 'env'>;
  /** Told a password that came from the environment, so that it can be kept out of whatever is written. */
  readonly onSecret?: (value: string) => void;
  readonly log: Log;
}

type SudoRequest = Pick<RunRequest, 'command' | 'sudoCommand' | 'sessionId'>;

const REFUSED = /^(?:Sorry, try again\.|sudo: \d+ incorrect password attempts?)/m;

export class SudoPasswords {
  readonly #parts: SudoParts;
  /** By chat and place. */
  readonly #kept = new Map<string, string>();
  /** One question at a time per chat and place: two commands at once ask once. */
  readonly #asking = new Map<string, Promise<string | undefined>>();

  constructor(parts: SudoParts) {
    this.#parts = parts;
  }

  /**
   * Starts the command, or where sudo asks for a password there `sudoCommand` with a helper that has it. `over` is told the started
   * command's terminal, ends the helper with it, and resolves with whether a password that was kept turned out wrong and is forgotten.
   * Throws what `start` throws, and `EnvironmentError` (`denied`) when a person was asked and gave no password, or none that is right.
   */
  async start(environment: Environment, request: SudoRequest, start: (command: string, env: Readonly<Record<string, string>>) => Promise<RunningProcess>): Promise<{ readonly process: RunningProcess; over(live: Pick<LiveTerminal, 'done' | 'capture'>): Promise<boolean> }> {
    const { command, sudoCommand, sessionId } = request;
    const access = sudoCommand === undefined ? undefined : await this.#access(environment, sessionId);
    if (access === undefined || sudoCommand === undefined) return { process: await start(command, {}), over: () => Promise.resolve(false) };
    try {
      const process = await start(sudoCommand, access.env);
      return {
        process,
        over: async (live) => {
          await live.done;
          return access.release(live.capture.text()).catch((error: unknown) => {
            this.#parts.log.warn('the helper for sudo did not end', { error });
            return false;
          });
        },
      };
    } catch (error) {
      await access.release('');
      throw error;
    }
  }

  /**
   * Undefined when the command can run as it is: no sudo there, none that asks, or nobody who could be asked (it then fails in sudo's own
   * words).
   */
  async #access(environment: Environment, sessionId: string): Promise<SudoAccess | undefined> {
    const { backend, user, host } = environment.describe();
    const key = [sessionId, backend, user, host].join('\0');
    let password = this.#kept.get(key);
    if (password === undefined) {
      if (!await asksForPassword(environment)) return undefined;
      let asking = this.#asking.get(key);
      if (asking === undefined) {
        asking = this.#find(environment, `${user}@${host}`).finally(() => this.#asking.delete(key));
        this.#asking.set(key, asking);
      }
      password = await asking;
      if (password === undefined) return undefined;
      this.#kept.set(key, password);
    }
    const helper = await startHelper(environment, password);
    return {
      env: { SUDO_ASKPASS: helper.path },
      release: async (output) => {
        await helper.release();
        const refused = REFUSED.test(output) && this.#kept.delete(key);
        if (refused) this.#parts.log.info('sudo refused a password that was kept; it is asked for again', { host });
        return refused;
      },
    };
  }

  async #find(environment: Environment, where: string): Promise<string | undefined> {
    const configured = this.#parts.config.env('SUDO_PASSWORD');
    let problem: string | undefined;
    if (configured !== undefined) {
      this.#parts.onSecret?.(configured);
      if (await isRight(environment, configured)) return configured;
      problem = 'The password in SUDO_PASSWORD was refused.';
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const answer = await this.#parts.ask?.({
        kind: 'secret', purpose: 'sudo', host: where, title: `sudo needs the password of ${where}`, ...(problem === undefined ? {} : { problem }),
      });
      if (answer === undefined || answer.kind === 'nobody') return undefined;
      if (answer.kind !== 'given') {
        const why = answer.kind === 'late' ? 'did not answer in time' : 'did not give it';
        throw new EnvironmentError('denied', `sudo needs a password on ${where}, and the user ${why}; nothing was run`, { hint: 'Ask the user before trying again.' });
      }
      if (await isRight(environment, answer.value)) return answer.value;
      problem = `sudo refused that password (${attempt + 1} of ${ATTEMPTS}).`;
    }
    throw new EnvironmentError('denied', `sudo refused ${ATTEMPTS} passwords on ${where}; nothing was run`, { hint: 'Ask the user before trying again.' });
  }
}

async function asksForPassword(environment: Environment): Promise<boolean> {
  const { exitCode, output } = await environment.exec({ command: `command -v sudo >/dev/null || exit ${NO_SUDO}; LC_ALL=C sudo -n true 2>&1`, timeoutMs: PROBE_MS, maxBytes: OUTPUT_BYTES });
  return exitCode !== 0 && exitCode !== NO_SUDO && /password|authentication/i.test(Buffer.from(output).toString());
}

/** Asks sudo itself, once, without letting it remember the answer. Throws `EnvironmentError` when no password could be right. */
async function isRight(environment: Environment, password: string): Promise<boolean> {
  const running = await environment.start({ command: 'LC_ALL=C sudo -S -k -p "" -v 2>&1', cwd: '/', shell: 'plain', keepStdin: true });
  const parts: Uint8Array[] = [];
  running.onOutput((bytes) => parts.push(bytes));
  running.write(`${password}\n`);
  running.closeStdin();
  const limit = setTimeout(() => { void running.end({ why: 'timeout', signal: 'SIGTERM' }); }, CHECK_MS);
  const { exitCode, why, detail } = await running.ended;
  clearTimeout(limit);
  const said = Buffer.concat(parts).toString().replaceAll(password === '' ? '\0' : password, '***').trim();
  if (why !== 'exit') throw new EnvironmentError(why === 'lost' ? 'unreachable' : 'timeout', detail ?? 'sudo did not answer when the password was checked');
  if (MAY_NOT.test(said)) throw new EnvironmentError('denied', said.slice(-300), { hint: 'This account may not use sudo there.' });
  return exitCode === 0;
}

async function startHelper(environment: Environment, password: string): Promise<{ readonly path: string; release(): Promise<void> }> {
  const running = await environment.start({ command: HELPER, cwd: '/', shell: 'plain', keepStdin: true });
  const told = Promise.withResolvers<string>();
  let text = '';
  running.onOutput((bytes) => {
    text += Buffer.from(bytes).toString();
    const end = text.indexOf('\n');
    if (end >= 0) told.resolve(text.slice(0, end));
  });
  void running.ended.then(({ detail }) => told.reject(new EnvironmentError('failed', `the helper for sudo could not be started: ${detail ?? (text.trim() || 'it ended at once')}`, { hint: 'It needs bash, mktemp and mkfifo, and a temporary directory.' })));
  running.write(`${password}\n`);
  const path = await told.promise;
  return { path, release: () => release(running) };
}

async function release(running: RunningProcess): Promise<void> {
  running.closeStdin();
  const limit = setTimeout(() => { void running.end({ why: 'abort', signal: 'SIGTERM', graceMs: RELEASE_MS }); }, RELEASE_MS);
  await running.ended;
  clearTimeout(limit);
}
