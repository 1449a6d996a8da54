/** Instances that a killed host left running: each is written down while a host uses it, and stopped by the next host of the home. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hosts } from '../shell.ts';

export class Instances {
  readonly #directory: string;
  readonly #hosts: Hosts;

  constructor(sandboxes: string, hosts: Hosts) {
    this.#directory = join(sandboxes, 'singularity', 'instances');
    this.#hosts = hosts;
  }

  /** Before it is started: one that comes up while the host dies is found all the same. */
  note(name: string): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#directory, name), this.#hosts.self);
  }

  forget(name: string): void {
    rmSync(join(this.#directory, name), { force: true });
  }

  /** Noted within the last `ms`: the program that starts it outlives its host, and may be at it still. */
  isYounger(name: string, ms: number): boolean {
    try {
      return Date.now() - statSync(join(this.#directory, name)).mtimeMs < ms;
    } catch {
      return false; // another host has just forgotten it
    }
  }

  /** Names of instances whose host is dead. */
  strays(): string[] {
    let names: string[];
    try {
      names = readdirSync(this.#directory);
    } catch {
      return []; // none was ever noted
    }
    return names.filter((name) => {
      try {
        return !this.#hosts.isAlive(readFileSync(join(this.#directory, name), 'utf8'));
      } catch {
        return false; // another host has just forgotten it
      }
    });
  }
}
