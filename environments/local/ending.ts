/** What the two kinds of local process share: one recorded cause of death, one whole-tree end, the report of the directory. */
import { constants } from 'node:os';
import { closeSync, constants as fsConstants, fstatSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import type { EndReason, ProcessEnd } from '../base.ts';
import { readProcess } from './proc.ts';
import { endTree, type TreeRoot } from './tree.ts';

/** Between the polite signal and SIGKILL when the caller names no other (hermes-runtime 6.2). */
const DEFAULT_GRACE_MS = 1_000;

const nameBySignal = new Map<number, string>(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** `SIGKILL` for 9; undefined for 0 and unknown numbers. */
export function signalName(number: number): string | undefined {
  return nameBySignal.get(number);
}

/** Files by which a command tells the directory and environment it ended in. */
export interface ReportFiles { readonly cwd: string; readonly snapshot: string; readonly nextSnapshot: string }

/** In a sandbox the command itself could have put a link or a pipe in the report's place: neither is followed, nor waited for. */
function readReport(path: string): string {
  const descriptor = openSync(path, fsConstants.O_RDONLY | fsConstants.O_NOFOLLOW | fsConstants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('the report of a command is no file');
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

export class Ending {
  readonly #root: TreeRoot;
  readonly #report: ReportFiles | undefined;
  readonly #cleanUp: readonly string[];
  #why: EndReason | undefined;

  constructor(options: { pid: number; mark: string; report?: ReportFiles | undefined; cleanUp?: readonly string[] }) {
    this.#root = { pid: options.pid, started: readProcess(options.pid)?.started, mark: options.mark };
    this.#report = options.report;
    this.#cleanUp = options.cleanUp ?? [];
  }

  async end(options: { why: 'abort' | 'timeout'; signal?: 'SIGINT' | 'SIGTERM' | 'SIGKILL'; graceMs?: number }): Promise<number[]> {
    this.#why ??= options.why;
    return endTree(this.#root, { first: options.signal ?? 'SIGTERM', graceMs: options.graceMs ?? DEFAULT_GRACE_MS });
  }

  /** To be called once, when the leader is gone and its output delivered. */
  result(exitCode: number | null, signal: string | null): ProcessEnd {
    const cwd = this.#readCwd();
    for (const path of this.#cleanUp) rmSync(path, { force: true });
    return { exitCode, signal, why: this.#why ?? 'exit', ...(cwd === undefined ? {} : { cwd }) };
  }

  #readCwd(): string | undefined {
    const report = this.#report;
    if (report === undefined) return undefined;
    try {
      const cwd = readReport(report.cwd).replace(/\n$/, '');
      rmSync(report.cwd, { force: true });
      // Written in full, since the directory is reported after it.
      renameSync(report.nextSnapshot, report.snapshot);
      return statSync(cwd).isDirectory() ? cwd : undefined;
    } catch {
      // No report: the command replaced its shell, was killed, or stands in a directory that is gone. The last one stays valid.
      rmSync(report.nextSnapshot, { force: true });
      return undefined;
    }
  }
}

/** One signal to a group; a group that is gone is no error. */
export function signalGroup(pgid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pgid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
