/** Daytona's sandboxes: listed by labels, made from an image, stopped to be resumed or deleted (hermes-runtime 6.7). */
import type { Daytona, Sandbox as DaytonaSandbox } from '@daytona/sdk';
import { LABEL, labelsFor, problem, SandboxGone, within, type Found, type HostedOptions, type Sandbox, type Vendor } from '../hosted.ts';
import { DAYTONA, statusOf } from './client.ts';
import { askDaytona, execDaytona } from './pty.ts';
import type { DaytonaSettings } from './settings.ts';

const SECONDS_PER_MINUTE = 60;
const MS_PER_SECOND = 1_000;
/** Stopping goes on there when it is not waited for any longer. */
const STOP_MS = 8_000;
const CONFLICT = 409;
/** There is nothing left of these to be resumed. */
const BROKEN: ReadonlySet<string> = new Set(['error', 'build_failed', 'destroyed', 'destroying', 'unknown']);
const RUNNING: ReadonlySet<string> = new Set(['started', 'starting', 'creating', 'restoring']);

export interface DaytonaVendorParts {
  readonly daytona: Daytona;
  readonly settings: DaytonaSettings;
  readonly options: HostedOptions;
}

export function daytonaVendor({ daytona, settings, options }: DaytonaVendorParts): Vendor & { ask(): Promise<unknown>; disconnect(): void } {
  const { task, profile, timing, onProblem } = options;
  const minutes = Math.ceil(settings.lifetimeS / SECONDS_PER_MINUTE);
  const createS = timing.createMs / MS_PER_SECOND;

  async function release(sandbox: DaytonaSandbox): Promise<void> {
    try {
      if (settings.persistent) await within(sandbox.stop(createS), STOP_MS, 'Daytona');
      else await within(sandbox.delete(createS), timing.answerMs, 'Daytona');
    } catch (error) {
      throw problem(DAYTONA, settings.persistent ? 'the Daytona sandbox could not be stopped' : 'the Daytona sandbox could not be deleted', error);
    }
  }

  function use(sandbox: DaytonaSandbox): Sandbox {
    // Daytona itself ends only sandboxes that nobody talks to: the limit of a busy one is kept from here.
    const limit = setTimeout(() => {
      onProblem(`The Daytona sandbox has reached its time limit of ${minutes} minutes and is ended.`);
      void release(sandbox).catch((error: unknown) => onProblem(String(error)));
    }, settings.lifetimeS * MS_PER_SECOND);
    limit.unref();
    return {
      id: sandbox.id,
      launch: (program, how) => execDaytona(sandbox, program, how, timing),
      ask: () => askDaytona(sandbox),
      release: () => release(sandbox),
      detach: () => clearTimeout(limit),
    };
  }

  async function make(name: string): Promise<DaytonaSandbox> {
    return daytona.create({
      name, image: settings.image, labels: { ...labelsFor(options) }, resources: { ...settings.resources },
      // Counted from the last request: only a sandbox whose owner has vanished reaches it.
      autoStopInterval: minutes, ...(settings.persistent ? {} : { ephemeral: true }),
    }, { timeout: createS });
  }

  return {
    async list(): Promise<readonly Found[]> {
      try {
        const found: Found[] = [];
        for await (const sandbox of daytona.list({ labels: { [LABEL.profile]: profile } })) {
          const { labels } = sandbox;
          const adopt = async (): Promise<Sandbox> => {
            if (BROKEN.has(sandbox.state ?? 'unknown')) {
              await sandbox.delete(createS);
              throw new SandboxGone('Daytona');
            }
            await sandbox.setLabels({ ...labels, ...labelsFor(options) });
            if (sandbox.state !== 'started') await sandbox.start(createS);
            return use(sandbox);
          };
          found.push({
            id: sandbox.id, labels, running: RUNNING.has(sandbox.state ?? ''), adopt, release: () => release(sandbox),
            share: async () => {
              await askDaytona(sandbox);
              return use(sandbox);
            },
          });
        }
        return found;
      } catch (error) {
        throw problem(DAYTONA, 'the sandboxes at Daytona could not be listed', error);
      }
    },
    async create(): Promise<Sandbox> {
      const name = `hermes-${task.replace(/[^A-Za-z0-9_.-]/g, '-')}`;
      try {
        try {
          return use(await make(name));
        } catch (error) {
          // The name is another home's.
          if (statusOf(error) !== CONFLICT) throw error;
          return use(await make(`${name}-${profile}`));
        }
      } catch (error) {
        throw problem(DAYTONA, 'the Daytona sandbox could not be made', error);
      }
    },
    ask: () => daytona.list({ limit: 1, labels: { [LABEL.profile]: profile } }).next(),
    disconnect: () => { void within(daytona[Symbol.asyncDispose](), timing.answerMs, 'Daytona').catch(() => undefined); }, // it only lets go of what is local
  };
}
