/** Notices an Engine that does not answer any more, though its connection looks open: a cut network, a frozen daemon. */
import type Docker from 'dockerode';
import { EnvironmentError } from '../base.ts';

export interface EngineTiming {
  /** Between two looks, while somebody waits. */
  readonly lookEveryMs: number;
  /** Longest wait for an answer to a look. */
  readonly answerMs: number;
}

/** One late answer may be a busy machine. */
const MISSES = 2;
/** Both, `MISSES` times, together less than 10 s: a command is not left hanging longer. */
export const ENGINE_TIMING: EngineTiming = { lookEveryMs: 1_500, answerMs: 2_500 };

export class EngineWatch {
  readonly #docker: Docker;
  readonly #timing: EngineTiming;
  readonly #waiting = new Set<(why: string) => void>();
  #timer: NodeJS.Timeout | undefined;
  #misses = 0;

  constructor(docker: Docker, timing = ENGINE_TIMING) {
    this.#docker = docker;
    this.#timing = timing;
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
    }, this.#timing.lookEveryMs).unref();
  }

  /** Asks once; false when no answer comes soon. */
  async answers(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(() => resolve(false), this.#timing.answerMs).unref();
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
