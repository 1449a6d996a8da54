/** Copies of files from before tools change them: kept, listed, compared, put back. The user's own repositories are never written. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../environments/base.ts';
import { CallId, SessionId } from '../../preload/contract/ids.ts';
import { CheckpointId, type Checkpoint, type CheckpointDiff, type CheckpointRestored } from '../../preload/contract/checkpoints.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { KeepRequest } from '../../tools/context.ts';
import type { Checkpoints, Clock, ConfigStore, Ids, Log } from '../ports.ts';
import { readFiles, readRemoteTrees, storeFiles, storeLocalTrees, type Captured, type Wanted } from './capture.ts';
import { changesBetween, textBetween } from './compare.ts';
import { putBack, type Target } from './put-back.ts';
import { isInside, rootOf } from './roots.ts';
import { refOf, Store, type Entry } from './store.ts';
import { tidy } from './tidy.ts';

/** A file tool goes on after this long, whatever git does; what is there has been read by then. */
const FILE_WAIT_MS = 250;
/** A command may wait longer: what it destroys cannot be read afterwards. */
const TREE_WAIT_MS = 5_000;
const LOOK_MS = 30_000;
/** Hermes' name and default: `checkpoints.max_snapshots`, per directory. */
const MOST_CHECKPOINTS = 50;
const REASON_CHARS = 200;
const MOST_DIFF_CHARS = 400_000;
const TIDY_AFTER_MS = 60_000;

export interface CheckpointsOptions {
  /** `<home>/desktop/checkpoints` */
  readonly directory: string;
  readonly config: Pick<ConfigStore, 'get'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'hex'>;
  readonly log: Log;
  redact(text: string): string;
  /** Path of git on this machine; undefined without one. */
  git(): string | undefined;
  environment(taskId: string): Promise<Environment>;
  cwd(taskId: string): string;
  /** The model of that chat learns of it with its next turn. */
  tell(sessionId: SessionId, text: string): void;
}

function relative(root: string, path: string): string {
  return path === root ? '' : path.slice(root === '/' ? 1 : root.length + 1);
}

/** What is told of an entry: not how it is stored. */
function shown({ created: _created, trees: _trees, modes: _modes, ...entry }: Entry): Checkpoint {
  return entry;
}

