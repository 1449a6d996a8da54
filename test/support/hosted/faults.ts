/** The fault matrix of the hosted backends: what breaks, while what is done; the right words, nothing hung, nothing left behind. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EnvironmentError, type Environment } from '../../../environments/base.ts';
import { Watched } from '../../conformance/running.ts';
import { describeFullDisk, SHRINK_TMP } from '../faults/full-disk.ts';
import { killHost } from '../faults/killed-host.ts';
import { FAULT_TEST_MS, MOMENTS, within, type Moment } from '../faults/moments.ts';
import type { Step, TestVendor } from './vendor.ts';

/** Patient until the fault strikes, so that a loaded machine does not look like one; in the app the limits are seconds (`DEFAULT_TIMING`, together below 10 s). */
const PATIENT = { askEveryMs: 200, answerMs: 10_000, createMs: 30_000 } as const;
const IMPATIENT = { answerMs: 500, createMs: 1_000 } as const;
/** The bar of issue 5. */
const LONGEST_MS = 10_000;
const NOT_KEPT = { TERMINAL_CONTAINER_PERSISTENT: 'false' } as const;
const KINDS = ['an internal error', 'no answer', 'a half-open connection', 'a cut connection'] as const;
type Kind = (typeof KINDS)[number];

/** Each is a process that loads an SDK: without TALARIA_LONG=1 those moments in which something is half done. */
const KILLED_AT: readonly Moment[] = process.env['TALARIA_LONG'] === '1' ? MOMENTS : ['create', 'file write'];

function strike(vendor: TestVendor, step: Step, kind: Kind): void {
  switch (kind) {
    case 'an internal error': vendor.fail(step, 'error'); break;
    case 'no answer': vendor.fail(step, 'hang'); break;
    case 'a half-open connection': vendor.silence(); break;
    case 'a cut connection': vendor.cut(); break;
  }
}

async function errorOf(work: Promise<unknown>): Promise<EnvironmentError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EnvironmentError) return error;
    throw error;
  }
  throw new Error('it succeeded');
}

/** What each kind is called; a service that is asked again and again may count as one that does not answer. */
const WORDS: Readonly<Record<Kind, RegExp>> = {
  'an internal error': /internal error|did not answer|did not open/,
  'no answer': /did not answer/,
  'a half-open connection': /did not answer/,
  'a cut connection': /cannot be reached|broke|did not answer|did not open/,
};

export function describeFaults(start: () => Promise<TestVendor>): void {
  describe('when the service fails', () => {
    let vendor: TestVendor;
    beforeAll(async () => { vendor = await start(); });
    afterEach(() => vendor.heal());
    afterAll(async () => {
      const complaints = [...vendor.complaints];
      await vendor.close();
      expect(complaints).toEqual([]);
    });

    async function opened(task: string): Promise<{ readonly environment: Environment; readonly strike: (step: Step, kind: Kind) => void; readonly heal: () => void }> {
      const timing = { ...PATIENT };
      const environment = vendor.make({ task, settings: NOT_KEPT, timing });
      await environment.open();
      return { environment, strike: (step, kind) => { Object.assign(timing, IMPATIENT); strike(vendor, step, kind); }, heal: () => { Object.assign(timing, PATIENT); vendor.heal(); } };
    }

    describe.each(KINDS)('%s', (kind) => {
      test('while a sandbox is made is told', async () => {
        const environment = vendor.make({ task: 'made', settings: NOT_KEPT, timing: { ...PATIENT, ...IMPATIENT } });
        strike(vendor, 'create', kind);
        const began = performance.now();
        const error = await errorOf(environment.open());
        expect(error.message).toMatch(/sandbox could not be made|could not be listed/);
        expect(error.message).toMatch(WORDS[kind]);
        await environment.close().catch(() => undefined); // there is nothing to close
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
      });

      test('while a command is started is told', async () => {
        const { environment, strike: hit } = await opened('started');
        hit('exec', kind);
        const began = performance.now();
        const error = await errorOf(environment.start({ command: 'echo hi', cwd: '/', shell: 'command' }));
        expect(error.message).toMatch(/command could not be started/);
        expect(error.message).toMatch(WORDS[kind]);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
      });

      test('in mid-output gives what arrived, the reason, and that the command may still run', async () => {
        const { environment, strike: hit } = await opened('output');
        const running = new Watched(await environment.start({ command: 'echo partial; sleep 600; echo never', cwd: '/', shell: 'command' }));
        await running.saw(/partial/);
        const began = performance.now();
        hit('output', kind);
        const end = await running.finished;
        expect(end).toMatchObject({ why: 'lost', text: 'partial\n', exitCode: null });
        expect(end.detail).toMatch(/connection to the \w+ sandbox broke/);
        expect(end.detail).toMatch(/may still be running there/);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
      });

      test('while a file is written is told, and the file is whole, be it the old one or the new', async () => {
        const { environment, strike: hit, heal } = await opened('written');
        await environment.writeFile('/root/kept', Buffer.from('old'));
        hit('write', kind);
        const began = performance.now();
        const error = await errorOf(environment.writeFile('/root/kept', Buffer.alloc(200_000, 'new')));
        expect(error.message).toMatch(/sandbox/);
        expect(error.message).toMatch(WORDS[kind]);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
        heal();
        // What the SDK sends again by itself may arrive late; half of it never counts.
        expect(Buffer.from(await environment.readFile('/root/kept')).toString()).toBeOneOf(['old', Buffer.alloc(200_000, 'new').toString()]);
      });

      test('while a sandbox is ended is told, with how long it may cost', async () => {
        const { environment, strike: hit } = await opened('ended');
        hit('cleanup', kind);
        const began = performance.now();
        const error = await errorOf(environment.close());
        expect(error.message).toMatch(/sandbox \S+ could not be ended/);
        expect(error.message).toMatch(WORDS[kind]);
        expect(error.hint).toMatch(/until \d\d:\d\d UTC at the latest/);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
      });

      test('leaves nothing behind once the app is started again', async () => {
        const { environment } = await opened('left');
        await environment.start({ command: 'sleep 600', cwd: '/', shell: 'command' });
        expect(vendor.running()).toContain('left');
        vendor.orphan();
        const later = vendor.make({ task: 'later', settings: NOT_KEPT, inUse: new Set() });
        await later.open();
        expect(vendor.running()).toEqual(['later']);
        await later.close();
        expect(vendor.running()).toEqual([]);
      });
    });

    test('hosts that are killed in the middle of something leave sandboxes, and the next host ends them', async () => {
      const { backend, given } = vendor.dying;
      const values = { ...NOT_KEPT, ...given['values'] as object };
      // One after the other: each of these hosts ends, as it opens, what the one before has left.
      for (const moment of KILLED_AT) {
        await killHost({
          backend, moment, given: { ...given, values, task: `killed-${moment}` },
          ...(moment === 'create' ? { until: async () => { await expect.poll(() => vendor.running(), { interval: 5 }).toContain('killed-create'); } } : {}),
        });
        if (moment !== 'cleanup') expect(vendor.running()).toEqual([`killed-${moment}`]);
      }
      const next = vendor.make({ task: 'next', settings: NOT_KEPT });
      await within(next.open());
      expect(vendor.running()).toEqual(['next']);
      await next.close();
    }, FAULT_TEST_MS);

    describeFullDisk(() => Promise.resolve({
      make: () => vendor.make({ task: 'full', settings: NOT_KEPT, timing: PATIENT }), shrink: SHRINK_TMP,
      close: () => { expect(vendor.running()).not.toContain('full'); return Promise.resolve(); },
    }));
  });
}
