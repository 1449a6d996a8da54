/** A sandbox that really isolates: a root of its own with namespaces of mounts and processes, for the loopback servers of hosted backends. */
import { execFile, spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as pty from 'node-pty';
import { buildTree } from '../dockerd.ts';
import { install } from '../install.ts';

const run = promisify(execFile);
const START_MS = 10_000;
const ENVIRONMENT = { PATH: '/bin:/usr/bin', HOME: '/root', LANG: 'C.UTF-8' } as const;

/** False when it cannot be had here; the reason is printed. */
export async function havePlaces(): Promise<boolean> {
  if (spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status !== 0) {
    console.log('skipped: namespaces cannot be made here, so sandboxes could not isolate');
    return false;
  }
  return existsSync('/usr/bin/busybox') || install('busybox-static', 'procps');
}

export interface Images {
  readonly folder: string;
  /** Directory of the image from which every sandbox starts. */
  readonly base: string;
}

export function buildImages(folder: string): Images {
  return { folder, base: buildTree(folder) };
}

export class Place {
  readonly root: string;
  readonly #helper: ReturnType<typeof spawn>;
  readonly #init: number;
  /** Cut what each running program is connected by. */
  readonly #wires = new Set<() => void>();
  #ending: Promise<void> | undefined;
  running = true;

  private constructor(root: string, helper: ReturnType<typeof spawn>, init: number) {
    this.root = root;
    this.#helper = helper;
    this.#init = init;
    helper.once('exit', () => { this.running = false; });
  }

  /** `from`: directory of the image or snapshot that is copied. */
  static async start(images: Images, from = images.base): Promise<Place> {
    const root = join(images.folder, `place-${randomBytes(4).toString('hex')}`);
    mkdirSync(root);
    await run('cp', ['-a', `${from}/.`, root]);
    // It ends with the tests, however they end.
    const helper = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', '--propagation', 'private', 'bash', '-c',
      'mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" /bin/sleep infinity', 'bash', root], { stdio: 'ignore' });
    for (const end = performance.now() + START_MS; performance.now() < end; await new Promise((resolve) => { setTimeout(resolve, 5); })) {
      const pid = helper.pid ?? 0;
      const inner = Number(readText(`/proc/${pid}/task/${pid}/children`).trim());
      if (inner > 0 && readText(`/proc/${inner}/cmdline`) === '/bin/sleep\0infinity\0') return new Place(root, helper, inner);
    }
    helper.kill('SIGKILL');
    throw new Error('the sandbox did not start');
  }

  /** Its files as it sees them itself, with what is mounted in it. */
  get inside(): string {
    return `/proc/${this.#init}/root`;
  }

  #arguments(program: readonly string[], env: Readonly<Record<string, string>>): string[] {
    const variables = Object.entries({ ...ENVIRONMENT, ...env }).map(([name, value]) => `${name}=${value}`);
    return ['-i', ...variables, 'nsenter', '--target', String(this.#init), '--mount', '--pid', '--ipc', '--uts', '--root', '/bin/bash', '-c', 'cd / && exec "$@"', 'bash', ...program];
  }

  /** stderr is dropped; stdout is a real pipe, because programs open /dev/stdout again. */
  spawn(program: readonly string[], env: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams {
    const child = spawn('bash', ['-o', 'pipefail', '-c', '"$@" 2>/dev/null | cat', 'bash', 'env', ...this.#arguments(program, env)], { stdio: 'pipe', detached: true });
    const cutOff = () => { process.kill(-(child.pid ?? 0), 'SIGKILL'); };
    this.#wires.add(cutOff);
    child.once('exit', () => this.#wires.delete(cutOff));
    return child;
  }

  spawnPty(program: readonly string[], env: Readonly<Record<string, string>>, size: { readonly cols: number; readonly rows: number }): pty.IPty {
    // A session of its own inside: `nsenter`, which waits outside of it, must not die of a Ctrl-C and take the terminal along.
    const terminal = pty.spawn('env', this.#arguments(['setsid', '-c', ...program], env), { ...size, name: 'xterm-256color', cwd: '/', encoding: null });
    const cutOff = () => terminal.kill('SIGKILL');
    this.#wires.add(cutOff);
    terminal.onExit(() => this.#wires.delete(cutOff));
    return terminal;
  }

  /** A copy of its files, to start another one from. */
  async copyTo(directory: string): Promise<void> {
    mkdirSync(directory, { recursive: true });
    // The mounts are only in its own namespace: from here /proc and /dev are empty.
    await run('cp', ['-a', `${this.root}/.`, directory]);
  }

  /** Its end and that of all that runs in it, as of a machine that is switched off; files stay until `remove`. */
  async end(): Promise<void> {
    this.#ending ??= (async () => {
      const gone = new Promise((resolve) => { this.#helper.once('exit', resolve); });
      if (!this.running) return;
      this.running = false;
      // First of all nothing comes out any more: no program in it sees another end first and says a last word.
      for (const cutOff of this.#wires) cutOff();
      process.kill(this.#init, 'SIGKILL');
      await gone;
    })();
    await this.#ending;
  }

  async remove(): Promise<void> {
    await this.end();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // not there yet
  }
}
