/** How the Engine is reached: `DOCKER_HOST` (unix, tcp with or without TLS, ssh), else the first socket that exists; podman's, too. */
import { existsSync, readFileSync } from 'node:fs';
import type { Agent } from 'node:http';
import { join } from 'node:path';
import Docker from 'dockerode';
import { EnvironmentError, type BackendProbe } from '../base.ts';
import { sshAgent } from './ssh-agent.ts';

/** hermes-runtime 6.3: the probe may take 5 s. */
const PING_MS = 5_000;
const TLS_PORT = '2376';
const PLAIN_PORT = '2375';

export type Env = Readonly<Record<string, string | undefined>>;

function tlsFiles(env: Env): { ca: Buffer; cert: Buffer; key: Buffer } | undefined {
  const directory = env['DOCKER_CERT_PATH'] ?? join(env['HOME'] ?? '', '.docker');
  if ((env['DOCKER_TLS_VERIFY'] ?? '') === '') return undefined;
  const read = (name: string) => {
    try {
      return readFileSync(join(directory, name));
    } catch (cause) {
      throw new EnvironmentError('missing', `DOCKER_TLS_VERIFY is set, but ${join(directory, name)} cannot be read`, { cause, hint: 'Set DOCKER_CERT_PATH to the directory with ca.pem, cert.pem and key.pem.' });
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}

function sockets(env: Env): string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const home = env['HOME'];
  return [
    '/var/run/docker.sock', ...(runtime === undefined ? [] : [join(runtime, 'docker.sock')]), ...(home === undefined ? [] : [join(home, '.docker', 'run', 'docker.sock')]),
    ...(runtime === undefined ? [] : [join(runtime, 'podman', 'podman.sock')]), '/run/podman/podman.sock',
  ];
}

/** Throws `EnvironmentError` for an address that cannot be understood. */
export function engineOptions(env: Env): Docker.DockerOptions & { readonly agent?: Agent } {
  const address = env['DOCKER_HOST']?.trim() ?? '';
  if (address === '') return { socketPath: sockets(env).find((path) => existsSync(path)) ?? '/var/run/docker.sock' };
  if (address.startsWith('unix://')) return { socketPath: address.slice('unix://'.length) };
  const url = URL.canParse(address) ? new URL(address.replace(/^tcp:/, 'http:')) : undefined;
  if (url === undefined || !['http:', 'https:', 'ssh:'].includes(url.protocol)) {
    throw new EnvironmentError('failed', `Invalid value for DOCKER_HOST: ${JSON.stringify(address)} (unix://, tcp:// or ssh:// is wanted)`);
  }
  if (url.protocol === 'ssh:') {
    return { protocol: 'http', host: url.hostname, port: PLAIN_PORT, agent: sshAgent(url, env) };
  }
  const tls = tlsFiles(env);
  const port = url.port === '' ? (tls === undefined ? PLAIN_PORT : TLS_PORT) : url.port;
  return { protocol: tls === undefined ? 'http' : 'https', host: url.hostname, port, ...tls };
}

/** Whether it runs on another machine: then directories of this one cannot be bound. */
function isRemote(options: Docker.DockerOptions): boolean {
  return options.socketPath === undefined;
}

/** In words, for messages. */
export function engineAddress(options: Docker.DockerOptions): string {
  return options.socketPath === undefined ? `${options.host ?? ''}:${String(options.port ?? '')}` : options.socketPath;
}

/** `hangUp` ends connections that are kept for later; the Engine can still be asked then. */
export function connectEngine(env: Env): { readonly docker: Docker; readonly remote: boolean; hangUp(): void } {
  const options = engineOptions(env);
  return { docker: new Docker(options), remote: isRemote(options), hangUp: () => options.agent?.destroy() };
}

/** Asks the Engine whether it answers. Never throws. */
export async function probeEngine(env: Env): Promise<BackendProbe> {
  let timer: NodeJS.Timeout | undefined;
  let address = '';
  let agent: Agent | undefined;
  try {
    const options = engineOptions(env);
    agent = options.agent;
    address = engineAddress(options);
    const late = new Promise<never>((_resolve, reject) => { timer = setTimeout(() => reject(new Error(`no answer within ${PING_MS / 1_000} s`)), PING_MS); });
    await Promise.race([new Docker(options).ping(), late]);
    return { ok: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ok: false, step: 'check-failed', message: `No Docker Engine answers at ${address}: ${reason}`,
      fix: 'Install Docker or podman and start its service, add yourself to the group docker, or set DOCKER_HOST.',
    };
  } finally {
    clearTimeout(timer);
    agent?.destroy();
  }
}

/** What the Engine said, as an error of ours. */
export function engineError(error: unknown, what: string): EnvironmentError {
  if (error instanceof EnvironmentError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'].includes(code)) {
    return new EnvironmentError('unreachable', `the Docker Engine does not answer: ${message}`, { cause: error, hint: 'Start its service, or set DOCKER_HOST.' });
  }
  if (code === 'EACCES') return new EnvironmentError('denied', `the Docker Engine's socket may not be opened: ${message}`, { cause: error, hint: 'Add yourself to the group docker, or use a rootless Engine.' });
  return new EnvironmentError('failed', `${what}: ${message}`, { cause: error });
}

export function statusCode(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
}
