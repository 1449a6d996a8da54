/** Sandboxes of Modal's app "hermes-agent": listed by tags, made from an image or a snapshot, ended with a snapshot (hermes-runtime 6.6). */
import type { App, Image, ModalClient, Sandbox as ModalSandbox } from 'modal';
import { LABEL, labelsFor, problem, SandboxGone, within, type Found, type HostedOptions, type Sandbox, type Snapshots, type Vendor } from '../hosted.ts';
import { MODAL } from './client.ts';
import { askModal, execModal } from './exec.ts';
import type { ModalSettings } from './settings.ts';

const APP = 'hermes-agent';
const MS_PER_SECOND = 1_000;
/** Modal's own default; a snapshot of a large disk takes its time. */
const SNAPSHOT_MS = 55_000;

export interface ModalVendorParts {
  readonly client: ModalClient;
  readonly settings: ModalSettings;
  readonly options: HostedOptions;
  /** The record of a task's snapshot. */
  readonly snapshots: (task: string) => Snapshots;
}

export function modalVendor({ client, settings, options, snapshots }: ModalVendorParts): Vendor & { ask(): Promise<unknown>; disconnect(): void } {
  const { task, profile, timing, onProblem } = options;
  const app = (): Promise<App> => client.apps.fromName(APP, { createIfMissing: true });

  /** Snapshot first: what was not saved must not be ended. */
  async function release(sandbox: ModalSandbox, ofTask: string): Promise<void> {
    try {
      if (settings.persistent) {
        const record = snapshots(ofTask);
        const before = await record.get();
        const { imageId } = await sandbox.snapshotFilesystem({ timeoutMs: SNAPSHOT_MS, ttlMs: null });
        await record.set(imageId);
        if (before !== undefined && before !== imageId) await client.images.delete(before).catch(() => undefined); // gone already, or kept by another: only its storage is at stake
      }
      await within(sandbox.terminate(), timing.answerMs, 'Modal');
    } catch (error) {
      throw problem(MODAL, settings.persistent ? 'the Modal sandbox could not be saved and ended' : 'the Modal sandbox could not be ended', error);
    }
  }

  const use = (sandbox: ModalSandbox): Sandbox => ({
    id: sandbox.sandboxId,
    launch: (program, how) => execModal(sandbox, program, how, timing),
    ask: () => askModal(sandbox),
    release: () => release(sandbox, task),
    detach: () => sandbox.detach(),
  });

  async function image(): Promise<Image> {
    const saved = settings.persistent ? await snapshots(task).get() : undefined;
    if (saved !== undefined) {
      try {
        return await client.images.fromId(saved);
      } catch (error) {
        if (!(problem(MODAL, '', error) instanceof SandboxGone)) throw error;
        onProblem(`The Modal snapshot ${saved} is not there any more: the sandbox starts from ${settings.image}.`);
        await snapshots(task).set(undefined);
      }
    }
    return client.images.fromRegistry(settings.image);
  }

  async function make(from: Image): Promise<Sandbox> {
    const created = await client.sandboxes.create(await app(), from, {
      command: ['sleep', 'infinity'], timeoutMs: settings.lifetimeS * MS_PER_SECOND, tags: labelsFor(options),
      ...(settings.cpus > 0 ? { cpu: settings.cpus } : {}), ...(settings.memoryMb > 0 ? { memoryMiB: Math.round(settings.memoryMb) } : {}),
    });
    return use(created);
  }

  return {
    async list(): Promise<readonly Found[]> {
      try {
        const found: Found[] = [];
        for await (const sandbox of client.sandboxes.list({ appId: (await app()).appId, tags: { [LABEL.profile]: profile } })) {
          const labels = await sandbox.getTags();
          found.push({
            id: sandbox.sandboxId, labels, running: true,
            adopt: async () => {
              await sandbox.setTags({ ...labels, ...labelsFor(options) });
              await askModal(sandbox);
              return use(sandbox);
            },
            share: async () => {
              await askModal(sandbox);
              return use(sandbox);
            },
            release: () => release(sandbox, labels[LABEL.task] ?? task),
          });
        }
        return found;
      } catch (error) {
        throw problem(MODAL, 'the sandboxes at Modal could not be listed', error);
      }
    },
    async create(): Promise<Sandbox> {
      try {
        const from = await image();
        const restored = from.imageId !== '';
        try {
          return await make(from);
        } catch (error) {
          const kind = MODAL.classify(error);
          if (!restored || (kind !== 'gone' && kind !== 'refused')) throw error;
          onProblem(`The Modal snapshot ${from.imageId} no longer restores: the sandbox starts from ${settings.image}.`);
          await snapshots(task).set(undefined);
          return await make(client.images.fromRegistry(settings.image));
        }
      } catch (error) {
        throw problem(MODAL, 'the Modal sandbox could not be made', error);
      }
    },
    ask: () => within(app(), timing.answerMs, 'Modal'),
    disconnect: () => client.close(),
  };
}
