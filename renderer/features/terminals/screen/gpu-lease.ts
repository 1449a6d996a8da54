/** Lends the graphics processor to the few terminals that can be seen. Chromium allows about 16 contexts in a page (anchors B4). */

const MOST_LEASES = 8;

export interface GpuAddon {
  onContextLoss(listener: () => void): unknown;
  dispose(): void;
}

export class GpuPool {
  readonly #most: number;
  #used = 0;

  constructor(most = MOST_LEASES) {
    this.#most = most;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Loads an addon that draws by the graphics processor. Returns what gives it back, also when there was none to be had: the terminal
   * then draws by elements. A lost context falls back the same way, for good.
   */
  lease(load: () => GpuAddon): () => void {
    if (this.#used >= this.#most) return () => undefined;
    let addon: GpuAddon;
    try {
      addon = load();
    } catch (error) {
      console.info('terminals are drawn without the graphics processor', error);
      return () => undefined;
    }
    this.#used += 1;
    let held = true;
    const giveBack = (): void => {
      if (!held) return;
      held = false;
      this.#used -= 1;
      addon.dispose();
    };
    addon.onContextLoss(giveBack);
    return giveBack;
  }
}

export const gpuPool = new GpuPool();
