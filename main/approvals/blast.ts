/** What a command reaches, looked at while its card is open: within the time limit, or told as unknown. Only looks: nothing here runs what a repository configures. */
import type { BlastRadius } from '../../preload/contract/approvals.ts';
import { gitState } from './blast-git.ts';
import { expandGlobs, mountsAt, Overrun, sizeOf, within, type Deadline } from './blast-files.ts';
import { inspectCommand, type Inspection, type ReviewPlace } from './detect.ts';
import type { Invocation } from './parse/model.ts';
import { readOptions } from './parse/options.ts';
import { type Field, HOME, UNKNOWN } from './parse/text.ts';
import { WRAPPERS } from './parse/wrappers.ts';
import { plainOperands } from './rules/rule.ts';
import { directoryOf, isInside } from './standing/coverage.ts';
import { projectRoot } from './standing/project.ts';

/** What a card says at first is known by then, or said to be unknown. */
export const BLAST_MS = 150;
/** A look that was cut short goes on for so long, so that a busy disk or a large tree is no last word. */
const SECOND_LOOK_MS = 2_000;
const SHOWN_PATHS = 20;
/** More operands than this are counted, not looked at. */
const MOST_OPERANDS = 2_000;

export interface BlastFacts { readonly command: string; readonly place: ReviewPlace }
/** Tells what it found, and a second time when the first look ran out of time. Never rejects for what it looks at. */
export type BlastLook = (facts: BlastFacts, tell: (found: BlastRadius) => void) => Promise<void>;

const RAISES = new Set(['sudo', 'doas', 'su', 'pkexec', 'run0']);
const REMOTE = new Set(['ssh', 'scp', 'sftp', 'rsync', 'mosh']);
const URL_HOST = /\b(?:https?|ftp|ssh|git|wss?):\/\/(?:[^\s/@]*@)?(\[[0-9a-f:.]+\]|[\w.-]+)/gi;
/** Words of these are text, addresses or names, not paths. */
const NO_FILES = new Set(['echo', 'printf', 'curl', 'wget', 'ssh', 'kill', 'pkill', 'killall', 'systemctl', 'docker', 'podman', 'kubectl', 'psql', 'mysql', 'sqlite3', 'npm', 'pnpm', 'yarn', 'pip', 'brew', 'true', 'false', 'export', 'ping', 'su']);
/** The first words behind these are no paths. */
const SKIPPED: ReadonlyMap<string, number> = new Map([['chmod', 1], ['chown', 1], ['chgrp', 1], ['git', 1], ['sed', 1], ['grep', 1], ['awk', 1]]);

const nothing = (workspace: string | null): BlastRadius => ({
  state: 'known', paths: [], count: 0, bytes: 0, outside: 0, workspace, untracked: null, dirty: null, mounts: [], hosts: [], privilege: null,
});

const unknownFiles = (base: BlastRadius, why: string): BlastRadius => ({ ...base, state: 'unknown', why, paths: [], count: null, bytes: null, outside: null, mounts: [] });

/** Words that are neither options nor what options take, for the programs whose options the detector knows. */
function operandsBehindOptions(invocation: Invocation): readonly Field[] {
  const wrapper = WRAPPERS.get(invocation.name);
  return wrapper === undefined ? plainOperands(invocation) : readOptions(invocation.argv, wrapper).operands;
}

/** Hosts in the words of the line, each once. */
function hostsOf({ units }: Inspection): string[] {
  const found = new Set<string>();
  for (const { invocation } of units) {
    for (const { text } of invocation.argv) for (const match of text.matchAll(URL_HOST)) found.add((match[1] ?? '').toLowerCase());
    if (!REMOTE.has(invocation.name)) continue;
    for (const { text } of operandsBehindOptions(invocation)) {
      const host = invocation.name === 'ssh' || invocation.name === 'mosh' ? /^(?:[^\s@/]+@)?([\w.-]+)$/.exec(text) : /^(?:[^\s@/:]+@)?([\w.-]+):/.exec(text);
      if (host?.[1] === undefined) continue;
      found.add(host[1].toLowerCase());
      if (invocation.name === 'ssh') break;
    }
  }
  found.delete('');
  return [...found];
}

