/** The fault matrix of the hosted backends: what breaks, while what is done; the right words, nothing hung, nothing left behind. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EnvironmentError, type Environment } from '../../../environments/base.ts';
import { Watched } from '../../conformance/running.ts';
import type { Step, TestVendor } from './vendor.ts';

/** As fast as a loaded machine allows; in the app the same limits are seconds (`DEFAULT_TIMING`, together below 10 s). */
const TIMING = { askEveryMs: 200, answerMs: 1_500, createMs: 2_500 } as const;
/** The bar of issue 5. */
const LONGEST_MS = 10_000;
const NOT_KEPT = { TERMINAL_CONTAINER_PERSISTENT: 'false' } as const;
const KINDS = ['an internal error', 'no answer', 'a half-open connection', 'a cut connection'] as const;
type Kind = (typeof KINDS)[number];

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
  'an internal error': /internal error|did not answer within/,
  'no answer': /did not answer within/,
  'a half-open connection': /did not answer within/,
  'a cut connection': /cannot be reached|broke|did not answer within/,
};

export function describeFaults(start: () => Promise<TestVendor>): void {
  describe('when the service fails', () => {
    let vendor: TestVendor;
    beforeAll(async () => { vendor = await start(); });
    afterAll(async () => {
      const complaints = [...vendor.complaints];
      await vendor.close();
      expect(complaints).toEqual([]);
    });

    /** Whatever happened: another run of the app ends what it left. */
    async function expectNothingLeft(): Promise<void> {
      vendor.heal();
      vendor.orphan();
      const later = vendor.make({ task: 'later', settings: NOT_KEPT });
      await later.open();
      expect(vendor.running()).toEqual(['later']);
      await later.close();
      expect(vendor.running()).toEqual([]);
    }

    async function opened(): Promise<Environment> {
      const environment = vendor.make({ settings: NOT_KEPT, timing: TIMING });
      await environment.open();
      return environment;
    }

    describe.each(KINDS)('%s', (kind) => {
      test('while a sandbox is made is told', async () => {
        const environment = vendor.make({ settings: NOT_KEPT, timing: TIMING });
        strike(vendor, 'create', kind);
        const began = performance.now();
        const error = await errorOf(environment.open());
        expect(error.message).toMatch(/sandbox could not be made|could not be listed/);
        expect(error.message).toMatch(WORDS[kind]);
        await environment.close().catch(() => undefined);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
        await expectNothingLeft();
      });

      test('while a command is started is told', async () => {
        const environment = await opened();
        strike(vendor, 'exec', kind);
        const began = performance.now();
        const error = await errorOf(environment.start({ command: 'echo hi', cwd: '/', shell: 'command' }));
        expect(error.message).toMatch(/command could not be started/);
        expect(error.message).toMatch(WORDS[kind]);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
        vendor.heal();
        await environment.close();
        await expectNothingLeft();
      });

      test('in mid-output gives what arrived, the reason, and that the command may still run', async () => {
        const environment = await opened();
        const running = new Watched(await environment.start({ command: 'echo partial; sleep 600; echo never', cwd: '/', shell: 'command' }));
        await running.saw(/partial/);
        const began = performance.now();
        strike(vendor, 'output', kind);
        const end = await running.finished;
        expect(end).toMatchObject({ why: 'lost', text: 'partial\n', exitCode: null });
        expect(end.detail).toMatch(/connection to the \w+ sandbox broke/);
        expect(end.detail).toMatch(/may still be running there/);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
        vendor.heal();
        await environment.close();
        await expectNothingLeft();
      });

      test('while a file is written is told, and the old file is whole', async () => {
        const environment = await opened();
        await environment.writeFile('/root/kept', Buffer.from('old'));
        strike(vendor, 'write', kind);
        const began = performance.now();
        const error = await errorOf(environment.writeFile('/root/kept', Buffer.alloc(200_000, 'new')));
        expect(error.message).toMatch(/\w+/);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
        vendor.heal();
        expect(Buffer.from(await environment.readFile('/root/kept')).toString()).toBe('old');
        await environment.close();
        await expectNothingLeft();
      });

      test('while a sandbox is ended is told, with how long it may cost', async () => {
        const environment = await opened();
        strike(vendor, 'cleanup', kind);
        const began = performance.now();
        const error = await errorOf(environment.close());
        expect(error.message).toMatch(/sandbox \S+ could not be ended/);
        expect(error.message).toMatch(WORDS[kind]);
        expect(error.hint).toMatch(/until \d\d:\d\d UTC at the latest/);
        expect(performance.now() - began).toBeLessThan(LONGEST_MS);
        await expectNothingLeft();
      });
    });
  });
}
