/** The docker backend: one container, commands by exec (hermes-runtime 6.3). */
import type Docker from 'dockerode';
import { EnvironmentError, type Environment, type EnvironmentDescription } from './base.ts';
import { obtainContainer, type ContainerOptions, type Engine } from './docker/container.ts';
import { connectEngine, statusCode, type Env } from './docker/engine.ts';
import { ContainerGone, execIn } from './docker/exec.ts';
import { Owners } from './docker/orphans.ts';
import { reachesHost, type DockerSettings } from './docker/settings.ts';
import { EngineWatch, type EngineTiming } from './docker/watch.ts';
import { execOn, insideDirectory, RemoteShell, type Channel, type Hosts, type LaunchOptions, type RemoteFacts, type RemoteOwner } from './shell.ts';

export { probeEngine } from './docker/engine.ts';
export { readDockerSettings, type DockerSettings } from './docker/settings.ts';

export interface DockerOptions extends ContainerOptions {
  /** The host's environment: how the Engine is reached, and values of forwarded variables. */
  readonly env: Env;
  /** Wanted directory inside; empty = the default. */
  readonly cwd: string;
  /** Hosts of this home that may use the same containers. */
  readonly hosts: Hosts;
  /** Names this host for what it starts inside: then background commands outlive it, in containers that do. */
  readonly owner?: RemoteOwner;
  /** Name of this machine: containers of an Engine that several machines use are told apart by it. */
  readonly machine: string;
  /** How soon an Engine that says nothing counts as away; by default in less than 10 s. */
  readonly timing?: EngineTiming;
}

/** Linux refuses single arguments of 128 KiB. */
const MAX_ARGUMENT_BYTES = 96 * 1024;
const DEFAULT_CWD = '/root';
const MOUNTED_CWD = '/workspace';

function insideCwd(wanted: string, settings: DockerSettings): string {
  if (settings.mountCwd) return MOUNTED_CWD;
  return insideDirectory(wanted, DEFAULT_CWD);
}

function forwarded(settings: DockerSettings, env: Env): Record<string, string> {
  return Object.fromEntries(settings.forwardEnv.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  }));
}

export function createDockerEnvironment(given: DockerOptions): Environment {
  const { docker, remote, hangUp } = connectEngine(given.env);
  const options = remote ? { ...given, profile: `${given.profile}@${given.machine}` } : given;
  const { settings } = options;
  const survives = settings.persistAcrossProcesses && options.owner !== undefined;
  const watch = new EngineWatch(docker, given.timing);
  const engine: Engine = { docker, watch, remote, owners: new Owners(options.sandboxes, options.hosts) };
  let current: Promise<{ container: Docker.Container; mounts: EnvironmentDescription['mounts'] }> | undefined;
  let known: { container: Docker.Container; mounts: EnvironmentDescription['mounts'] } | undefined;
  let facts: RemoteFacts | undefined;
  let recreated = false;
  let closing: Promise<void> | undefined;

  function obtain() {
    current ??= obtainContainer(engine, options).then((got) => { known = got; return got; }, (error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  }

  /** A container that vanished or stopped is made or started again, once; the next command's result says so. */
  async function launch(program: readonly string[], how: LaunchOptions): Promise<Channel> {
    const used = obtain();
    const { container } = await used;
    try {
      return await execIn(watch, container, program, how);
    } catch (error) {
      if (!(error instanceof ContainerGone) || closing !== undefined) throw error;
      if (current === used) {
        current = undefined;
        recreated = true;
        shell.forget();
      }
      return execIn(watch, (await obtain()).container, program, how);
    }
  }

  const shell: RemoteShell = new RemoteShell({ transport: { maxArgumentBytes: MAX_ARGUMENT_BYTES, launch }, env: forwarded(settings, options.env), ...(survives ? { owner: options.owner } : {}) });
  const open = async () => {
    if (closing !== undefined) throw new EnvironmentError('closed', 'this terminal environment was closed');
    facts = await shell.open();
  };
  const defaultCwd = () => insideCwd(options.cwd, settings);

  async function close(keep: boolean): Promise<void> {
    const opened = await current?.catch(() => undefined); // never created: nothing to take away
    // Asked once: an Engine that is away cannot be told to stop anything, and the sweep of the next start tidies up.
    if (opened === undefined || keep || !await watch.answers()) {
      shell.leave();
      return;
    }
    await shell.close().catch(() => undefined); // what cannot be reached any more goes with the container
    // Another host of the same home may be at work in it.
    if (!engine.owners.release(opened.container.id)) return;
    try {
      if (settings.persistAcrossProcesses) await watch.guard(opened.container.stop({ t: 1 }));
      else {
        await watch.guard(opened.container.remove({ force: true, v: true }));
        engine.owners.forget(opened.container.id);
      }
    } catch (error) {
      // 304: stopped already; 404, 409: gone or going; without a status the Engine has gone away meanwhile.
      if (statusCode(error) !== undefined && ![304, 404, 409].includes(statusCode(error) ?? 0)) throw error;
    }
  }

  return {
    backend: 'docker',
    ...shell.files,
    describe: (): EnvironmentDescription => ({
      backend: 'docker', host: known?.container.id.slice(0, 12) ?? '', user: facts?.user ?? '', homeDirectory: facts?.home ?? DEFAULT_CWD, defaultCwd: defaultCwd(),
      isolated: !reachesHost(settings), image: settings.image, mounts: known?.mounts ?? [], tmpdir: facts?.tmpdir ?? '/tmp',
    }),
    open,
    start: async (spec) => {
      await open();
      const running = await shell.start(spec);
      if (!recreated) return running;
      recreated = false;
      return { ...running, recreated: true };
    },
    reattach: async (handle) => {
      await open();
      return shell.reattach(handle);
    },
    exec: async (spec) => {
      await open();
      return execOn((start) => shell.start(start), spec, defaultCwd());
    },
    close: async (how) => {
      closing ??= close(how?.keep === true).finally(hangUp);
      await closing;
    },
  };
}
