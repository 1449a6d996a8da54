/** The files that a message can name with `@`: one list per place and folder, kept for a while and made anew beside what runs. */
import { EnvironmentError, type EnvironmentForTools } from '../../environments/base.ts';
import type { FileMatches } from '../../preload/contract/composer.ts';
import { listFiles } from './listing.ts';
import { bestMatches, candidate, type Candidate } from './match.ts';

/** What a person can look through at a glance. */
const MOST_SHOWN = 12;
/** After this long a list is made anew when the next key asks for it. */
const FRESH_MS = 4_000;
/** So long a key waits for the new list; then it is answered from the old one. */
const PATIENCE_MS = 40;
/** Folders whose lists are kept at once. */
const MOST_KEPT = 4;

interface Kept { readonly candidates: readonly Candidate[]; readonly whole: boolean; readonly at: number }

export interface FileFinder {
  /** Never throws for a folder or a place that cannot be reached: `note` says so. */
  find(taskId: string, query: string): Promise<FileMatches>;
}

export interface FileFinderParts {
  /** Milliseconds. */
  readonly monotonic: () => number;
  readonly terminals: {
    environment(taskId: string): Promise<EnvironmentForTools>;
    backend(taskId: string): string;
    cwd(taskId: string): string;
    /** The task's own place, when it is open. */
    openPlaces(taskId: string): readonly unknown[];
  };
}

export function createFileFinder({ monotonic, terminals }: FileFinderParts): FileFinder {
  const lists = new Map<string, { kept: Kept | undefined; making: Promise<Kept> | undefined }>();

  async function make(taskId: string, folder: string): Promise<Kept> {
    const environment = await terminals.environment(taskId);
    const { files, whole } = await listFiles(environment, folder === '' ? environment.describe().defaultCwd : folder);
    const folders = new Set<string>();
    for (const file of files) for (let slash = file.lastIndexOf('/'); slash > 0 && !folders.has(file.slice(0, slash + 1)); slash = file.lastIndexOf('/', slash - 1)) folders.add(file.slice(0, slash + 1));
    return { candidates: [...files, ...folders].map(candidate), whole, at: monotonic() };
  }

  function listOf(taskId: string, folder: string): { readonly kept: Kept | undefined; readonly making: Promise<Kept> | undefined } {
    const key = `${terminals.backend(taskId)}\0${taskId}\0${folder}`;
    const list = lists.get(key) ?? { kept: undefined, making: undefined };
    lists.delete(key); // the latest stands last
    lists.set(key, list);
    for (const old of lists.keys()) if (lists.size > MOST_KEPT) lists.delete(old);
    if (list.making === undefined && (list.kept === undefined || monotonic() - list.kept.at > FRESH_MS)) {
      list.making = make(taskId, folder).then((kept) => { list.kept = kept; return kept; }).finally(() => { list.making = undefined; });
      list.making.catch(() => undefined); // who waits for it is told below
    }
    return list;
  }

  async function candidatesOf(taskId: string): Promise<Kept> {
    const { kept, making } = listOf(taskId, terminals.cwd(taskId));
    if (kept === undefined) return making ?? { candidates: [], whole: true, at: 0 };
    if (making === undefined) return kept;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<Kept>((resolve) => { timer = setTimeout(() => { resolve(kept); }, PATIENCE_MS); });
    return Promise.race([making.catch(() => kept), patience]).finally(() => { clearTimeout(timer); });
  }

  return {
    async find(taskId, query) {
      const backend = terminals.backend(taskId);
      // A connection may ask for a password, and a sandbox may cost money: a typed character starts neither.
      if (backend !== 'local' && terminals.openPlaces(taskId).length === 0) {
        return { paths: [], note: `Files on ${backend} are listed once this chat has run something there. A path can be typed as it is.` };
      }
      try {
        const { candidates, whole } = await candidatesOf(taskId);
        return { paths: await bestMatches(candidates, query, MOST_SHOWN), note: whole ? null : 'This folder is very large: not all of its files are listed here.' };
      } catch (error) {
        if (!(error instanceof EnvironmentError)) throw error;
        return { paths: [], note: `The files of this chat’s folder could not be listed: ${error.message}` };
      }
    },
  };
}
