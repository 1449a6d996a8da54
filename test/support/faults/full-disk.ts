/** A disk that is full, at each moment: one suite for all remote backends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../../environments/base.ts';
import { Watched } from '../../conformance/running.ts';
import { within } from './moments.ts';

export interface SmallPlace {
  /** Environments whose /tmp is the same small disk. */
  make(): Environment;
  /** Where /tmp cannot be made small from outside: run in the first of them. */
  readonly shrink?: string;
  close(): Promise<void>;
}

/** For `shrink`: what is in /tmp moves onto a small disk in its place. For root inside. */
export const SHRINK_TMP = 'mkdir /small && mount -t tmpfs -o size=256k tmpfs /small && cp -a /tmp/. /small/ && mount -o move /small /tmp';

export function describeFullDisk(start: () => Promise<SmallPlace>): void {
  describe('when the disk there is full', () => {
    let place: SmallPlace;
    let environment: Environment;
    const run = async (command: string) => new Watched(await environment.start({ command, cwd: '/', shell: 'command' })).finished;
    beforeAll(async () => {
      place = await start();
      environment = place.make();
      await environment.open();
      if (place.shrink !== undefined) expect(await run(place.shrink)).toMatchObject({ exitCode: 0, text: '' });
      await environment.writeFile('/tmp/kept', Buffer.from('kept'));
      await run('head -c 10000000 /dev/zero > /tmp/fill 2>/dev/null');
    });
    afterAll(async () => {
      await environment.close();
      await place.close();
    });

    test('another environment cannot be made there, and says what it needs', async () => {
      const late = place.make();
      await within(expect(late.open()).rejects.toMatchObject({ code: 'failed', message: expect.stringMatching(/No space left|could not be prepared/) as unknown, hint: expect.stringContaining('temporary directory') as unknown }));
      await within(late.close());
    });

    test('a command that needs no room runs', async () => {
      expect(await within(run('echo fine'))).toMatchObject({ why: 'exit', exitCode: 0, text: 'fine\n' });
    });

    test('what a command prints arrives whole, and its own words say what it could not write', async () => {
      const end = await within(run('seq 1 20000; echo x > /tmp/more'));
      expect(end.exitCode).toBe(1);
      expect(end.text).toMatch(/\n20000\n[^]*(?:No space left|I\/O error)/);
    });

    test('a file that does not fit is told so, the old one stays, and nothing half is left', async () => {
      await within(expect(environment.writeFile('/tmp/kept', Buffer.alloc(400_000))).rejects.toMatchObject({ name: 'EnvironmentError', message: expect.stringContaining('no space left on the disk') as unknown }));
      expect(Buffer.from(await environment.readFile('/tmp/kept')).toString()).toBe('kept');
      await expect.poll(async () => (await environment.list('/tmp')).filter((name) => name.startsWith('.talaria-'))).toEqual([]);
    });

    test('it is usable again once there is room', async () => {
      await environment.remove('/tmp/fill');
      await environment.writeFile('/tmp/kept', Buffer.alloc(1_000, 'n'));
      expect(await run('cd /root; export SEEN=1')).toMatchObject({ exitCode: 0 });
      expect((await run('echo "$SEEN"')).text).toBe('1\n');
      await run('head -c 10000000 /dev/zero > /tmp/fill 2>/dev/null');
    });

    test('closing tidies up in time', async () => {
      await environment.start({ command: 'sleep 600', cwd: '/', shell: 'command' });
      await within(environment.close());
    });
  });
}
