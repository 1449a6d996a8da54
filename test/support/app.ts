/** The built app as a program of its own: `talaria serve` with a home in a temporary folder, and a model server beside it when asked. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer, type ModelServer, type ModelServerOptions } from './model/server.ts';

const root = join(import.meta.dirname, '..', '..');
export const talariaProgram = join(root, 'main', 'shells', 'launch', 'talaria.mjs');
export const isBuilt = existsSync(join(root, 'dist', 'renderer', 'index.html')) && existsSync(join(root, 'dist', 'main', 'shells', 'browser', 'main.js'));
/** A host that has not printed its link by then never will, in ms. */
const START_MS = 30_000;

export interface HostOptions {
  /** Start a scripted model server and connect the host to it. */
  readonly model?: ModelServerOptions | true;
  /** Content of `config.yaml`. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

export interface RunningHost {
  /** Folder of the home; it outlives restarts. */
  readonly home: string;
  /** A folder to work in; the host runs there. */
  readonly workFolder: string;
  readonly model: ModelServer | undefined;
  /** The link of the present process, with its one-time token. */
  link(): string;
  /** Process id of the present process. */
  pid(): number;
  /** What the host wrote on stderr so far. */
  stderr(): string;
  /** Ends the process the hard way (`SIGKILL`) or politely; resolves when it is gone. */
  stop(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number | null>;
  /** Starts it again on the same home. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startHost(options: HostOptions = {}): Promise<RunningHost> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-e2e-'));
  const home = join(folder, 'home');
  const workFolder = join(folder, 'work');
  await mkdir(home);
  await mkdir(workFolder);
  if (options.config !== undefined) await writeFile(join(home, 'config.yaml'), options.config);
  const model = options.model === undefined ? undefined : await startModelServer(options.model === true ? {} : options.model);
  const env = {
    ...process.env, HOME: folder, HERMES_HOME: home, ...(model === undefined ? {} : { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'test-key', HERMES_MODEL: 'scripted-model' }), ...options.env,
  };
  let child: ChildProcess | undefined;
  let ended: Promise<number | null> = Promise.resolve(0);
  let link = '';
  let stderr = '';

  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [talariaProgram, 'serve', '--no-open', '--port', '0', '--home', home, ...options.args ?? []], { cwd: workFolder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    /** A test run that is ended early leaves no host behind. */
    const endWithUs = (): void => { started.kill('SIGKILL'); };
    process.once('exit', endWithUs);
    ended = new Promise((resolve) => {
      started.once('exit', (code) => {
        process.off('exit', endWithUs);
        resolve(code);
      });
    });
    started.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
    link = await new Promise<string>((resolve, reject) => {
      let stdout = '';
      const deadline = setTimeout(() => { reject(new Error(`the host printed no link in ${START_MS} ms:\n${stdout}${stderr}`)); }, START_MS);
      started.once('exit', (code) => { clearTimeout(deadline); reject(new Error(`the host ended with ${String(code)} before it printed a link:\n${stdout}${stderr}`)); });
      started.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        const [line, rest] = stdout.split('\n', 2);
        if (rest === undefined || line === undefined) return;
        clearTimeout(deadline);
        resolve(line);
      });
    });
  };
  const stop: RunningHost['stop'] = (signal) => {
    child?.kill(signal);
    return ended;
  };

  await start();
  return {
    home, workFolder, model, start, stop, link: () => link, pid: () => child?.pid ?? Number.NaN, stderr: () => stderr,
    async close() {
      await stop('SIGTERM');
      await model?.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
