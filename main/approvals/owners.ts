/** Which process has to carry an answer out, kept in the store until it has taken the answer up: an answer outlives the death of its asker. */
import { z } from 'zod';
import type { ApprovalId } from '../../preload/contract/ids.ts';
import type { Storage } from '../ports.ts';

/** This host's identity, and which of the stored ones still live. */
export interface Owner { readonly own: string; isAlive(identity: string): boolean }

const KEY = 'approval-owners';
const Stored = z.record(z.string(), z.string());

/** Call its methods inside a transaction of the store where they read and write together. */
export class Owners {
  readonly #values: Storage['values'];
  readonly #owner: Owner;

  constructor(values: Storage['values'], owner: Owner) {
    this.#values = values;
    this.#owner = owner;
  }

  claim(id: ApprovalId): void {
    this.#change((owners) => { owners.set(id, this.#owner.own); });
  }

  drop(id: ApprovalId): void {
    this.#change((owners) => { owners.delete(id); });
  }

  isOwn(id: ApprovalId): boolean {
    return this.#read().get(id) === this.#owner.own;
  }

  /** True when a living process will take the answer up. */
  hasLiving(id: ApprovalId): boolean {
    const identity = this.#read().get(id);
    return identity !== undefined && this.#lives(identity);
  }

  /** Requests whose process died before it took an answer up. */
  orphaned(): ApprovalId[] {
    return [...this.#read()].filter(([, identity]) => !this.#lives(identity)).map(([id]) => id as ApprovalId); // cast: `claim` writes these keys
  }

  #lives(identity: string): boolean {
    return identity === this.#owner.own || this.#owner.isAlive(identity);
  }

  #read(): Map<string, string> {
    const text = this.#values.get(KEY);
    return new Map(Object.entries(text === undefined ? {} : Stored.parse(JSON.parse(text))));
  }

  #change(change: (owners: Map<string, string>) => void): void {
    const owners = this.#read();
    change(owners);
    this.#values.set(KEY, owners.size === 0 ? undefined : JSON.stringify(Object.fromEntries(owners)));
  }
}
