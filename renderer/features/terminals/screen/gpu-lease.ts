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

/** Names of WebGL without a graphics processor: Chromium's own, Mesa's, Windows'. `failIfMajorPerformanceCaveat` lets them through. */
const PLAYED = /swiftshader|llvmpipe|softpipe|software|microsoft basic render/i;

let found: boolean | undefined;

/**
 * Whether WebGL here is more than a processor that plays one. A played one draws a terminal in another process and lets this page wait for
 * it, 30 to 45 ms a frame where elements take 3 (measured on SwiftShader): then elements draw.
 */
export function hasGraphicsProcessor(): boolean {
  if (found !== undefined) return found;
  const context = document.createElement('canvas').getContext('webgl2');
  const names = context?.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = names === null || names === undefined ? '' : context?.getParameter(names.UNMASKED_RENDERER_WEBGL);
  found = context !== null && !PLAYED.test(String(name));
  /** Chromium counts contexts until they are collected; this one is given back at once. */
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return found;
}

export const gpuPool = new GpuPool();
