/** Vercel's sandboxes: listed by tag, made from a runtime or a snapshot, ended with a snapshot (hermes-runtime 6.8). */
import { randomBytes } from 'node:crypto';
import type { Sandbox as VercelSandbox } from '@vercel/sandbox';
import { EnvironmentError } from '../base.ts';
import { LABEL, labelsFor, problem, SandboxGone, within, type Found, type HostedOptions, type Sandbox, type Snapshots, type Vendor } from '../hosted.ts';
import { VERCEL, type VercelAccess, type VercelSdk } from './client.ts';
import { askVercel, execVercel } from './exec.ts';
import type { VercelSettings } from './settings.ts';

const MS_PER_SECOND = 1_000;
/** hermes-runtime 6.8. */
const RUNNING_MS = 30_000;
const RUNNING_EVERY_MS = 250;
const NEVER_EXPIRES = 0;
/** A large disk takes its time. */
const SNAPSHOT_MS = 60_000;
/** Sandboxes that can be used, or cost. */
const ALIVE: ReadonlySet<string> = new Set(['pending', 'running', 'stopping', 'snapshotting']);

export interface VercelVendorParts {
  readonly sdk: VercelSdk;
  readonly access: VercelAccess;
  readonly settings: VercelSettings;
  readonly options: HostedOptions;
  readonly snapshots: (task: string) => Snapshots;
}

export function vercelVendor({ sdk, access, settings, options, snapshots }: VercelVendorParts): Vendor & { ask(): Promise<unknown>; disconnect(): void } {
  const { task, profile, timing, onProblem } = options;
  const get = (name: string) => sdk.Sandbox.get({ ...access, name, resume: false });
  const list = () => sdk.Sandbox.list({ ...access, tags: { [LABEL.profile]: profile } });

  async function release(sandbox: VercelSandbox, ofTask: string): Promise<void> {
    try {
      if (settings.persistent) {
        const record = snapshots(ofTask);
        const before = await record.get();
        const saved = await within(sandbox.currentSession().snapshot({ expiration: NEVER_EXPIRES }), SNAPSHOT_MS, 'Vercel');
        await record.set(saved.snapshotId);
        // Only storage is at stake with the old one, and only a row in a list with the ended sandbox.
        if (before !== undefined && before !== saved.snapshotId) await sdk.Snapshot.get({ ...access, snapshotId: before }).then((old) => old.delete()).catch(() => undefined);
        await sandbox.delete().catch(() => undefined);
      } else {
        await within(sandbox.currentSession().stop(), timing.answerMs, 'Vercel');
        await sandbox.delete().catch(() => undefined); // as above
      }
    } catch (error) {
      throw problem(VERCEL, settings.persistent ? 'the Vercel sandbox could not be saved and ended' : 'the Vercel sandbox could not be ended', error);
    }
  }

  const use = (sandbox: VercelSandbox): Sandbox => ({
    id: sandbox.name,
    launch: (program, how) => execVercel(sandbox, () => get(sandbox.name), program, how, timing),
    ask: async () => {
      try {
        await askVercel(sandbox, () => get(sandbox.name));
      } catch (error) {
        throw problem(VERCEL, 'the Vercel sandbox does not answer', error);
      }
    },
    release: () => release(sandbox, task),
    detach: () => undefined, // it has no connection of its own
  });

  async function untilRunning(sandbox: VercelSandbox): Promise<VercelSandbox> {
    for (const end = performance.now() + RUNNING_MS; ;) {
      const now = sandbox.status === 'running' ? sandbox : await get(sandbox.name);
      if (now.status === 'running') return now;
      if (now.status !== 'pending') throw new SandboxGone('Vercel', new Error(`it is ${now.status}`));
      if (performance.now() > end) {
        await release(now, task).catch(() => undefined); // it will end by its own time limit
        throw new EnvironmentError('timeout', `the Vercel sandbox did not run within ${RUNNING_MS / MS_PER_SECOND} s`);
      }
      await new Promise((resolve) => { setTimeout(resolve, RUNNING_EVERY_MS); });
    }
  }

  async function make(snapshotId: string | undefined): Promise<Sandbox> {
    const shared = {
      ...access, name: `hermes-${task.replace(/[^A-Za-z0-9-]/g, '-')}-${randomBytes(4).toString('hex')}`, timeout: settings.lifetimeS * MS_PER_SECOND, resources: { vcpus: settings.vcpus }, persistent: false,
      tags: { ...labelsFor(options) },
    };
    const made = snapshotId === undefined
      ? await sdk.Sandbox.create({ ...shared, runtime: settings.runtime })
      : await sdk.Sandbox.create({ ...shared, source: { type: 'snapshot', snapshotId } });
    return use(await untilRunning(made));
  }

  return {
    async list(): Promise<readonly Found[]> {
      try {
        const found: Found[] = [];
        for await (const row of await list()) {
          if (!ALIVE.has(row.status)) continue;
          const labels = row.tags ?? {};
          found.push({
            id: row.name, labels, running: true,
            adopt: async () => {
              const sandbox = await untilRunning(await get(row.name));
              await sandbox.update({ tags: { ...labels, ...labelsFor(options) } });
              return use(sandbox);
            },
            share: async () => use(await untilRunning(await get(row.name))),
            release: async () => release(await get(row.name), labels[LABEL.task] ?? task),
          });
        }
        return found;
      } catch (error) {
        throw problem(VERCEL, 'the sandboxes at Vercel could not be listed', error);
      }
    },
    async create(): Promise<Sandbox> {
      try {
        const saved = settings.persistent ? await snapshots(task).get() : undefined;
        try {
          return await make(saved);
        } catch (error) {
          const kind = VERCEL.classify(error);
          if (saved === undefined || (kind !== 'gone' && kind !== 'refused')) throw error;
          onProblem(`The Vercel snapshot ${saved} no longer restores: the sandbox starts from ${settings.runtime}.`);
          await snapshots(task).set(undefined);
          return await make(undefined);
        }
      } catch (error) {
        throw problem(VERCEL, 'the Vercel sandbox could not be made', error);
      }
    },
    ask: () => within(list(), timing.answerMs, 'Vercel'),
    disconnect: () => undefined, // each request stands alone
  };
}
