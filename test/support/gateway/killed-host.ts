/** A host that serves a messenger in a process of its own, to be killed and started again on the same home. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startModelServer, type ModelServer, type ModelServerOptions } from '../model/server.ts';

const PROGRAM = fileURLToPath(new URL('host-process.ts', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

export interface KilledHost {
  readonly model: ModelServer;
  readonly home: string;
  readonly folder: string;
  /** Resolves when it serves; with `connected`, when that messenger is connected. */
  serve(connected?: string): Promise<ChildProcess>;
  /** kill −9. */
  kill(child: ChildProcess): Promise<void>;
  close(): Promise<void>;
}

export async function openKilledHost(messenger: { readonly yaml: string; readonly env: Readonly<Record<string, string>> }, options: ModelServerOptions): Promise<KilledHost> {
  const root = await mkdtemp(join(tmpdir(), 'talaria-kill-'));
  const model = await startModelServer(options);
  const [home, folder] = [join(root, 'home'), join(root, 'work')];
  await mkdir(home);
  await mkdir(folder);
  await writeFile(join(home, 'config.yaml'), `model:\n  default: scripted-model\n  provider: custom\n  base_url: ${model.baseUrl}\ngateway:\n${messenger.yaml}`);
  const children: ChildProcess[] = [];
  const killed: KilledHost = {
    model, home, folder,
    async serve(connected) {
      const child = spawn(join(MODULES, '.bin/node'), [PROGRAM, home, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
        // The sources are read by Node itself, several times in a test: it keeps what it made of them.
        env: { PATH: process.env['PATH'], HOME: root, TMPDIR: root, SHELL: '/bin/bash', NODE_COMPILE_CACHE: join(MODULES, '.cache/talaria-compiled'), ...messenger.env },
      });
      children.push(child);
      for await (const line of createInterface(child.stdout)) if (line === (connected === undefined ? 'serving' : `connected ${connected}`)) return child;
      throw new Error('the host ended before it served');
    },
    async kill(child) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async close() {
      for (const child of children) await killed.kill(child);
      await model.close();
      await rm(root, { recursive: true, force: true });
    },
  };
  return killed;
}
