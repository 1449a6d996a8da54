/**
 * `<home>/tools/*.{ts,js,mjs}` and `<home>/tools/<name>/tool.{ts,js,mjs}`: tools of the person's own, `export default (registry, helpers)
 * => …`, each file in a process of its own. It runs only after the person has trusted exactly this content, that of the files it imports
 * included; what has changed has to be trusted again.
 */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CheckReason, PluginOwner } from '../../tools/registry.ts';
import { describeThrown } from '../../tools/result.ts';
import { parseErrorCode } from './error-code.ts';
import type { Extension } from './extension.ts';
import { localFiles, type LocalFiles } from './local-imports.ts';
import type { ContextParts } from './plugin-context.ts';
import { Patience } from './patience.ts';
import { PluginDown } from './plugin-worker.ts';
import { RestartLimit } from './restart-limit.ts';
import type { TrustStore } from './trust-store.ts';
import { showUnavailable } from './unavailable.ts';
import { startUnit, type Unit } from './unit.ts';
import { watchFolders } from './watch-folders.ts';

export interface UserToolsParts extends ContextParts {
  readonly folder: string;
  readonly trust: TrustStore;
  /** Told when what the panel shows has changed. */
  readonly onChange: () => void;
}

interface Known { readonly hash: string; readonly trusted: boolean; unit?: Unit | undefined; hide: () => void; readonly life: AbortController; loading?: Promise<void> }

const isToolFile = (name: string): boolean => /\.(?:ts|js|mjs)$/.test(name) && !/\.(?:d|test)\.\w+$/.test(name) && !name.startsWith('.');
const PACKAGE_FILES = ['tool.ts', 'tool.js', 'tool.mjs'];
/** `dice` of `dice.ts` and of `dice/tool.ts`. */
const stemOf = (file: string): string => (file.includes('/') ? dirname(file) : file.replace(/\.\w+$/, ''));
const toolsetOf = (file: string): string => `user-${stemOf(file)}`;
/** Nothing that all chats share is shadowed by a file. */
const ownerOf = (file: string): PluginOwner => ({ id: toolsetOf(file), allowOverride: false, scope: 'profile' });

