/** Which process has to carry an answer out, kept in the store until it has taken the answer up: an answer outlives the death of its asker. */
import { z } from 'zod';
import type { ApprovalId } from '../../preload/contract/ids.ts';
import type { Storage } from '../ports.ts';
import { isAlive, ownIdentity } from '../process-identity.ts';

/** This host's identity, and which of the stored ones still live. */
export interface Owner { readonly own: string; isAlive(identity: string): boolean }

/** Hosts of this very process that are not closed; one process may hold several, one after the other or at once. */
const livingHere = new Set<string>();

/** The identity of one host in this process; `nonce` tells it from others. `end` declares it dead, as its process' death would. */
export function ownerHere(nonce: string): Owner & { end(): void } {
  const here = `${ownIdentity()}:`;
  const own = here + nonce;
  livingHere.add(own);
  return {
    own,
    isAlive: (identity) => (identity.startsWith(here) ? livingHere.has(identity) : isAlive(identity)),
    end: () => { livingHere.delete(own); },
  };
}

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

  /** `living`: a process that will take the answer up. `none`: nobody has to, or somebody has. */
  ownerOf(id: ApprovalId): 'living' | 'dead' | 'none' {
    const identity = this.#read().get(id);
    return identity === undefined ? 'none' : this.#lives(identity) ? 'living' : 'dead';
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
