/** The singularity backend: an instance of apptainer or singularity, commands by exec (hermes-runtime 6.5). */
import { EnvironmentError, type Environment, type EnvironmentDescription } from './base.ts';
import { execOn, insideDirectory, RemoteShell, type RemoteFacts } from './shell.ts';
import { execInstance } from './singularity/exec.ts';
import { startInstance, type Instance, type InstanceOptions } from './singularity/instance.ts';

export { readSingularitySettings, type SingularitySettings } from './singularity/settings.ts';

export interface SingularityOptions extends InstanceOptions {
  /** Wanted directory inside; empty = the default. */
  readonly cwd: string;
}

/** Linux refuses single arguments of 128 KiB. */
const MAX_ARGUMENT_BYTES = 96 * 1024;
const DEFAULT_CWD = '/root';

export function createSingularityEnvironment(options: SingularityOptions): Environment {
  const { program, env, settings } = options;
  let starting: Promise<Instance> | undefined;
  let name = '';
  let mounts: EnvironmentDescription['mounts'] = [];
  let facts: RemoteFacts | undefined;
  let closing: Promise<void> | undefined;

  function instance() {
    starting ??= startInstance(options).then((started) => { ({ name, mounts } = started); return started; }, (error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  }
  const shell = new RemoteShell({ transport: {
    maxArgumentBytes: MAX_ARGUMENT_BYTES,
    launch: async (command, how) => {
      const { name: used, isAlive } = await instance();
      return execInstance({ program, env, instance: used, isAlive }, command, how);
    },
  } });
  let recreated = false;

  /** An instance that was stopped from outside is started again, once; the next command's result says so. */
  async function again<T>(work: () => Promise<T>): Promise<T> {
    const used = starting;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EnvironmentError) || error.code !== 'unreachable' || closing !== undefined) throw error;
      if (starting === used) {
        starting = undefined;
        recreated = true;
        shell.forget();
      }
      return work();
    }
  }
  const { files } = shell;
  const open = async () => {
    if (closing !== undefined) throw new EnvironmentError('closed', 'this terminal environment was closed');
    facts = await shell.open();
  };
  const wanted = insideDirectory(options.cwd, DEFAULT_CWD);

  async function close(): Promise<void> {
    const started = await starting?.catch(() => undefined); // never started: nothing to stop
    if (started === undefined) return;
    await shell.close().catch(() => undefined); // what cannot be reached any more ends with the instance
    await started.stop();
  }

  return {
    backend: 'singularity',
    readFile: (...given) => again(() => files.readFile(...given)), writeFile: (...given) => again(() => files.writeFile(...given)), stat: (path) => again(() => files.stat(path)),
    list: (path) => again(() => files.list(path)), remove: (path) => again(() => files.remove(path)), rename: (from, to) => again(() => files.rename(from, to)), realpath: (path) => again(() => files.realpath(path)),
    describe: (): EnvironmentDescription => ({
      backend: 'singularity', host: name, user: facts?.user ?? '', homeDirectory: facts?.home ?? DEFAULT_CWD, defaultCwd: wanted, isolated: settings.binds.length === 0, image: settings.image, mounts, tmpdir: facts?.tmpdir ?? '/tmp',
    }),
    open,
    start: async (spec) => {
      await again(open);
      const running = await again(() => shell.start(spec));
      if (!recreated) return running;
      recreated = false;
      return { ...running, recreated: true };
    },
    exec: async (spec) => {
      await again(open);
      return execOn((start) => again(() => shell.start(start)), spec, wanted);
    },
    close: async (how) => {
      closing ??= how?.keep === true ? Promise.resolve() : close();
      await closing;
    },
  };
}
