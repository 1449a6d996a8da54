/** A real Docker Engine on a socket of its own, without networks, for one test file; and an image built from this machine's programs. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { install } from './install.ts';

const run = promisify(execFile);
const START_MS = 30_000;
export const IMAGE = 'talaria-test:1';

export interface TestDockerd {
  /** Value of DOCKER_HOST. */
  readonly host: string;
  readonly docker: Docker;
  readonly folder: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Stands still without closing anything, as behind a cut network, until `thaw`. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** False when it cannot be had here; the reason is printed. */
export async function haveDockerd(): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    console.log('skipped: a Docker Engine can only be started by root');
    return false;
  }
  return (existsSync('/usr/sbin/dockerd') && existsSync('/usr/bin/busybox')) || install('docker.io', 'busybox-static', 'procps');
}

/** A tree with busybox, and this machine's bash, ps and pkill with their libraries. */
export function buildTree(folder: string): string {
  const tree = join(folder, 'tree');
  for (const directory of ['bin', 'usr/bin', 'etc', 'tmp', 'root', 'proc', 'dev', 'sys', 'run', 'var/tmp', 'workspace']) mkdirSync(join(tree, directory), { recursive: true });
  copyFileSync('/usr/bin/busybox', join(tree, 'bin/busybox'));
  const own = ['/bin/bash', '/bin/ps', '/usr/bin/pkill'];
  for (const applet of execFileSync('/usr/bin/busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n')) {
    if (!['busybox', 'bash', 'sh', 'ps', 'pkill'].includes(applet)) symlinkSync('busybox', join(tree, 'bin', applet));
  }
  for (const program of own) {
    copyFileSync(program, join(tree, 'bin', program.split('/').at(-1) ?? ''));
    for (const library of execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? []) {
      mkdirSync(join(tree, dirname(library)), { recursive: true });
      copyFileSync(library, join(tree, library));
    }
  }
  symlinkSync('bash', join(tree, 'bin/sh'));
  writeFileSync(join(tree, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\n');
  return tree;
}

/** `more`: options of dockerd beside the usual ones, made in the folder that everything of it lies in. */
export async function startDockerd(more: (folder: string) => Promise<readonly string[]> = () => Promise.resolve([])): Promise<TestDockerd> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'talaria-dockerd-')));
  const socket = join(folder, 'd.sock');
  const docker = new Docker({ socketPath: socket });
  const moreOptions = await more(folder);
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const log = join(folder, 'log');
    // The containerd of a killed dockerd dies with it, but counts as running for as long as nobody has waited for it.
    rmSync(join(folder, 'exec', 'containerd', 'containerd.pid'), { force: true });
    const started = spawn('/usr/sbin/dockerd', [
      '--iptables=false', '--ip6tables=false', '--bridge=none', '--storage-driver=vfs', `--host=unix://${socket}`, '--data-root', join(folder, 'data'),
      '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid'), ...moreOptions,
    ], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    started.stderr.on('data', (chunk: Buffer) => { writeFileSync(log, chunk, { flag: 'a' }); });
    for (const end = performance.now() + START_MS; ; await new Promise((resolve) => { setTimeout(resolve, 50); })) {
      const answers = await docker.ping().then(() => true, () => false);
      if (answers) return;
      if (started.exitCode !== null || performance.now() > end) throw new Error(`dockerd did not start: ${readFileSync(log, 'utf8').slice(-1_000)}`);
    }
  }

  async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = new Promise((resolve) => { running.once('exit', resolve); });
    running.kill(signal);
    await gone;
  }

  await start();
  const tree = buildTree(folder);
  await run('sh', ['-c', 'tar c -C "$1" . > "$2"', 'sh', tree, join(folder, 'tree.tar')]);
  const stream = await docker.importImage(join(folder, 'tree.tar'), { repo: IMAGE.split(':')[0], tag: IMAGE.split(':')[1] });
  stream.resume();
  await new Promise((resolve) => { stream.once('end', resolve); });
  return {
    host: `unix://${socket}`, docker, folder, start, kill: () => stop('SIGKILL'),
    freeze: () => { child?.kill('SIGSTOP'); },
    thaw: () => { child?.kill('SIGCONT'); },
    close: async () => {
      if (child === undefined) await start(); // only the Engine itself can end what a killed one left running
      for (const { Id } of await docker.listContainers({ all: true })) await docker.getContainer(Id).remove({ force: true, v: true });
      await stop('SIGTERM');
      // A killed Engine forgets what it had mounted.
      const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n').flatMap((line) => line.split(' ')[1] ?? []).filter((path) => path.startsWith(`${folder}/`));
      for (const path of mounts.toReversed()) await run('umount', ['-l', path]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
