/** The renderer bundle on disk. Only files found by listing the folder can be served: no address leads out of it. */
import { readFile, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.map', 'application/json; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.woff', 'font/woff'],
  ['.wav', 'audio/wav'],
  ['.mp3', 'audio/mpeg'],
  ['.ogg', 'audio/ogg'],
]);
const UNKNOWN_TYPE = 'application/octet-stream';

export interface BundleFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** True for names with a content hash: they never change. */
  readonly immutable: boolean;
}

/** `index.html` stands for `/`. */
export class Bundle {
  readonly #folder: string;
  #files = new Map<string, string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws `not-found` when the folder has no `index.html`. */
  static async open(folder: string): Promise<Bundle> {
    const bundle = new Bundle(folder);
    await bundle.#scan();
    return bundle;
  }

  /** The file at an address path such as `/assets/app-1a2b3c4d.js`; undefined when the bundle has none. */
  async read(path: string): Promise<BundleFile | undefined> {
    /** A build may have run since: the page names the files that belong to it. */
    if (path === '/') await this.#scan();
    const name = path === '/' ? '/index.html' : path;
    const file = this.#files.get(name);
    if (file === undefined) return undefined;
    return { bytes: await readFile(file), type: TYPES.get(extname(file)) ?? UNKNOWN_TYPE, immutable: name.startsWith('/assets/') };
  }

  async #scan(): Promise<void> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
      throw missing(this.#folder, cause);
    });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    this.#files = new Map(files.map((file) => [`/${relative(this.#folder, file).split(sep).join('/')}`, file]));
    if (!this.#files.has('/index.html')) throw missing(this.#folder, undefined);
  }
}

function missing(folder: string, cause: unknown): AppError {
  return new AppError('not-found', `the screens are not built: ${folder} has no index.html`, { hint: 'Run `npm run build` first.', cause });
}
