/** Ways to run a command in an environment and look at what it did, for the conformance suite. */
import type { Environment, ProcessEnd, RunningProcess, StartSpec } from '../../environments/base.ts';

export interface Finished extends ProcessEnd { readonly text: string; readonly bytes: Buffer }

export class Session {
  readonly environment: Environment;
  readonly directory: string;

  constructor(environment: Environment, directory: string) {
    this.environment = environment;
    this.directory = directory;
  }

  /** Runs to the end as one call of the terminal tool would. */
  async run(command: string, more: Partial<StartSpec> = {}): Promise<Finished> {
    const running = await this.start(command, more);
    return running.finished;
  }

  async start(command: string, more: Partial<StartSpec> = {}): Promise<Watched> {
    return new Watched(await this.environment.start({ command, cwd: this.directory, shell: 'command', ...more }));
  }

  /** True while a process with this pid runs inside the backend. */
  async isAlive(pid: number): Promise<boolean> {
    const { exitCode } = await this.environment.exec({ command: `state=$(ps -o stat= -p ${pid}) && case "$state" in Z*) false ;; esac`, timeoutMs: 10_000, maxBytes: 1_000 });
    return exitCode === 0;
  }

  async readText(path: string): Promise<string> {
    return Buffer.from(await this.environment.readFile(path)).toString();
  }
}

/** A running process whose output can be waited for. */
export class Watched {
  readonly process: RunningProcess;
  readonly finished: Promise<Finished>;
  #bytes = Buffer.alloc(0);
  #waiting: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];

  constructor(process: RunningProcess) {
    this.process = process;
    process.onOutput((bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      this.#waiting = this.#waiting.filter(({ pattern, resolve }) => {
        if (!pattern.test(this.text)) return true;
        resolve();
        return false;
      });
    });
    this.finished = process.ended.then((end) => ({ ...end, text: this.text, bytes: this.#bytes }));
  }

  get text(): string {
    return this.#bytes.toString();
  }

  /** Resolves when the output matches; rejects when the process ends before it does. */
  async saw(pattern: RegExp): Promise<void> {
    if (pattern.test(this.text)) return;
    const seen = new Promise<void>((resolve) => { this.#waiting.push({ pattern, resolve }); });
    const over = this.finished.then((end) => { if (!pattern.test(end.text)) throw new Error(`ended without printing ${String(pattern)}: ${JSON.stringify(end)}`); });
    await Promise.race([seen, over]);
  }
}
