/** A real OpenSSH server on loopback, with keys of its own, for one test file. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install } from './install.ts';

const run = promisify(execFile);
const SSHD = '/usr/sbin/sshd';

export interface TestSshd {
  readonly port: number;
  readonly user: string;
  /** Private key that may log in. */
  readonly key: string;
  readonly folder: string;
  /** A `known_hosts` that holds the server's key. */
  readonly knownHosts: string;
  /** Kills the server and all its connections, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, on the same port; `newHostKey`: it has become another server. */
  start(options?: { readonly newHostKey?: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Undefined when it cannot be had here; the reason is printed. */
export async function haveSshd(): Promise<boolean> {
  return existsSync(SSHD) || install('openssh-server', 'openssh-client');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  await new Promise((resolve) => { server.close(resolve); });
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => { socket.destroy(); resolve(true); });
    socket.once('error', () => resolve(false));
  });
}

export interface SshdOptions {
  /** Lines of sshd_config that go before the usual ones, and so win. */
  readonly config?: readonly string[];
  /** HOME and TMPDIR of whoever logs in; the server's own folder by default, so that no test leaves anything elsewhere. */
  readonly home?: string;
  /** Without its file subsystem. */
  readonly withoutSftp?: boolean;
}

export async function startSshd(options: SshdOptions = {}): Promise<TestSshd> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'talaria-sshd-')));
  const port = await freePort();
  const key = join(folder, 'id_ed25519');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const hostKey = join(folder, 'host_key');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
  await writeFile(join(folder, 'authorized_keys'), await readFile(`${key}.pub`), { mode: 0o644 });
  await chmod(folder, 0o755); // another account's list of keys is read as that account
  // Privilege separation wants this directory; a service manager makes it where one runs.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const knownHosts = join(folder, 'known_hosts');
  const trust = async (): Promise<void> => { await writeFile(knownHosts, `[127.0.0.1]:${port} ${(await readFile(`${hostKey}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ')}\n`); };
  await trust();
  const config = join(folder, 'sshd_config');
  await writeFile(config, [
    ...options.config ?? [], `SetEnv HOME=${options.home ?? folder} TMPDIR=${options.home ?? folder}`,
    `Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${hostKey}`, `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`, `PidFile ${join(folder, 'pid')}`, 'StrictModes no',
    'UsePAM no', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no', 'PermitRootLogin yes', ...(options.withoutSftp === true ? [] : ['Subsystem sftp internal-sftp']), 'MaxStartups 50:30:100', 'LogLevel ERROR', '',
  ].join('\n'));
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running?.pid === undefined) return;
    // Its sessions are its descendants, in sessions of their own.
    const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
    const rows = stdout.trim().split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    const family = new Set([running.pid]);
    for (let grew = true; grew;) {
      grew = false;
      for (const [pid, parent] of rows) if (pid !== undefined && parent !== undefined && family.has(parent) && !family.has(pid)) { family.add(pid); grew = true; }
    }
    const gone = new Promise((resolve) => { running.once('exit', resolve); });
    for (const pid of family) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error; // it has ended by itself meanwhile
      }
    }
    await gone;
  }

  async function start(options: { readonly newHostKey?: boolean } = {}): Promise<void> {
    if (options.newHostKey === true) {
      await rm(hostKey);
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
    }
    const started = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let said = '';
    started.stderr.on('data', (chunk: Buffer) => { said += chunk.toString(); });
    while (!await answers(port)) {
      if (started.exitCode !== null) throw new Error(`sshd did not start: ${said}`);
      await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
  }

  await start();
  return {
    port, user: userInfo().username, key, folder, knownHosts, kill, start,
    close: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