export function createUserTools(parts: UserToolsParts): Extension {
  const { folder, registry, trust, clock, log } = parts;
  const known = new Map<string, Known>();
  const restarts = new RestartLimit(clock);
  const patience = new Patience(clock);
  const life = new AbortController();
  const isClosed = (): boolean => life.signal.aborted;
  const watcher = watchFolders(parts, () => {
    scanNext().catch((error: unknown) => { log.error('the user\'s tools could not be looked at', { error }); });
  });
  const loads = new Set<Promise<void>>();
  let scanning: Promise<void> = Promise.resolve();

  async function entriesOf(path: string): Promise<{ files: string[]; folders: string[] }> {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return { files: entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name), folders: entries.filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name)).map(({ name }) => name) };
    } catch (error) {
      if (parseErrorCode(error) !== 'ENOENT') log.warn('the folder of the user\'s tools cannot be read', { folder: path, error });
      return { files: [], folders: [] };
    }
  }

  /** Tool files, sorted, relative to the folder. */
  async function list(): Promise<string[]> {
    const { files, folders } = await entriesOf(folder);
    const found = files.filter(isToolFile);
    for (const name of folders) {
      const inside = await entriesOf(join(folder, name));
      const file = PACKAGE_FILES.find((each) => inside.files.includes(each));
      if (file !== undefined) found.push(`${name}/${file}`);
    }
    return found.sort();
  }

  function blocked(file: string, reason: CheckReason): () => void {
    return showUnavailable(registry, ownerOf(file), {
      tool: `user_${stemOf(file).replace(/\W/g, '_')}`, toolset: toolsetOf(file), description: `The tools of ${join(folder, file)}`, reason,
    });
  }

  async function load(file: string, each: Known, { files }: LocalFiles): Promise<void> {
    const isCurrent = (): boolean => !isClosed() && known.get(file) === each;
    const fail = (words: string, fix: string): void => {
      log.warn('a user\'s tool file could not be used', { file, error: words });
      if (isCurrent()) each.hide = blocked(file, { step: 'check-failed', message: `${file} could not be loaded: ${words}`, fix });
    };
    try {
      const unit = await startUnit({ owner: ownerOf(file), kind: 'tool-file', version: '', folder, entry: join(folder, file), rules: { folder, trusted: files } }, parts, {
        unwanted: each.life.signal,
      });
      if (unit.tools.length > 0) {
        each.unit = unit;
        unit.onDown(({ message }) => {
          if (!isCurrent() || each.unit !== unit) return;
          each.unit = undefined;
          const again = restarts.take(file);
          fail(`it was stopped: ${message}`, again ? 'It is being started again.' : 'Mend the file and trust it again.');
          parts.onChange();
          if (!again) return;
          each.hide();
          begin(file, each, { files, hash: each.hash });
        });
        log.info('user tools loaded', { file, tools: unit.tools });
        return;
      }
      unit.close();
      fail(unit.rejected.length === 0 ? 'it registered no tool.' : `others have its names already: ${unit.rejected.join(', ')}.`, 'Mend the file, trust it again and check again.');
    } catch (error) {
      if (isCurrent()) fail(error instanceof PluginDown ? error.message : describeThrown(error), 'Mend the file, trust it again and check again.');
    } finally {
      parts.onChange();
    }
  }

  /** Loads beside everything else: one that hangs holds up no other. */
  function begin(file: string, each: Known, content: LocalFiles): void {
    const loading = load(file, each, content).finally(() => { loads.delete(loading); });
    loads.add(loading);
    each.loading = loading;
  }

  function drop(file: string): void {
    const each = known.get(file);
    known.delete(file);
    each?.life.abort();
    each?.hide();
    each?.unit?.close();
  }

  async function take(file: string): Promise<{ readonly changed: boolean; readonly folders: string[] }> {
    const content = await localFiles(join(folder, file));
    const folders = Object.keys(content.files).map((path) => dirname(path));
    const trusted = trust.get(file) === content.hash;
    const before = known.get(file);
    if (isClosed() || (before?.hash === content.hash && before.trusted === trusted)) return { changed: false, folders };
    const why = trust.get(file) === undefined ? 'is new' : 'has changed since it was trusted';
    drop(file);
    const each: Known = { hash: content.hash, trusted, hide: () => undefined, life: new AbortController() };
    known.set(file, each);
    restarts.forget(file);
    if (trusted) begin(file, each, content);
    else each.hide = blocked(file, { step: 'plugin-not-trusted', message: `${join(folder, file)} ${why}; nothing of it has run.`, fix: `Read it, then run \`talaria tools trust ${file}\`.` });
    return { changed: true, folders };
  }

  async function scan(): Promise<void> {
    if (isClosed()) return;
    const files = await list();
    let changed = false;
    for (const file of known.keys()) {
      if (files.includes(file)) continue;
      drop(file);
      changed = true;
    }
    const taken = await Promise.all(files.map((file) => take(file).catch((error: unknown) => {
      log.warn('a user\'s tool file cannot be read', { file, error: describeThrown(error) });
      return { changed: false, folders: [] };
    })));
    const { folders } = await entriesOf(folder);
    watcher.follow([dirname(folder), folder, ...folders.map((name) => join(folder, name)), ...taken.flatMap((each) => each.folders)]);
    if (changed || taken.some((each) => each.changed)) parts.onChange();
  }

  const scanNext = (): Promise<void> => scanning = scanning.then(scan);
  const ready = async (): Promise<void> => {
    await scanning;
    await Promise.all([...loads].map((each) => patience.wait(each)));
  };
  const rescan = async (): Promise<void> => {
    await scanNext();
    await ready();
  };

  return {
    rescan,
    ready,
    async settled() {
      await scanning;
      await Promise.all(loads);
    },
    async trust(name) {
      const file = (await list()).find((each) => [each, stemOf(each), toolsetOf(each)].includes(name));
      if (file === undefined) return false;
      trust.set({ [file]: (await localFiles(join(folder, file))).hash });
      await scanNext();
      // Whoever trusts it wants to know what became of it.
      await known.get(file)?.loading;
      return true;
    },
    close() {
      life.abort();
      watcher.close();
      for (const file of [...known.keys()]) drop(file);
    },
  };
}
