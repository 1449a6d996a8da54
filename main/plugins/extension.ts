/** What user tools, plugins and MCP servers have in common for the host. */
import { AppError } from '../../preload/contract/errors.ts';

export interface Extension {
  /** Takes in what is new, changed or gone since the last look. Never rejects for what an extension does. */
  rescan(): Promise<void>;
  /** The person trusts what stands under that name as it is now. False when it is none of this kind. */
  trust(name: string): Promise<boolean>;
  /** Resolves when what starts in the background is usable or has failed, in bounded time. */
  ready?(): Promise<void>;
  /** Resolves when nothing is being loaded any more, also what `ready` has stopped waiting for; in bounded time. */
  settled?(): Promise<void>;
  close(): Promise<void> | void;
}

/** Several kinds as one: scanned side by side, asked for trust one after the other. */
export interface Extensions {
  rescan(): Promise<void>;
  /** Throws `not-found` when no kind knows the name. */
  trust(name: string): Promise<void>;
  /** Resolves when everything that starts in the background is usable or has failed, in bounded time. */
  ready(): Promise<void>;
  /** As `ready`, but what hangs is waited for until it is given up. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function joinExtensions(kinds: readonly Extension[]): Extensions {
  return {
    async rescan() {
      await Promise.all(kinds.map((kind) => kind.rescan()));
    },
    async trust(name) {
      for (const kind of kinds) if (await kind.trust(name)) return;
      throw new AppError('not-found', `There is no user tool, plugin or MCP server '${name}'.`, { hint: 'See `talaria tools` for what waits to be trusted.' });
    },
    async ready() {
      await Promise.all(kinds.map((kind) => kind.ready?.() ?? Promise.resolve()));
    },
    async settled() {
      await Promise.all(kinds.map((kind) => kind.settled?.() ?? Promise.resolve()));
    },
    async close() {
      for (const kind of kinds.toReversed()) await kind.close();
    },
  };
}
