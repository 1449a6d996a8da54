/** Named gates: a reply waits at one until the test opens it. Nothing here knows about time. */

interface Gate {
  readonly opened: Promise<undefined>;
  readonly reached: Promise<undefined>;
  open(): void;
  reach(): void;
}

function makeGate(): Gate {
  const opening = Promise.withResolvers<undefined>();
  const reaching = Promise.withResolvers<undefined>();
  return { opened: opening.promise, reached: reaching.promise, open: () => opening.resolve(undefined), reach: () => reaching.resolve(undefined) };
}

export class Gates {
  readonly #gates = new Map<string, Gate>();

  /** Called by a reply; resolves when the gate is open. */
  pass(name: string): Promise<void> {
    const gate = this.#gate(name);
    gate.reach();
    return gate.opened;
  }

  reached(name: string): Promise<void> {
    return this.#gate(name).reached;
  }

  open(name: string): void {
    this.#gate(name).open();
  }

  /** So that no reply keeps the server from closing. */
  openAll(): void {
    for (const gate of this.#gates.values()) gate.open();
  }

  #gate(name: string): Gate {
    const known = this.#gates.get(name);
    if (known) return known;
    const made = makeGate();
    this.#gates.set(name, made);
    return made;
  }
}
