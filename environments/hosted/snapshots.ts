/** Which snapshot a task goes on from: a JSON file in the Hermes home, shared with Hermes (hermes-runtime 6.6, 6.8). */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lock } from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { EnvironmentError } from '../base.ts';

const LOCK = { stale: 10_000, realpath: false, retries: { retries: 20, minTimeout: 20, maxTimeout: 200 } } as const;

export class Snapshots {
  readonly #file: string;
  readonly #key: string;
  readonly #legacyKey: string;

  /** `prefix`: put before the task in keys; a key without it is read, too. */
  constructor(file: string, task: string, prefix = '') {
    this.#file = file;
    this.#key = `${prefix}${task}`;
    this.#legacyKey = task;
  }

  async #all(): Promise<Record<string, unknown>> {
    let text: string;
    try {
      text = await readFile(this.#file, 'utf8');
    } catch {
      return {}; // none kept yet
    }
    try {
      const parsed: unknown = JSON.parse(text);
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
      throw new TypeError('a JSON object is wanted');
    } catch (cause) {
      throw new EnvironmentError('failed', `${this.#file} is damaged: ${cause instanceof Error ? cause.message : String(cause)}`, { cause, hint: 'Correct or remove it; without it the sandbox starts from its image.' });
    }
  }

  async get(): Promise<string | undefined> {
    const all = await this.#all();
    const id = all[this.#key] ?? all[this.#legacyKey];
    return typeof id === 'string' && id !== '' ? id : undefined;
  }

  /** Undefined: forgotten. */
  async set(id: string | undefined): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true });
    const release = await lock(this.#file, LOCK);
    try {
      const { [this.#key]: _old, [this.#legacyKey]: _legacy, ...others } = await this.#all();
      await writeFileAtomic(this.#file, `${JSON.stringify(id === undefined ? others : { ...others, [this.#key]: id }, undefined, 2)}\n`, { mode: 0o600 });
    } finally {
      await release();
    }
  }
}
