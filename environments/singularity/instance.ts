/** The instance that commands run in: image, overlay, start and stop (hermes-runtime 6.5). */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import writeFileAtomic from 'write-file-atomic';
import { EnvironmentError, type EnvironmentDescription } from '../base.ts';
import { homeMounts, type Hosts } from '../shell.ts';
import { Instances } from './strays.ts';
import type { SingularitySettings } from './settings.ts';

const run = promisify(execFile);
/** hermes-runtime 6.5. */
const BUILD_MS = 600_000;
const START_MS = 120_000;
const STOP_MS = 9_000;
const LIST_MS = 3_000;

export interface InstanceOptions {
  /** Absolute path of apptainer or singularity. */
  readonly program: string;
  readonly settings: SingularitySettings;
  readonly task: string;
  readonly sandboxes: string;
  /** Directory that relative host sides of binds start from. */
  readonly hostCwd: string;
  /** Home whose skills, cache and credential files are shown inside, read-only; absent = none. */
  readonly home?: { readonly directory: string; readonly credentialFiles: readonly string[] };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hosts of this home: instances of dead ones are stopped. */
  readonly hosts: Hosts;
}

export interface Instance {
  readonly name: string;
  readonly mounts: EnvironmentDescription['mounts'];
  /** False only when it certainly runs no more. */
  isAlive(): Promise<boolean>;
  stop(): Promise<void>;
}

function said(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return stderr === '' ? (error instanceof Error ? error.message : String(error)) : stderr.slice(-500);
}

/** Built once and kept; where building is not possible the address itself is used. */
async function imageOf({ program, settings, sandboxes, env }: InstanceOptions): Promise<string> {
  if (!settings.image.startsWith('docker://')) return settings.image;
  const cache = join(sandboxes, 'singularity', 'images');
  const file = join(cache, `${createHash('sha256').update(settings.image).digest('hex').slice(0, 16)}.sif`);
  if (existsSync(file)) return file;
  await mkdir(cache, { recursive: true });
  const half = `${file}.${randomBytes(4).toString('hex')}.part`;
  try {
    await run(program, ['build', half, settings.image], { timeout: BUILD_MS, env });
    await rename(half, file);
    return file;
  } catch {
    await rm(half, { force: true });
    return settings.image; // `instance start` fetches it itself, or says why it cannot
  }
}

/** Directory of the overlay; remembered, so that a later start finds the same one. */
async function overlayOf({ task, sandboxes }: InstanceOptions): Promise<string> {
  const record = join(sandboxes, 'singularity_snapshots.json');
  const text = await readFile(record, 'utf8').catch(() => '{}'); // none kept yet
  let known: Record<string, string>;
  try {
    known = JSON.parse(text) as Record<string, string>; // written below
  } catch (cause) {
    throw new EnvironmentError('failed', `${record} is damaged: ${said(cause)}`, { cause, hint: 'Correct or remove it; the overlays themselves are beside it.' });
  }
  const overlay = known[task] ?? join(sandboxes, 'singularity', 'overlays', task.replace(/[^A-Za-z0-9_.-]/g, '_'));
  await mkdir(overlay, { recursive: true, mode: 0o700 });
  await writeFileAtomic(record, `${JSON.stringify({ ...known, [task]: overlay }, undefined, 2)}\n`);
  return overlay;
}

const HOME_INSIDE = '/root';

/** What of this machine is seen inside. A directory that is not there is an error: it would be missed silently. */
function mountsOf({ settings, hostCwd, home }: Pick<InstanceOptions, 'settings' | 'hostCwd' | 'home'>): EnvironmentDescription['mounts'] {
  const named = settings.binds.map((bind) => {
    const [host = '', inside = '', mode] = bind.split(':');
    const path = resolve(hostCwd, host.replace(/^~(?=$|\/)/, homedir()));
    if (!existsSync(path)) throw new EnvironmentError('missing', `${path} cannot be bound into the container: it does not exist`, { hint: 'Correct TERMINAL_SINGULARITY_BINDS (terminal.singularity_binds).' });
    return { host: path, inside, readOnly: mode === 'ro' };
  });
  const ofHome = home === undefined ? [] : homeMounts(home.directory, home.credentialFiles, HOME_INSIDE);
  return [...named, ...ofHome.filter(({ inside, host }) => !named.some((mount) => mount.inside === inside) && !/[:,]/.test(host)).map((mount) => ({ ...mount, readOnly: true }))];
}

/** Throws `EnvironmentError`; leaves nothing half-started. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { program, settings, env } = options;
  const name = `hermes_${randomBytes(6).toString('hex')}`;
  const image = await imageOf(options);
  const storage = settings.persistent ? ['--overlay', await overlayOf(options)] : ['--writable-tmpfs'];
  const limits = [...(settings.memoryMb > 0 ? ['--memory', `${settings.memoryMb}M`] : []), ...(settings.cpus > 0 ? ['--cpus', String(settings.cpus)] : [])];
  const mounts = mountsOf(options);
  const binds = mounts.flatMap(({ host, inside, readOnly }) => ['--bind', `${host}:${inside}${readOnly ? ':ro' : ''}`]);
  const gpu = settings.gpu === undefined ? [] : [settings.gpu];
  const start = (flags: readonly string[]) => run(program, ['instance', 'start', '--containall', '--no-home', ...storage, ...gpu, ...binds, ...flags, image, name], { timeout: START_MS, env });
  const instances = new Instances(options.sandboxes, options.hosts);
  const stopNamed = async (wanted: string) => { await run(program, ['instance', 'stop', wanted], { timeout: STOP_MS, env }); };
  for (const stray of instances.strays()) {
    try {
      await stopNamed(stray);
    } catch (error) {
      if (!/no instance/i.test(said(error)) || instances.isYounger(stray, START_MS)) continue; // left for the next start
    }
    instances.forget(stray);
  }
  const stop = async () => {
    try {
      await stopNamed(name);
    } catch (cause) {
      // Killed from outside, it is gone as wanted; else the next host of the home tries again.
      if (!/no instance/i.test(said(cause))) throw new EnvironmentError('failed', `the container could not be stopped: ${said(cause)}`, { cause });
    }
    instances.forget(name);
  };
  instances.note(name);
  try {
    // Without control groups for users limits are refused: a container without them is better than none.
    await start(limits).catch((error: unknown) => {
      if (limits.length === 0 || !/cgroup/i.test(said(error))) throw error;
      return start([]);
    });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') instances.forget(name); // the program itself is not there
    else await stop().catch(() => undefined); // it mostly never came to be
    throw new EnvironmentError('failed', `the container could not be started: ${said(cause)}`, { cause, hint: 'Check TERMINAL_SINGULARITY_IMAGE (terminal.singularity_image).' });
  }
  const isAlive = async () => {
    const listed = await run(program, ['instance', 'list', '--json'], { timeout: LIST_MS, env }).catch(() => undefined); // it cannot be told
    return listed === undefined || listed.stdout.includes(`"${name}"`);
  };
  return { name, mounts, isAlive, stop };
}