function privilegeOf({ units }: Inspection): string | null {
  for (const { invocation } of units) {
    const { name, argv } = invocation;
    if (!RAISES.has(name)) continue;
    const words = argv.map(({ text }) => text);
    const flag = words.findIndex((word) => word === '-u' || word === '--user');
    const user = flag === -1 ? words.find((word) => word.startsWith('--user='))?.slice('--user='.length) : words[flag + 1];
    return user ?? (name === 'su' ? operandsBehindOptions(invocation).find(({ text }) => text !== '-')?.text ?? 'root' : 'root');
  }
  return null;
}

interface Operand { readonly pattern: string; readonly glob: boolean }

/** Absolute paths that flagged commands name; undefined when one is only known while it runs. */
function operandsOf(inspection: Inspection, place: ReviewPlace): Operand[] | undefined {
  const found: Operand[] = [];
  for (const { invocation, findings } of inspection.units) {
    if (findings.length === 0) continue;
    const fields = [...(NO_FILES.has(invocation.name) ? [] : plainOperands(invocation).slice(SKIPPED.get(invocation.name) ?? 0)), ...invocation.redirects.map(({ target }) => target)];
    const directory = directoryOf(invocation, place);
    for (const field of fields) {
      const path = absolute(field, directory, place.home);
      if (path === undefined) return undefined;
      found.push({ pattern: path, glob: field.glob });
    }
  }
  return found;
}

function absolute({ text }: Field, directory: string | undefined, home: string | undefined): string | undefined {
  if (text.includes(UNKNOWN) || text.includes('\0')) return undefined;
  const word = text.includes(HOME) ? (home === undefined ? undefined : text.replaceAll(HOME, home)) : text;
  if (word === undefined) return undefined;
  if (word.startsWith('/')) return word;
  return directory === undefined ? undefined : `${directory.replace(/\/$/, '')}/${word}`;
}

/**
 * Never rejects. `limitMs` bounds the whole look; what is not known by then is null, and `state` says when nothing about files is.
 * Files are looked at only where commands run on this machine.
 */
export async function lookAtBlast(facts: BlastFacts, limitMs = BLAST_MS): Promise<BlastRadius> {
  return (await look(facts, limitMs)).found;
}

/** See {@link BlastLook}. */
export async function followBlast(facts: BlastFacts, tell: (found: BlastRadius) => void, firstMs = BLAST_MS): Promise<void> {
  const first = await look(facts, firstMs);
  tell(first.found);
  if (first.cutShort) tell((await look(facts, SECOND_LOOK_MS)).found);
}

interface Look { readonly found: BlastRadius; readonly cutShort: boolean }

async function look({ command, place }: BlastFacts, limitMs: number): Promise<Look> {
  const done = (found: BlastRadius, cutShort = false): Look => ({ found, cutShort });
  const deadline: Deadline = { at: performance.now() + limitMs };
  const inspection = inspectCommand(command, place);
  const local = place.backend === 'local';
  const workspace = place.cwd === undefined ? null : local ? projectRoot(place.cwd, place.home) : place.cwd;
  const base: BlastRadius = { ...nothing(workspace), hosts: hostsOf(inspection), privilege: privilegeOf(inspection) };
  if (!local) return done(unknownFiles(base, `files on ${place.backend} are not looked at`));
  const operands = operandsOf(inspection, place);
  if (operands === undefined) return done(unknownFiles(base, 'what it names is only known while it runs'));
  if (operands.length > MOST_OPERANDS) return done(unknownFiles(base, 'it names too many files'));
  try {
    const paths = await expandGlobs(operands, deadline);
    const shown = { ...base, paths: paths.slice(0, SHOWN_PATHS), outside: workspace === null ? null : paths.filter((path) => !isInside(path, workspace)).length };
    const [size, git, mounts] = await Promise.all([orNull(sizeOf(paths, deadline)), orNull(within(gitState(paths, workspace, deadline), deadline)), orNull(mountsAt(paths, deadline))]);
    return done({ ...shown, count: size?.count ?? null, bytes: size?.bytes ?? null, untracked: git?.untracked ?? null, dirty: git?.dirty ?? null, mounts: mounts ?? [], ...(size === null ? { why: 'too much to count in time' } : {}) }, size === null || mounts === null || performance.now() > deadline.at);
  } catch (error) {
    return done(unknownFiles(base, error instanceof Overrun ? `it could not be looked at within ${limitMs} ms` : `it could not be looked at: ${error instanceof Error ? error.message : String(error)}`), error instanceof Overrun);
  }
}

/** A part of the look that takes too long is left out; the rest stands. */
async function orNull<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Overrun) return null;
    throw error;
  }
}
