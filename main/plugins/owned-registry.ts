/** The registry as one plugin or user tool sees it: what it registers is its own, and goes when it goes. */
import { PermissionError, type PluginOwner, type ToolEntry, type ToolRegistration, type ToolRegistry } from '../../tools/registry.ts';

export class OwnedRegistry {
  readonly #registry: ToolRegistry;
  readonly #owner: PluginOwner;
  readonly #placed: { readonly entry: ToolEntry; readonly displaced: ToolEntry | undefined }[] = [];
  #closed = false;

  constructor(registry: ToolRegistry, owner: PluginOwner) {
    this.#registry = registry;
    this.#owner = owner;
  }

  /**
   * Adds a tool. Throws TypeError for a malformed registration, PermissionError for the name of somebody else's tool without
   * `override` and the operator's consent (also within the same toolset), Error after the plugin was unloaded.
   */
  register(registration: ToolRegistration): void {
    if (this.#closed) throw new Error(`'${this.#owner.id}' was unloaded and can register no more tools.`);
    const existing = this.#registry.getEntry(registration.name);
    const foreign = existing !== undefined && existing.owner?.id !== this.#owner.id;
    if (foreign && (registration.override !== true || !this.#owner.allowOverride)) {
      throw new PermissionError(`'${this.#owner.id}' may not replace tool '${registration.name}' of toolset '${existing.toolset}'. Give the tool another name`
        + `${registration.override === true ? `, or set plugins.entries.${this.#owner.id}.allow_tool_override: true in config.yaml` : ''}.`);
    }
    if (!this.#registry.register(registration, { owner: this.#owner })) throw new Error(`Tool '${registration.name}' was not accepted; the log says why.`);
    const entry = this.#registry.getEntry(registration.name);
    if (entry !== undefined) this.#placed.push({ entry, displaced: foreign ? existing : undefined });
  }

  /** Names of what was registered, in order. */
  get names(): readonly string[] {
    return this.#placed.map(({ entry }) => entry.name);
  }

  /** Takes everything away again and puts back what it had displaced. */
  close(): void {
    this.#closed = true;
    for (const { entry, displaced } of this.#placed.splice(0).toReversed()) {
      if (this.#registry.getEntry(entry.name) !== entry) continue;
      if (displaced === undefined) this.#registry.deregister(entry.name, { owner: this.#owner });
      else this.#registry.restore(displaced, entry);
    }
  }
}
