/**
 * The registry as one plugin or tool file sees it. While it loads, its tools are only checked and kept; `commit` puts all of them
 * there in one step. What it registered goes when it goes.
 */
import type { PluginOwner, ToolEntry, ToolRegistration, ToolRegistry } from '../../tools/registry.ts';

interface Placed { readonly entry: ToolEntry; readonly displaced: ToolEntry | undefined }

export class OwnedRegistry {
  readonly #registry: ToolRegistry;
  readonly #owner: PluginOwner;
  readonly #staged = new Map<string, ToolRegistration>();
  readonly #placed = new Map<string, Placed>();
  readonly #rejected: string[] = [];
  #state: 'loading' | 'open' | 'closed' = 'loading';

  constructor(registry: ToolRegistry, owner: PluginOwner) {
    this.#registry = registry;
    this.#owner = owner;
  }

  /**
   * Adds a tool by the rules of hermes-runtime 1.2: false when the tool of that name stays. Throws TypeError for a malformed
   * registration, PermissionError for `override` without the operator's consent, Error after the plugin was unloaded.
   */
  register(registration: ToolRegistration): boolean {
    if (this.#state === 'closed') throw new Error(`'${this.#owner.id}' was unloaded and can register no more tools.`);
    const accepted = this.#check(registration);
    if (!accepted) this.#rejected.push(registration.name);
    else if (this.#state === 'loading') this.#staged.set(registration.name, registration);
    else this.#place(registration);
    return accepted;
  }

  #check(registration: ToolRegistration): boolean {
    // The version before makes room at the commit; until then its tools are in nobody's way.
    const existing = this.#registry.getEntry(registration.name);
    const own = existing?.owner?.id === this.#owner.id;
    return this.#registry.mayRegister(own ? { ...registration, toolset: existing.toolset } : registration, { owner: this.#owner });
  }

  #place(registration: ToolRegistration): void {
    const existing = this.#registry.getEntry(registration.name);
    const before = this.#placed.get(registration.name);
    if (before !== undefined && before.entry === existing && existing.toolset !== registration.toolset) this.#takeBack(before);
    if (!this.#registry.register(registration, { owner: this.#owner })) {
      this.#rejected.push(registration.name);
      return;
    }
    const entry = this.#registry.getEntry(registration.name);
    if (entry !== undefined) this.#placed.set(entry.name, { entry, displaced: before === undefined ? existing : before.displaced });
  }

  /** Every tool that was kept is there when it returns. */
  commit(): void {
    this.#state = 'open';
    for (const registration of this.#staged.values()) this.#place(registration);
    this.#staged.clear();
  }

  /** The tool is a new entry: its schema says something else than before. Nothing happens when somebody else has taken its place. */
  renew(registration: ToolRegistration): void {
    if (this.#state === 'open' && this.#registry.getEntry(registration.name) === this.#placed.get(registration.name)?.entry) this.#place(registration);
  }

  /** Names of what is in place, in order. */
  get names(): readonly string[] {
    return [...this.#placed.keys()];
  }

  /** Names that stayed with whoever had them; the log says why. */
  get rejected(): readonly string[] {
    return [...new Set(this.#rejected)];
  }

  /** Takes everything away again and puts back what it had displaced. */
  close(): void {
    this.#state = 'closed';
    for (const placed of [...this.#placed.values()].toReversed()) this.#takeBack(placed);
    this.#placed.clear();
    this.#staged.clear();
  }

  #takeBack({ entry, displaced }: Placed): void {
    if (this.#registry.getEntry(entry.name) !== entry) return;
    if (displaced === undefined) this.#registry.deregister(entry.name, { owner: this.#owner });
    else this.#registry.restore(displaced, entry);
  }
}
