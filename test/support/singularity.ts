/** A stand-in for apptainer that checks its arguments and really isolates, and an image for it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTree } from './dockerd.ts';
import { install } from './install.ts';

export interface StandIn {
  readonly program: string;
  readonly image: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

/** False when it cannot be had here; the reason is printed. */
export async function haveStandIn(): Promise<boolean> {
  if (spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status !== 0) {
    console.log('skipped: namespaces cannot be made here, so the stand-in for apptainer could not isolate');
    return false;
  }
  return existsSync('/usr/bin/busybox') || install('busybox-static', 'procps');
}

export async function openStandIn(): Promise<StandIn> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'talaria-apptainer-')));
  const state = join(folder, 'state');
  await mkdir(state);
  return {
    program: fileURLToPath(new URL('../fixtures/programs/apptainer-stand-in.sh', import.meta.url)), image: buildTree(folder), folder,
    env: { ...process.env, TALARIA_STAND_IN: state },
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
