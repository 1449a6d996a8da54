/** The life of sandboxes at hosted services: found again, resumed, shared, made anew; keys and limits. Run on each backend unchanged. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../../environments/base.ts';
import type { TestVendor } from './vendor.ts';

const NOT_KEPT = { TERMINAL_CONTAINER_PERSISTENT: 'false' } as const;

export interface Differences {
  /** One setting or key taken away, and what is said then. */
  readonly withoutKey: { readonly credentials: Readonly<Record<string, string | undefined>>; readonly says: RegExp };
  readonly wrongKey: { readonly credentials: Readonly<Record<string, string | undefined>>; readonly says: RegExp };
  /** A wrong image, and what is said then. */
  readonly wrongImage: { readonly settings: Readonly<Record<string, string>>; readonly says: RegExp };
  /** File in the home that names the snapshot of a task. */
  readonly snapshotFile?: string;
}

async function textOf(environment: Environment, path: string): Promise<string> {
  return Buffer.from(await environment.readFile(path)).toString();
}

export function describeLives(start: () => Promise<TestVendor>, differences: Differences): void {
  describe('the life of sandboxes', () => {
    let vendor: TestVendor;
    beforeAll(async () => { vendor = await start(); });
    afterAll(async () => {
      const [complaints, running] = [[...vendor.complaints], vendor.running()];
      await vendor.close();
      expect({ complaints, running }).toEqual({ complaints: [], running: [] });
    });

    test('what was written is there the next time, and nothing runs in between', async () => {
      const first = vendor.make({ task: 'kept' });
      await first.writeFile('/root/note', Buffer.from('kept'));
      await first.close();
      expect(vendor.running()).toEqual([]);
      const second = vendor.make({ task: 'kept' });
      expect(await textOf(second, '/root/note')).toBe('kept');
      const other = vendor.make({ task: 'other', settings: NOT_KEPT });
      expect(await other.stat('/root/note')).toBeUndefined();
      await other.close();
      await second.close();
    });

    const { snapshotFile } = differences;
    if (snapshotFile !== undefined) test('a snapshot that is not there any more is told, and the image is used', async () => {
      await mkdir(vendor.home, { recursive: true });
      const file = join(vendor.home, snapshotFile);
      await writeFile(file, JSON.stringify({ lost: 'im-gone', others: 'untouched' }));
      vendor.problems.length = 0;
      const environment = vendor.make({ task: 'lost' });
      await environment.open();
      expect(vendor.problems).toEqual([expect.stringMatching(/snapshot im-gone (?:is not there any more|no longer restores)/)]);
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ others: 'untouched' });
      await environment.close();
    });

    test('a sandbox that is not to be kept is gone with its task', async () => {
      const environment = vendor.make({ task: 'passing', settings: NOT_KEPT });
      await environment.writeFile('/root/note', Buffer.from('x'));
      await environment.close();
      const again = vendor.make({ task: 'passing', settings: NOT_KEPT });
      expect(await again.stat('/root/note')).toBeUndefined();
      await again.close();
    });

    test('what a killed app left of the task is taken over with all that is in it', async () => {
      const killed = vendor.make({ task: 'crashed', settings: NOT_KEPT });
      await killed.writeFile('/root/note', Buffer.from('survived'));
      vendor.orphan();
      const next = vendor.make({ task: 'crashed', settings: NOT_KEPT, inUse: new Set() });
      expect(await textOf(next, '/root/note')).toBe('survived');
      expect(vendor.running()).toEqual(['crashed']);
      await next.close();
    });

    test('two of one task that live at the same time share a sandbox, and the guest does not end it', async () => {
      const owner = vendor.make({ task: 'shared', settings: NOT_KEPT });
      await owner.writeFile('/root/note', Buffer.from('both'));
      const guest = vendor.make({ task: 'shared', settings: NOT_KEPT });
      expect(await textOf(guest, '/root/note')).toBe('both');
      await guest.close();
      expect(await textOf(owner, '/root/note')).toBe('both');
      await owner.close();
    });

    test('a sandbox whose time was up is made anew, and the result says so', async () => {
      const environment = vendor.make({ task: 'expired', settings: NOT_KEPT });
      await environment.open();
      await vendor.expire();
      const running = await environment.start({ command: 'echo again', cwd: '/', shell: 'command' });
      expect(running.recreated).toBe(true);
      expect((await running.ended).exitCode).toBe(0);
      expect((await environment.start({ command: 'true', cwd: '/', shell: 'command' })).recreated).toBeUndefined();
      await environment.close();
    });

    test('a command whose sandbox ends under it is told so, and that it does not run any more', async () => {
      const environment = vendor.make({ task: 'ended', settings: NOT_KEPT });
      const running = await environment.start({ command: 'sleep 600', cwd: '/', shell: 'command' });
      await vendor.expire();
      const end = await running.ended;
      expect(end).toMatchObject({ exitCode: null });
      expect(`${end.why}: ${end.detail ?? ''}`).toMatch(/^lost: the \w+ sandbox ended while the command ran in it$/);
      await environment.close();
    });

    test('skills of the home are there before the first command, and a changed file of the cache comes back', async () => {
      const home = join(vendor.home, 'synced');
      await mkdir(join(home, 'skills', 'one'), { recursive: true });
      await mkdir(join(home, 'cache'), { recursive: true });
      await writeFile(join(home, 'skills', 'one', 'SKILL.md'), 'do it');
      await writeFile(join(home, 'cache', 'picture'), 'old');
      const environment = vendor.make({ task: 'synced', home, settings: NOT_KEPT });
      await environment.open();
      const running = await environment.start({ command: 'cat ~/.hermes/skills/one/SKILL.md; printf new > ~/.hermes/cache/picture', cwd: '/', shell: 'command' });
      const parts: Uint8Array[] = [];
      running.onOutput((bytes) => parts.push(bytes));
      await running.ended;
      expect(Buffer.concat(parts).toString()).toBe('do it');
      await environment.close();
      expect(await readFile(join(home, 'cache', 'picture'), 'utf8')).toBe('new');
    });

    test('a missing key is named before anything is asked of the service', async () => {
      const environment = vendor.make({ task: 'keyless', credentials: differences.withoutKey.credentials });
      await expect(environment.open()).rejects.toThrow(differences.withoutKey.says);
      await environment.close();
    });

    test('a wrong key is called that', async () => {
      const environment = vendor.make({ task: 'wrong', credentials: differences.wrongKey.credentials });
      await expect(environment.open()).rejects.toThrow(differences.wrongKey.says);
      await environment.close();
    });

    test('an image that is not there is told', async () => {
      const environment = vendor.make({ task: 'imageless', settings: { ...NOT_KEPT, ...differences.wrongImage.settings } });
      await expect(environment.open()).rejects.toThrow(differences.wrongImage.says);
      await environment.close().catch(() => undefined); // nothing was made
    });

    test('the description says where it is, that it is isolated, what it costs and when it ends', async () => {
      const environment = vendor.make({ task: 'described', settings: { ...NOT_KEPT, TERMINAL_SANDBOX_HOURLY_COST: '2', TERMINAL_SANDBOX_MAX_COST: '0.5' } });
      await environment.open();
      const { host, isolated, mounts, cost, image } = environment.describe();
      expect({ isolated, mounts, usdPerHour: cost?.usdPerHour }).toEqual({ isolated: true, mounts: [], usdPerHour: 2 });
      expect(host).not.toBe('');
      expect(image).not.toBe('');
      // Half a dollar at two an hour: a quarter of an hour.
      const leftMs = (cost?.endsAt ?? 0) - Date.now();
      expect(leftMs).toBeGreaterThan(800_000);
      expect(leftMs).toBeLessThanOrEqual(900_000);
      await environment.close();
    });
  });
}
