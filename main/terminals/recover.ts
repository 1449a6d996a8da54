/** What a start finds of the host before it: processes to adopt, terminals that are lost, strays to end. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { endTree, findOrphans } from '../../environments/local.ts';
import { SessionId, TerminalId } from '../../preload/contract/ids.ts';
import type { Clock, Log } from '../ports.ts';
import type { Terminal } from '../../preload/contract/terminal.ts';
import type { Checkpoint, CheckpointEntry } from './checkpoint.ts';
import type { Shelf } from './shelf.ts';
import { adopted, type DetachedTracked, type TrackedProcesses } from './tracked.ts';

/** Captured output is kept this long (hermes-runtime 5.4). */
const KEEP_OUTPUT_MS = 7 * 24 * 3_600_000;
const SWEEP_GRACE_MS = 1_000;
/** How often an adopted process is looked at for its end. */
const DETACHED_LOOK_MS = 5_000;

export interface RecoverParts {
  readonly checkpoint: Checkpoint;
  readonly tracked: TrackedProcesses;
  readonly shelf: Shelf;
  readonly home: string;
  readonly outputs: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the host closes: then nobody is followed any longer. */
  readonly closing: AbortSignal;
  changed(): void;
  /** What became of a process whose completion a chat wanted to be told; `soon`: it is worth a turn of its own. */
  tell(process: Told, words: string, soon: boolean): void;
  /** Follows what its backend kept running; false when it is not there. */
  reattach(entry: CheckpointEntry, row: Terminal): Promise<boolean>;
}

export interface Told { readonly id: TerminalId; readonly sessionId: SessionId | null; readonly command: string; readonly notify: boolean }

const UNSEEN = 'ended while the app was closed, or with it; its exit code was not seen';

/** Adopts what still lives by pid and start time, says of the rest that it is lost, and ends strays of dead hosts. */
export async function recover(parts: RecoverParts): Promise<void> {
  const entries = await parts.checkpoint.adopt();
  for (const entry of entries) {
    const id = TerminalId.safeParse(entry.session_id);
    const sessionId = SessionId.safeParse(entry.session_key);
    const tracked = id.success ? adopted(entry, { id: id.data, sessionId: sessionId.success ? sessionId.data : null }) : undefined;
    if (tracked === undefined) continue;
    parts.tracked.add(tracked);
    follow(tracked, parts);
  }
  const kept = new Map(entries.filter(({ remote }) => remote !== undefined).map((entry) => [entry.session_id, entry]));
  const away: { readonly entry: CheckpointEntry; readonly row: Terminal }[] = [];
  for (const row of parts.shelf.leftRunning()) {
    const entry = kept.get(row.id);
    if (entry !== undefined) {
      away.push({ entry, row });
      continue;
    }
    const found = parts.tracked.find(row.id, () => true);
    const wanted = entries.find(({ session_id: known }) => known === row.id)?.notify_on_complete === true;
    if (found?.id === row.id) {
      parts.shelf.amend(row.id, { readOnly: true, secretInput: false, fullScreen: false, driver: 'agent' });
    } else {
      // A local one without a terminal outlives its host: it has ended by itself, whenever that was.
      const words = row.backend !== 'local' ? 'lost when the app ended; it may still be running there' : row.kind === 'background' && row.mode === 'pipe' ? UNSEEN : 'ended together with the app';
      lose(row, words, parts);
      parts.tell({ ...row, notify: wanted }, words, false);
    }
  }
  parts.changed();
  await sweepOrphans(parts);
  pruneOutputs(parts);
  await Promise.all(away.map(({ entry, row }) => findAgain(entry, row, parts)));
}

function lose(row: Terminal, words: string, { shelf, clock }: RecoverParts): void {
  shelf.amend(row.id, { state: 'lost', ended: words, endedAt: clock.now(), readOnly: true, secretInput: false, fullScreen: false });
}

/** What was captured stays, whatever becomes of the program. */
async function findAgain(entry: CheckpointEntry, row: Terminal, parts: RecoverParts): Promise<void> {
  try {
    if (await parts.reattach(entry, row)) return;
    lost('lost when the app ended; it is not there any more');
  } catch (error) {
    parts.log.warn('a background process could not be followed again', { id: row.id, error });
    lost(`lost when the app ended; it may still be running there (${error instanceof Error ? error.message : String(error)})`);
  }
  function lost(words: string): void {
    lose(row, words, parts);
    parts.tell({ ...row, notify: entry.notify_on_complete }, words, false);
  }
}

/** No exit code is invented for a process that vanished. */
function follow(tracked: DetachedTracked, parts: RecoverParts): void {
  if (parts.closing.aborted) return;
  const cancel = parts.clock.after(DETACHED_LOOK_MS, () => {
    parts.closing.removeEventListener('abort', cancel);
    if (parts.tracked.running().includes(tracked)) {
      follow(tracked, parts);
      return;
    }
    const row = parts.shelf.get(tracked.id);
    if (row?.state === 'running') {
      const ended = tracked.killed === undefined ? 'ended; its exit code was not seen because the app was restarted meanwhile' : 'stopped by request';
      parts.shelf.amend(tracked.id, { state: 'exited', ended, endedAt: parts.clock.now() });
      if (tracked.killed === undefined && !tracked.delivered) parts.tell(tracked, ended, true);
    }
    parts.changed();
  });
  parts.closing.addEventListener('abort', cancel, { once: true });
}

async function sweepOrphans(parts: RecoverParts): Promise<void> {
  const kept = new Set(parts.tracked.all().flatMap((tracked) => (tracked.kind === 'detached' && tracked.mark !== undefined ? [tracked.mark] : [])));
  const marks = new Set(findOrphans(parts.home).map((orphan) => orphan.mark).filter((mark) => !kept.has(mark)));
  for (const mark of marks) {
    const survivors = await endTree({ pid: null, started: undefined, mark }, { first: 'SIGTERM', graceMs: SWEEP_GRACE_MS });
    if (survivors.length > 0) parts.log.warn('processes of an earlier run could not be ended', { survivors });
  }
  if (marks.size > 0) parts.log.info('processes that an earlier run left behind were ended', { commands: marks.size });
}

function pruneOutputs(parts: RecoverParts): void {
  const inUse = new Set(parts.shelf.list().map((row) => parts.shelf.capturePath(row.id)));
  try {
    for (const name of readdirSync(parts.outputs)) {
      const path = join(parts.outputs, name);
      const found = statSync(path);
      if (found.isFile() && name.endsWith('.log') && !inUse.has(path) && parts.clock.now() - found.mtimeMs > KEEP_OUTPUT_MS) rmSync(path);
    }
  } catch (error) {
    parts.log.warn('old output files could not be removed', { outputs: parts.outputs, error });
  }
}