export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  const { config, clock, ids, log } = options;
  const writing = new Set<Promise<unknown>>();
  const cancelTidy = clock.after(TIDY_AFTER_MS, () => {
    void following(tidy(options.directory, clock, config).catch((error: unknown) => log.warn('old checkpoints could not be cleared away', { error })));
  });

  function following<T>(work: Promise<T>): Promise<T> {
    writing.add(work);
    const done = () => writing.delete(work);
    work.then(done, done);
    return work;
  }

  function patterns(): string[] {
    const more = config.get('checkpoints.exclude');
    return Array.isArray(more) ? more.filter((pattern) => typeof pattern === 'string') : [];
  }

  function storeAt(git: string, name: string): Store {
    return new Store(join(options.directory, name), git, patterns());
  }

  /** Another machine's directory of the same name is another directory. */
  function storeOf(git: string, environment: Environment, root: string): Store {
    const { backend, host, image } = environment.describe();
    const machine = backend === 'local' ? '' : backend === 'ssh' ? host : image ?? '';
    return storeAt(git, createHash('sha256').update([backend, machine, root].join('\0')).digest('hex').slice(0, 24));
  }

  function most(): number {
    const configured = config.get('checkpoints.max_snapshots');
    return typeof configured === 'number' && configured >= 1 ? Math.floor(configured) : MOST_CHECKPOINTS;
  }

  /** Takes the present state under `ref`. Resolves with what was found out; `read` is called once nothing has to stay as it is any more. */
  async function take(store: Store, environment: Environment, wanted: Wanted, ref: string, timeoutMs: number, read?: () => void): Promise<Captured> {
    if (wanted.trees.length > 0 && environment.backend === 'local') {
      return store.locked({ backend: environment.backend, root: wanted.root }, () => storeLocalTrees(store, ref, wanted, timeoutMs));
    }
    const files = await readFiles(environment, wanted);
    const trees = wanted.trees.length === 0 ? { kept: [], skipped: [] } : await readRemoteTrees(environment, store, wanted, timeoutMs);
    read?.();
    const kept = new Map([...trees.kept, ...files.kept].map((file) => [file.path, file]));
    await store.locked({ backend: environment.backend, root: wanted.root }, () => storeFiles(store, ref, [...kept.values()], timeoutMs));
    return { created: files.created, modes: files.modes, skipped: [...files.skipped, ...trees.skipped] };
  }

  async function keepIn(git: string, environment: Environment, wanted: Wanted, request: KeepRequest, read: () => void): Promise<void> {
    const store = storeOf(git, environment, wanted.root);
    const id = CheckpointId.parse(`cp_${ids.hex(6)}`);
    const createdAt = clock.now();
    const captured = await take(store, environment, wanted, refOf(id), wanted.trees.length > 0 ? TREE_WAIT_MS : LOOK_MS, read);
    const session = SessionId.safeParse(request.sessionId);
    const call = CallId.safeParse(request.toolCallId);
    const paths = [...wanted.files, ...wanted.trees];
    const reason = options.redact(request.command ?? paths.join(', ')).replaceAll(/\s+/g, ' ').slice(0, REASON_CHARS);
    await store.locked({ backend: environment.backend, root: wanted.root }, () => store.add({
      id, createdAt, sessionId: session.success ? session.data : null, callId: call.success ? call.data : null, tool: request.tool, reason,
      backend: environment.backend, root: wanted.root, paths, trees: [...wanted.trees], created: captured.created, modes: captured.modes, skipped: captured.skipped,
    }, most()));
  }

  async function wantedOf(environment: Environment, request: KeepRequest): Promise<Wanted[]> {
    const byRoot = new Map<string, { files: string[]; trees: string[] }>();
    const cwd = options.cwd(request.taskId) || environment.describe().defaultCwd;
    for (const path of new Set(request.paths)) {
      const kind = (await environment.stat(path))?.kind === 'directory' ? 'directory' : 'file';
      const root = await rootOf(path, kind, { cwd, local: environment.backend === 'local' });
      const group = byRoot.get(root) ?? { files: [], trees: [] };
      byRoot.set(root, group);
      (kind === 'directory' ? group.trees : group.files).push(relative(root, path));
    }
    return [...byRoot].map(([root, group]) => ({ root, ...group }));
  }

  async function keep(request: KeepRequest): Promise<void> {
    const git = config.get('checkpoints.enabled') === false ? undefined : options.git();
    if (git === undefined || request.paths.length === 0) return;
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    const cancels: (() => void)[] = [];
    const releaseAfter = (ms: number) => cancels.push(clock.after(ms, () => { release(undefined); }));
    releaseAfter(TREE_WAIT_MS);
    const work = following((async () => {
      const environment = await options.environment(request.taskId);
      const groups = await wantedOf(environment, request);
      let unread = groups.length;
      await Promise.all(groups.map((wanted) => keepIn(git, environment, wanted, request, () => {
        unread -= 1;
        if (unread === 0) releaseAfter(FILE_WAIT_MS);
      })));
    })());
    await Promise.race([released, work.catch((error: unknown) => log.warn('no checkpoint could be kept before a tool changed files', { tool: request.tool, error }))]);
    for (const cancel of cancels) cancel();
  }

  async function settled(): Promise<void> {
    await Promise.allSettled(writing);
  }

  async function everything(): Promise<{ readonly store: Store; readonly entry: Entry }[]> {
    await settled();
    const git = options.git() ?? 'git';
    const names = await readdir(options.directory).catch(() => []); // nothing was ever kept
    const lists = await Promise.all(names.map(async (name) => {
      const store = storeAt(git, name);
      const entries = await store.list().catch((error: unknown) => {
        log.warn('the list of a checkpoint store is damaged', { store: name, error });
        return [];
      });
      return entries.map((entry) => ({ store, entry }));
    }));
    return lists.flat().sort((a, b) => b.entry.createdAt - a.entry.createdAt);
  }

  async function find(id: CheckpointId): Promise<{ readonly store: Store; readonly entry: Entry; readonly later: readonly Entry[] }> {
    const all = await everything();
    const found = all.find(({ entry }) => entry.id === id);
    if (found === undefined) throw new AppError('not-found', `there is no checkpoint ${id}`, { hint: 'It may have been cleared away: the newest of each directory are kept.' });
    const later = all.filter(({ store, entry }) => store.directory === found.store.directory && entry.sessionId === found.entry.sessionId && entry.createdAt >= found.entry.createdAt && entry.tool !== 'restore');
    return { ...found, later: later.map(({ entry }) => entry).reverse() };
  }

  async function placeOf(entry: Entry): Promise<Environment> {
    const environment = await options.environment(entry.sessionId ?? 'default');
    if (environment.backend !== entry.backend) {
      throw new AppError('request/not-possible', `these files are on "${entry.backend}", and the chat works on "${environment.backend}" now`, { hint: `Choose the backend ${entry.backend} for the chat, then try again.` });
    }
    return environment;
  }

  /** Paths of an entry that are meant; none when it does not hold the one that is asked for. */
  function covered(entry: Entry, path: string | undefined): readonly string[] {
    if (path === undefined) return entry.paths;
    const wanted = path.startsWith('/') ? relative(entry.root, path) : path;
    return entry.paths.includes(wanted) || entry.trees.some((tree) => tree === '' || isInside(wanted, tree)) ? [wanted] : [];
  }

  function required(entry: Entry, path: string | undefined): readonly string[] {
    const paths = covered(entry, path);
    if (paths.length === 0) throw new AppError('not-found', `${path ?? 'nothing'} is not in checkpoint ${entry.id}`);
    return paths;
  }

  const wantedFrom = (entry: Pick<Entry, 'root' | 'paths' | 'trees'>): Wanted => ({ root: entry.root, files: entry.paths.filter((path) => !entry.trees.includes(path)), trees: entry.trees });

  async function diff(id: CheckpointId, path?: string): Promise<CheckpointDiff> {
    const { store, entry } = await find(id);
    const paths = required(entry, path);
    const now = `refs/scratch/${ids.hex(6)}`;
    await take(store, await placeOf(entry), wantedFrom(entry), now, LOOK_MS);
    const changes = await changesBetween(store, refOf(id), now, paths);
    const text = await textBetween(store, refOf(id), now, paths);
    await store.git(['update-ref', '-d', now], { timeoutMs: LOOK_MS });
    return { changes: changes.map(({ path: name, state }) => ({ path: name, state })), text: text.slice(0, MOST_DIFF_CHARS), cut: text.length > MOST_DIFF_CHARS };
  }

  async function restore(id: CheckpointId, { path, since }: { readonly path?: string; readonly since?: boolean }): Promise<CheckpointRestored> {
    const { store, entry, later } = await find(id);
    required(entry, path);
    const environment = await placeOf(entry);
    const entries = since === true ? later : [entry];
    const union = { root: entry.root, paths: [...new Set(entries.flatMap(({ paths }) => paths))], trees: [...new Set(entries.flatMap(({ trees }) => trees))] };
    const undo = CheckpointId.parse(`cp_${ids.hex(6)}`);
    const present = await take(store, environment, wantedFrom(union), refOf(undo), LOOK_MS);
    // The oldest state of a path is the one that it goes back to.
    const targets = new Map<string, Target>();
    for (const [index, each] of entries.entries()) {
      const paths = covered(each, path);
      for (const change of paths.length === 0 ? [] : await changesBetween(store, refOf(each.id), refOf(undo), paths)) {
        if (!entries.slice(0, index).some((older) => covered(older, change.path).length > 0)) targets.set(change.path, { ...change, createdByTool: each.created.includes(change.path), permissions: each.modes[change.path] });
      }
    }
    const result = await putBack(store, environment, entry.root, [...targets.values()]);
    const changed = result.restored.length + result.removed.length > 0;
    if (changed) {
      await store.locked({ backend: entry.backend, root: entry.root }, () => store.add({
        id: undo, createdAt: clock.now(), sessionId: entry.sessionId, callId: null, tool: 'restore', reason: `before ${entry.id} was put back`, backend: entry.backend,
        root: entry.root, paths: union.paths, trees: union.trees, created: present.created, modes: present.modes, skipped: present.skipped,
      }, most()));
      if (entry.sessionId !== null) {
        const names = [...result.restored, ...result.removed.map((name) => `${name} (removed)`)];
        options.tell(entry.sessionId, `The user has put files in ${entry.root} back to an earlier state: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}. Read them again before you edit them.`);
      }
    } else {
      await store.git(['update-ref', '-d', refOf(undo)], { timeoutMs: LOOK_MS });
    }
    return { ...result, undo: changed ? undo : null };
  }

  return {
    keep,
    list: async ({ sessionId, callId, limit }) => (await everything()).map(({ entry }) => entry)
      .filter((entry) => (sessionId === undefined || entry.sessionId === sessionId) && (callId === undefined || entry.callId === callId)).slice(0, limit).map(shown),
    diff, restore,
    close: async () => {
      cancelTidy();
      await settled();
    },
  };
}
