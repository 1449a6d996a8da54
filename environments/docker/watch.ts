/** Notices an Engine that does not answer any more, though its connection looks open: a cut network, a frozen daemon. */
import type Docker from 'dockerode';
import { EnvironmentError } from '../base.ts';

/** Together less than 10 s: a command is not left hanging longer. */
const LOOK_EVERY_MS = 1_500;
const ANSWER_MS = 2_500;
/** One late answer may be a busy machine. */
const MISSES = 2;

export class EngineWatch {
  readonly #docker: Docker;
  readonly #waiting = new Set<(why: string) => void>();
  #timer: NodeJS.Timeout | undefined;
  #misses = 0;

  constructor(docker: Docker) {
    this.#docker = docker;
  }

  /** `onDead` is called at most once, until the returned function is called. Looks only while somebody waits. */
  follow(onDead: (why: string) => void): () => void {
    this.#waiting.add(onDead);
    this.#look();
    return () => {
      this.#waiting.delete(onDead);
      if (this.#waiting.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#misses = 0;
    };
  }

  /** `work`, or `unreachable` when the Engine falls silent meanwhile. */
  async guard<T>(work: Promise<T>): Promise<T> {
    const dead = Promise.withResolvers<never>();
    const release = this.follow((why) => { dead.reject(new EnvironmentError('unreachable', why, { hint: 'Check that the Docker Engine runs and that DOCKER_HOST leads to it.' })); });
    try {
      return await Promise.race([work, dead.promise]);
    } finally {
      release();
      work.catch(() => undefined); // nobody waits for a late answer
    }
  }

  #look(): void {
    this.#timer ??= setTimeout(() => {
      void this.answers().then((answered) => {
        this.#misses = answered ? 0 : this.#misses + 1;
        this.#timer = undefined;
        if (this.#waiting.size === 0) return;
        if (this.#misses >= MISSES) this.#tell();
        else this.#look();
      });
    }, LOOK_EVERY_MS).unref();
  }

  /** Asks once; false when no answer comes soon. */
  async answers(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(() => resolve(false), ANSWER_MS).unref();
    const answered = await Promise.race([this.#docker.ping().then(() => true, () => false), late]);
    clearTimeout(timer);
    return answered;
  }

  #tell(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#misses = 0;
    for (const onDead of waiting) onDead('the Docker Engine does not answer any more');
  }
}
