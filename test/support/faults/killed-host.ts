/** Hosts of their own process that are killed without a warning, in the middle of something. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Moment } from './moments.ts';

export interface DyingHost {
  readonly backend: string;
  readonly moment: Moment;
  /** What the backend is made of; see the fixture. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Waited for once the host has said that it has begun; by default it is killed at that. */
  readonly until?: () => Promise<void>;
}

export async function killHost({ backend, moment, given, until }: DyingHost): Promise<void> {
  const host = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../../fixtures/host-that-dies.ts'), backend, moment, JSON.stringify(given)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => { host.once('exit', resolve); });
  try {
    await new Promise<void>((resolve, reject) => {
      host.stdout.once('data', () => { resolve(); });
      host.once('exit', (code) => { reject(new Error(`the host ended early with code ${String(code)}`)); });
    });
    await until?.();
  } finally {
    host.kill('SIGKILL');
    await gone;
  }
}
